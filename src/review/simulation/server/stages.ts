/**
 * Where scenarios are played: on the app that serves requests, through its pages, forms and endpoints, with one database for all of
 * them. Each scenario has a client and an end-user of its own.
 */
import type { AppDeps } from '../../../boot/wiring.ts';
import type { Database } from '../../../storage/database.ts';
import { type Performance, play } from '../play.ts';
import type { Scenario } from '../scenario.ts';
import { setClock } from './clock.ts';
import { openEmptyDatabase } from './database.ts';
import { type Elsewhere, openElsewhere, type SignInThere, type There } from './elsewhere.ts';
import { withFates } from './fates.ts';
import { keptMails } from './mails.ts';
import { configurationOf, openServer, type Server } from './server.ts';
import { type Stage, serverStage } from './server-stage.ts';

export type Stages = {
  readonly server: Server;
  readonly stageFor: (scenario: Pick<Scenario, 'lifetimes' | 'signIn'>) => Promise<Stage>;
  readonly close: () => Promise<void>;
};

export type StagesOptions = {
  /** Migrated and empty; called again for the identity provider. */
  readonly database?: () => Promise<Database>;
  /** For those who break a part on purpose. */
  readonly change?: (deps: AppDeps) => AppDeps;
};

const ISSUER = 'https://statehouse.example';
const BEGINNING = new Date('2030-01-01T00:00:00.000Z');
/** Authenticator apps show another code each 30 seconds: every scenario begins with a new one. */
const CODE_MILLISECONDS = 30_000;

export async function openStages({
  database = openEmptyDatabase,
  change = (deps) => deps,
}: StagesOptions = {}): Promise<Stages> {
  const clock = setClock(BEGINNING);
  const mails = keptMails();
  let elsewhere: Elsewhere | null = null;
  let configuration = configurationOf(ISSUER, {});
  const server = await openServer({
    issuer: ISSUER,
    database: await database(),
    clock,
    mail: mails,
    configuration: () => configuration,
    secretNamed: async (name) => elsewhere?.secretNamed(name) ?? null,
    upstreamFetch: async (url, init) => {
      if (elsewhere === null) throw new Error('The identity provider is not open.');
      return elsewhere.upstreamFetch(url, init);
    },
    change: (deps) => change(withFates(deps)),
  });
  mails.of(server);
  let serial = 0;
  return {
    server,
    stageFor: async ({ lifetimes, signIn }) => {
      const { name: _, ...policy } = lifetimes;
      const configure = () => {
        configuration = configurationOf(ISSUER, { policy, signIn, upstreams: elsewhere ? [elsewhere.upstream] : [] });
      };
      configure();
      let signInThere: SignInThere | null = null;
      const there: There = {
        open: async () => {
          elsewhere ??= await openElsewhere({ database, clock, policy, issuer: ISSUER });
          signInThere ??= elsewhere.accounts();
          configure();
        },
        signIn: async (actor, url) => {
          if (signInThere === null) throw new Error('The identity provider is not open.');
          return signInThere(actor, url);
        },
        linked: new Map(),
      };
      clock.set(new Date((Math.floor(clock.now().getTime() / CODE_MILLISECONDS) + 1) * CODE_MILLISECONDS));
      return serverStage(server, { mails, there, address: `198.51.100.${++serial % 255}`, lifetimes });
    },
    close: async () => {
      await server.close();
      await elsewhere?.close();
    },
  };
}

/** One after the other, each on a stage of its own. */
export async function playAll(scenarios: readonly Scenario[]): Promise<Performance[]> {
  const stages = await openStages();
  try {
    const performances: Performance[] = [];
    for (const scenario of scenarios) performances.push(await play(scenario, await stages.stageFor(scenario)));
    return performances;
  } finally {
    await stages.close();
  }
}

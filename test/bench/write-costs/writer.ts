/** One connection that approves and rotates with the statements of the server, and a database to do it in. */
import { randomBytes, randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { authorizationCodeOf, readAuthorizationCode } from '../../../src/crypto/authorization-code.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import type { GrantStore } from '../../../src/lifecycles/grant/lifecycle.ts';
import {
  begunInteraction,
  type InteractionPorts,
  interactFrom,
  type LoadedRequest,
} from '../../../src/lifecycles/interaction/lifecycle.ts';
import type { Grant } from '../../../src/model/grant.ts';
import type { Lifetimes } from '../../../src/model/lifetimes.ts';
import { authenticClients } from '../../../src/storage/authentic-clients.ts';
import { grantStore } from '../../../src/storage/grant-store.ts';
import { interactionStore } from '../../../src/storage/interaction-store.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { rotated } from '../rotation.ts';
import { CHALLENGE, CLIENT_ID, CODE_SECONDS, REDIRECT_URI, RESOURCE, SCOPE, SERVER_SECRET } from '../setting.ts';
import {
  insertBrowsers,
  insertGrants,
  insertOtherGrants,
  registerClientAndPerson,
} from '../targets/statehouse-rows.ts';

const OTHERS = 20_000;
const DAY_MILLISECONDS = 86_400_000;

/** Other authorizations, so that the indexes are deep. */
export async function seed(url: string): Promise<void> {
  const database = openPostgres(url, { connections: 1 });
  await database.migrate();
  await registerClientAndPerson(database.drizzle);
  await insertOtherGrants(database.drizzle, OTHERS);
  await database.close();
}

export type Writer = {
  /** One approval for each browser. */
  readonly approve: () => Promise<void>;
  /** The same after a page: the interaction is stored, too. */
  readonly approveWithPage: () => Promise<void>;
  /** One rotation of each chain. */
  readonly rotate: () => Promise<void>;
  readonly sql: postgres.Sql;
  /** The notices of Postgres. */
  readonly notices: string[];
  readonly close: () => Promise<void>;
};

const keys = rootKeys([SERVER_SECRET]);
const macs = rowMacs(keys);
const LIFETIMES: Lifetimes = {
  name: 'default',
  accessTokenLifetimeSeconds: 900,
  authorizationCodeLifetimeSeconds: CODE_SECONDS,
  refreshIdleLifetimeSeconds: 86_400,
  refreshAbsoluteLifetimeSeconds: 86_400,
};

export async function openWriter(url: string, rows: number): Promise<Writer> {
  const notices: string[] = [];
  const sql = postgres(url, {
    max: 1,
    onnotice: ({ message }) => notices.push(message ?? ''),
    connection: {
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
      jit: 'off',
      synchronous_commit: 'off',
    } as Record<string, string>,
  });
  const db = drizzle(sql);
  const authentic = authenticClients(macs);
  const store = interactionStore(db, databaseClock, macs, authentic);
  const chains = grantStore(db, databaseClock, authentic);

  const browsers = await insertBrowsers(db, rows);
  const cookies = browsers.map(({ cookie }) => sha256(/statehouse-session=(.*)$/.exec(cookie)?.[1] ?? ''));
  const requests: LoadedRequest[] = [];
  for (const sessionIdHash of cookies) requests.push(await store.loadRequest({ clientId: CLIENT_ID, sessionIdHash }));
  const heads = await headsOf(await insertGrants(db, rows), chains);

  const approve = async (event: 'requested' | 'accountChosen') => {
    for (const request of requests) {
      const { client, session } = request;
      if (!client || !session) throw new Error('no session');
      const begun = begunInteraction(newInteraction(client.epoch), { ...request, client }, session);
      const outcome = await interactFrom(policy(store), { ...begun, now: new Date() }, event, session);
      if (outcome.kind !== 'approved') throw new Error(`not approved: ${outcome.kind}`);
    }
  };

  return {
    sql,
    notices,
    approve: () => approve('requested'),
    approveWithPage: () => approve('accountChosen'),
    rotate: async () => {
      for (const [index, head] of heads.entries()) heads[index] = await rotated(chains, head);
    },
    close: () => sql.end(),
  };
}

const newInteraction = (clientEpoch: bigint) => ({
  ...{ id: randomUUID(), browserHash: randomBytes(32), clientId: CLIENT_ID, clientEpoch },
  ...{ redirectUri: REDIRECT_URI, dpopJkt: null, codeChallenge: CHALLENGE, scope: SCOPE, resources: [RESOURCE] },
  ...{ requestState: 'xyz', nonce: null, prompt: [], maxAgeSeconds: null, requiredClass: null, hintedUserId: null },
  ...{ loginHint: null, uiLocales: [], responseMode: 'query' as const, lifetimeSeconds: 1800 },
});

const policy = (store: InteractionPorts['store']): InteractionPorts => ({
  store,
  sleep: async () => {},
  sessionNow: async (session) => session,
  makeCode: (grantId) => authorizationCodeOf(keys, grantId),
  remakeCode: () => null,
  lifetimesOf: () => LIFETIMES,
  sessionEndsAt: () => Date.now() + DAY_MILLISECONDS,
  isStillRegistered: () => true,
  grantableBy: (_, { scope }) => scope,
  levelOf: () => 0,
  requiredLevelOf: () => 0,
});

async function headsOf(codes: readonly string[], { load }: GrantStore): Promise<Grant[]> {
  const heads: Grant[] = [];
  for (const code of codes) {
    const { grant } = await load({ clientId: CLIENT_ID, grantId: readAuthorizationCode(code)?.grantId ?? '' });
    if (grant === null) throw new Error('no grant');
    heads.push(grant);
  }
  return heads;
}

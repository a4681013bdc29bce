/**
 * A scenario's stage on the real server: HTTP in front, a real database behind, and the clock of the tests. What cannot be done
 * over HTTP (who commits first, a crash, a lost answer) is done to the store that the server is given.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { AppDeps } from '../../../../src/boot/wiring.ts';
import { StoreUnavailable } from '../../../../src/engine/errors.ts';
import { classNamed } from '../../../../src/oauth/authentication-methods.ts';
import { REFUSALS, type TokenReason } from '../../../../src/oauth/refusals.ts';
import { signsInAsAsked } from '../../../../src/review/simulation/people/enter.ts';
import type { Actor, Fate, Level, Resource, Scenario } from '../../../../src/review/simulation/scenario.ts';
import type { Answer, Stage, UnderWay } from '../../../../src/review/simulation/stage.ts';
import { grants } from '../../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../../src/storage/server.ts';
import { authorizeUrl, makeClient, makePkce, makeUser, type TestClient } from '../../../support/actors.ts';
import { deleteClient, disableUser, enableUser, saveClient } from '../../../support/administration.ts';
import { shippedConfiguration } from '../../../support/app.ts';
import { formOf } from '../../../support/browser.ts';
import { testClock } from '../../../support/clock.ts';
import type { DatabaseKind } from '../../../support/database.ts';
import { keptMails, type Mails } from '../../../support/mails.ts';
import { openScene, type Scene } from '../../../support/scene.ts';
import { grantIdOfCode, type StoredGrant, storedGrant } from '../../../support/stored.ts';
import { knowing, upstreamOf } from '../../../support/upstream.ts';
import { type Elsewhere, openElsewhere } from './elsewhere.ts';
import { missingOn, type ServerThing, serverPeople } from './server-people.ts';

const API = { api: 'https://api.test', files: 'https://files.test' } as const;
const scopes = [
  { name: 'read', description: 'see your data' },
  { name: 'write', description: 'change your data' },
];
const resources = [
  { identifier: API.api, name: 'API', default: true, scopes },
  { identifier: API.files, name: 'Files', scopes },
];

/** One request on its way through the server. */
type Way = {
  readonly fate: Fate | null;
  met: boolean;
  away: boolean;
  loaded: () => void;
  /** Held here, after its first load. */
  readonly released: Promise<void>;
};
const ways = new AsyncLocalStorage<Way>();

class Crashed extends Error {}

/** The store as one request finds it; every other request finds it whole. */
function heldAndUnreliable(deps: AppDeps): AppDeps {
  const { store } = deps;
  const committing = async (carryOut: () => Promise<boolean>): Promise<boolean> => {
    const way = ways.getStore();
    if (!way || way.met) return carryOut();
    way.met = true;
    switch (way.fate) {
      case 'crash before commit':
        throw new Crashed();
      case 'crash after commit':
        await carryOut();
        throw new Crashed();
      case 'database away':
        throw new StoreUnavailable(false);
      case 'commit lost':
        throw new StoreUnavailable(true);
      case 'commit answer lost':
      case 'commit unknown':
        await carryOut();
        way.away = way.fate === 'commit unknown';
        throw new StoreUnavailable(true);
      default:
        return carryOut();
    }
  };
  return {
    ...deps,
    sleep: () => Promise.resolve(),
    store: {
      ...store,
      load: async (key) => {
        const way = ways.getStore();
        if (way?.away) throw new StoreUnavailable(false);
        const loaded = await store.load(key);
        way?.loaded();
        await way?.released;
        return loaded;
      },
      commit: (commit) => committing(() => store.commit(commit)),
    },
  };
}

/** A code or a token; or what a person has. */
type Credential = string | ServerThing;

export type Server = {
  /** A fresh client and person each time, under the policies of the scenario. */
  readonly stageFor: (scenario: Scenario) => Promise<Stage<Credential>>;
  readonly scene: Scene;
  readonly close: () => Promise<void>;
};

export async function openServer(kind: DatabaseKind): Promise<Server> {
  const policies = new Map(shippedConfiguration.policies);
  const clock = testClock();
  const mails = keptMails();
  const elsewhere = await openElsewhere(clock);
  const { issuer, clientId, clientSecret } = elsewhere;
  let { signIn } = shippedConfiguration;
  const scene = await openScene(kind, {
    clock,
    mail: mails,
    configuration: {
      ...shippedConfiguration,
      policies,
      resources,
      upstreams: [upstreamOf({ issuer, client_id: clientId, createUsers: false })],
    },
    reloaded: () => ({ signIn }),
    environmentVariable: knowing(clientSecret),
    change: heldAndUnreliable,
  });
  mails.of(scene);
  let serial = 0;
  const stageFor = async (scenario: Scenario) => {
    const { name: _, ...lifetimes } = scenario.lifetimes;
    policies.set('scenario', { ...shippedConfiguration.policies.get('default'), ...lifetimes });
    signIn = { ...shippedConfiguration.signIn, ...scenario.signIn };
    return serverStage(scene, { elsewhere, mails, address: `198.51.100.${++serial}` }, lifetimes);
  };
  const close = async () => {
    await scene.close();
    await elsewhere.close();
  };
  return { stageFor, scene, close };
}

type Lifetimes = Omit<Scenario['lifetimes'], 'name'>;

/** Authenticator apps show another code each 30 seconds: every scenario begins with a new one, as in memory. */
const CODE_MILLISECONDS = 30_000;

async function serverStage(
  scene: Scene,
  { elsewhere, mails, address }: { readonly elsewhere: Elsewhere; readonly mails: Mails; readonly address: string },
  lifetimes: Lifetimes,
): Promise<Stage<Credential>> {
  const client = await makeClient(scene, { policy: 'scenario' });
  const other = await makeClient(scene);
  const user = await makeUser(scene, undefined, { email: `${randomUUID()}@example.com`, email_verified: true });
  const pkce = makePkce();
  const db = scene.database.drizzle;
  scene.clock.set(new Date((Math.floor(scene.clock.now().getTime() / CODE_MILLISECONDS) + 1) * CODE_MILLISECONDS));
  const began = scene.clock.now().getTime();
  const authorize = (scope: readonly string[], granted: readonly Resource[], level: Level | null = null) =>
    `${authorizeUrl(client, pkce, { scope: scope.join(' '), acr_values: level ? classNamed(level) : undefined })}${granted.map((one) => `&resource=${encodeURIComponent(API[one])}`).join('')}`;
  const people = serverPeople(scene, elsewhere, user, {
    address,
    consentPage: authorize(['read', 'write'], ['api']),
    mails,
  });
  let grantId: string | null = null;
  const row = () => storedGrant(db, grantId ?? '');
  const clientOf = ({ name }: Actor) => (name === 'another client' ? other : client);

  const post = (by: TestClient, url: string, form: [string, string][]) => {
    const credentials = Buffer.from(`${by.clientId}:${by.secret}`).toString('base64');
    return scene.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${credentials}` },
      payload: new URLSearchParams(form).toString(),
    });
  };

  return {
    now: () => scene.clock.now().getTime() - began,
    setNow: (milliseconds) => scene.clock.set(new Date(began + milliseconds)),
    endOf: async (end) => (grantId === null ? null : endOf(await row(), lifetimes, end, began)),
    approve: async (actor, { scope, resources: granted, level }) => {
      const browser = people.browserOf(actor);
      const opened = people.consentPages.get(browser);
      let page = opened ?? (await browser.get(authorize(scope, granted, level)));
      // Without a name for the browser, a sign-in in it is no step of its own.
      if (signsInAsAsked(actor) && page.body.includes('name="password"'))
        page = await people.typePassword(browser, page);
      if (!page.body.includes('name="decision"')) return { kind: 'refused', reason: missingOn(page) };
      const begun = scene.logs().length;
      const { url } = await browser.submit(page, { decision: 'approve' });
      const code = URL.canParse(url) ? new URL(url).searchParams.get('code') : null;
      if (code === null) return { kind: 'refused', reason: await people.reasonSince(actor, begun) };
      grantId = grantIdOfCode(code);
      people.consentPages.delete(browser);
      return { kind: 'code', credential: code };
    },
    present: (actor, { credential, verifier, redirectUri, scope, resources: wanted }, fate) => {
      if (typeof credential !== 'string') throw new Error(`No client presents a ${credential.kind}.`);
      const isCode = credential.startsWith('sh_ac_');
      const sent = {
        right: [['redirect_uri', client.redirectUris[0] ?? '']],
        wrong: [['redirect_uri', `${client.redirectUris[0]}/elsewhere`]],
        none: [],
      }[redirectUri] as [string, string][];
      const form: [string, string][] = isCode
        ? [
            ['grant_type', 'authorization_code'],
            ['code', credential],
            ['code_verifier', verifier === 'right' ? pkce.verifier : makePkce().verifier],
            ...sent,
          ]
        : [
            ['grant_type', 'refresh_token'],
            ['refresh_token', credential],
            ...(scope ? ([['scope', scope.join(' ')]] as [string, string][]) : []),
          ];
      for (const one of wanted ?? []) form.push(['resource', API[one]]);
      return underWay(scene, fate, () => post(clientOf(actor), '/oauth/token', form));
    },
    revoke: async (actor, { credential }, fate) => {
      if (typeof credential === 'string')
        return underWay(scene, fate, () => post(clientOf(actor), '/oauth/revoke', [['token', credential]]));
      const browser = people.browserOf(actor);
      let page = await browser.get('/permissions');
      if (page.body.includes('name="password"')) page = await people.typePassword(browser, page);
      const csrf = page.body.includes('name="csrf"') ? formOf(page.body).fields['csrf'] : undefined;
      return underWay(scene, fate, async () => {
        const { status, body } = await browser.send(
          'POST',
          '/permissions/end',
          new URLSearchParams({ csrf: csrf ?? '', client_id: client.clientId }).toString(),
        );
        // The page answers with a redirect, or with a form for whoever may not ask.
        return { statusCode: status === 303 || status === 403 ? 200 : status, body };
      });
    },
    operate: async (deed) => {
      const { secret: _, ...registration } = client;
      switch (deed) {
        case 'disable the resource owner':
          return void (await disableUser(db, user.username));
        case 'enable the resource owner':
          return void (await enableUser(db, user.username));
        case 'delete the client':
          return void (await deleteClient(db, client.clientId));
        case 'register the client again':
          return void (await saveClient(db, registration));
        case 'recover':
          return void (await raiseServerEpoch(db));
      }
    },
    act: (actor, action, thing) => people.act(actor, action, typeof thing === 'string' ? null : thing),
    session: people.session,
    // As the views say it to people (drizzle/0000_baseline.sql), which know nothing of the engine.
    chain: async () => {
      if (grantId === null) return null;
      const [view] = await db
        .select({
          alive: sql<boolean>`gs.state = 'active' and coalesce(gs.chain_ends_at, gs.code_ends_at) > ${scene.clock.now().toISOString()}::timestamptz`,
          reason: sql<string | null>`gs.reason`,
        })
        .from(grants)
        .innerJoin(sql`grant_states gs`, sql`gs.grant_id = ${grants.id}`)
        .where(eq(grants.id, grantId));
      if (!view) throw new Error('no such grant');
      return { alive: view.alive, reason: view.alive ? null : (view.reason ?? 'expired') };
    },
  };
}

/** From the row and the policy alone. */
function endOf(
  row: StoredGrant,
  lifetimes: Lifetimes,
  end: 'code' | 'idle' | 'absolute',
  began: number,
): number | null {
  const created = row.createdAt.getTime() - began;
  if (end === 'code') return created + lifetimes.authorizationCodeLifetimeSeconds * 1000;
  if (row.lastUsedAt === null) return null;
  if (end === 'absolute') return created + lifetimes.refreshAbsoluteLifetimeSeconds * 1000;
  return row.lastUsedAt.getTime() - began + lifetimes.refreshIdleLifetimeSeconds * 1000;
}

type Reply = { readonly statusCode: number; readonly body: string };

async function underWay(scene: Scene, fate: Fate | null, ask: () => Promise<Reply>): Promise<UnderWay<string>> {
  let loaded = () => {};
  let release = () => {};
  const hasLoaded = new Promise<void>((resolve) => {
    loaded = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const way: Way = { fate, met: false, away: false, loaded, released };
  // Awaited inside: an injected request begins when somebody waits for it.
  const begun = scene.logs().length;
  const reply = ways.run(way, async () => await ask());
  // What loads nothing is answered at once.
  const isWaiting = await Promise.race([hasLoaded.then(() => true), reply.then(() => false)]);
  return {
    statements: [],
    finish: async () => {
      const before = isWaiting ? scene.logs().length : begun;
      release();
      const answered = await reply;
      return { statements: [], answer: answerOf(answered, scene.logs().slice(before)) };
    },
  };
}

function answerOf({ statusCode, body }: Reply, logs: string): Answer<string> {
  const reasons = logs
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    // A page's failure is logged as the error that it was.
    .flatMap(({ reason, err }): unknown[] => reason ?? err?.message ?? []);
  const reason = String(reasons.at(-1) ?? 'nothing in the log');
  if (statusCode >= 500) return { kind: 'unavailable', reason };
  if (statusCode >= 400) {
    const { error } = JSON.parse(body);
    const refusal = REFUSALS[reason as TokenReason];
    const isSame = refusal?.status === statusCode && refusal.error === error;
    return { kind: 'refused', reason: isSame ? reason : `${statusCode} ${error}, though the log says ${reason}` };
  }
  const token = body.startsWith('{') ? JSON.parse(body).refresh_token : undefined;
  return token === undefined ? { kind: 'done' } : { kind: 'tokens', credential: token };
}

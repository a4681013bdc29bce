/**
 * Clients that register themselves, in every order of registrations, changes, deletions, sign-ins, rotations and passing time. An ended
 * registration authenticates nothing. A token manages its own client alone. The metadata of a response are those of the row. No order
 * exceeds the bounds of the rules. A change of redirect URIs or scope neither ends a chain nor widens it.
 */
import { fc } from '@fast-check/vitest';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { housekeeper } from '../../src/storage/housekeeping.ts';
import { clientRegistrations } from '../../src/storage/schema.ts';
import { authorizeUrl, exchange, goThrough, makePkce, refresh, type TestClient } from '../support/actors.ts';
import { Browser } from '../support/browser.ts';
import {
  acceptingRegistrations,
  manage,
  metadataOf,
  type Registered,
  register,
} from '../support/client-registrations.ts';
import { testClock } from '../support/clock.ts';
import { openIntroductionScene } from '../support/introduced-clients.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Of policies/native-app.policy.yaml. */
const IDLE_SECONDS = 60 * DAY;
const LONGER_THAN_ANY_CHAIN = IDLE_SECONDS + DAY;
const UNUSED_DAYS = 10;
const PER_HOUR = 2;
const MOST = 4;

const URIS = ['https://agent.example/callback', 'https://agent.example/other', 'https://moved.example/callback'];
const SCOPES = ['read offline_access', 'openid read offline_access'];
const METHODS = ['none', 'client_secret_basic'] as const;

/** Another redirect URI and another scope each time: the order of the list is the order of the metadata. */
const metadata = fc.record({
  redirect_uris: fc.shuffledSubarray(URIS, { minLength: 1 }),
  scope: fc.constantFrom(...SCOPES),
  token_endpoint_auth_method: fc.constantFrom(...METHODS),
  client_name: fc.constantFrom('Agent', 'Another name'),
});
const which = fc.nat({ max: 3 });
const command = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('register' as const),
      metadata,
      address: fc.constantFrom('192.0.2.7', '198.51.100.9'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('read' as const), which, by: which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('change' as const), which, by: which, metadata }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), which, by: which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sign in' as const),
      which,
      uri: fc.constantFrom(...URIS),
      scope: fc.constantFrom(...SCOPES),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('rotate' as const), which }) },
  // A second more, so that nothing ends at the instant at which it is used.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      seconds: fc.constantFrom(HOUR + 1, DAY + 1, 9 * DAY + 1, LONGER_THAN_ANY_CHAIN),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never;
const [first, second] = ['192.0.2.7', '198.51.100.9'] as const;
const SENT = {
  redirect_uris: URIS.slice(0, 2),
  scope: 'openid read offline_access',
  token_endpoint_auth_method: 'client_secret_basic',
  client_name: 'Agent',
} as const;
/** Each outcome at least once. */
const EXAMPLE: Command[] = [
  { kind: 'register', metadata: SENT, address: first },
  { kind: 'sign in', which: 0, uri: URIS[1] ?? '', scope: SENT.scope },
  { kind: 'rotate', which: 0 },
  {
    kind: 'change',
    which: 0,
    by: 0,
    metadata: { ...SENT, redirect_uris: URIS.slice(2), scope: 'read offline_access' },
  },
  { kind: 'rotate', which: 0 },
  { kind: 'sign in', which: 0, uri: URIS[1] ?? '', scope: 'read offline_access' },
  { kind: 'change', which: 0, by: 0, metadata: { ...SENT, token_endpoint_auth_method: 'none' } },
  { kind: 'change', which: 0, by: 0, metadata: SENT },
  { kind: 'register', metadata: SENT, address: first },
  { kind: 'change', which: 0, by: 1, metadata: SENT },
  { kind: 'register', metadata: SENT, address: first },
  { kind: 'register', metadata: SENT, address: second },
  { kind: 'delete', which: 2, by: 2 },
  { kind: 'wait', seconds: HOUR + 1 },
  { kind: 'register', metadata: SENT, address: first },
  { kind: 'register', metadata: SENT, address: first },
  { kind: 'register', metadata: SENT, address: second },
  { kind: 'register', metadata: SENT, address: second },
  { kind: 'wait', seconds: LONGER_THAN_ANY_CHAIN },
  { kind: 'rotate', which: 0 },
];
type Metadata = typeof metadata extends fc.Arbitrary<infer One> ? One : never;

type Chain = { token: string; readonly scope: string; usedAt: number };
type Known = {
  readonly registered: Registered;
  secret: string | null;
  now: Metadata;
  /** Null: the client deleted itself, or housekeeping removed it. */
  unusedUntil: number | null;
  chains: Chain[];
};

/** @param key an address that registers, or a client that changes itself. @returns how often it has tried in this hour. */
function attemptOf(attempts: Map<string, number>, key: string): number {
  const attempt = (attempts.get(key) ?? 0) + 1;
  attempts.set(key, attempt);
  return attempt;
}

const both = (one: string, other: string) => one.split(' ').filter((name) => other.split(' ').includes(name));

it('registrations stay within their rules, and their chains end by nothing but a deletion or time', async () => {
  // Housekeeping removes no row whose end is in the future of the database, so the test is in its past.
  const clock = testClock(new Date('2001-01-01T00:00:00.000Z'));
  const rules = { registrationsPerHour: PER_HOUR, unusedDays: UNUSED_DAYS };
  const scene = await openIntroductionScene({ clock, configuration: acceptingRegistrations(rules) });
  await scene.db.execute(sql`alter table clients alter column created_at set default '2000-01-01'`);
  const now = () => clock.now().getTime() / 1000;
  const storedIds = async () => (await scene.db.select().from(clientRegistrations)).map(({ clientId }) => clientId);
  const seen = new Set<string>();

  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 12, maxLength: 20 }), async (commands) => {
      clock.advanceSeconds(LONGER_THAN_ANY_CHAIN);
      for (let round = 0; round < 3; round++) await housekeeper(scene.db, clock).cleanUp();
      const most = (await storedIds()).length + MOST;
      scene.reloadRules(acceptingRegistrations({ ...rules, maxRegistrations: most }));
      const all: Known[] = [];
      const attempts = new Map<string, number>();
      for (const one of commands) {
        await follow(one, all, attempts, most);
        expect((await storedIds()).length).toBeLessThanOrEqual(most);
        for (const known of all) await isAsKnown(known);
      }
      for (const known of all) for (const chain of known.chains) await rotate(known, chain);
    }),
    { numRuns: 20, examples: [[EXAMPLE]] },
  );
  // Otherwise the property says little.
  for (const outcome of [
    '201',
    '429',
    '503',
    'changed',
    'changed too often',
    'weaker',
    'another token',
    'deleted',
    'removed',
    'code',
    'no redirect',
    'rotated',
    'rotated narrower',
    'rotated after a change of URIs',
    'rejected',
  ])
    expect(seen, outcome).toContain(outcome);

  async function follow(one: Command, all: Known[], attempts: Map<string, number>, most: number): Promise<void> {
    if (one.kind === 'register') return introduce(one, all, attempts, most);
    if (one.kind === 'wait') return wait(one.seconds, all, attempts);
    const known = all[one.which % Math.max(1, all.length)];
    if (known === undefined) return;
    if (one.kind === 'sign in') return signIn(known, one.uri, one.scope);
    if (one.kind === 'rotate') {
      const chain = known.chains.at(-1);
      return chain && rotate(known, chain);
    }
    const by = all[one.by % all.length] ?? known;
    const token = by.registered.json.registration_access_token;
    const isRight = by === known && known.unusedUntil !== null;
    if (by !== known) seen.add('another token');
    if (one.kind === 'read') {
      const { status } = await manage(scene, known.registered, {}, token);
      expect(status).toBe(isRight ? 200 : 401);
    } else if (one.kind === 'delete') {
      const { status } = await manage(scene, known.registered, { method: 'DELETE' }, token);
      expect(status).toBe(isRight ? 204 : 401);
      if (!isRight) return;
      known.unusedUntil = null;
      seen.add('deleted');
    } else {
      const payload = { ...metadataOf(one.metadata), client_id: known.registered.json.client_id };
      const { status, json } = await manage(scene, known.registered, { method: 'PUT', payload }, token);
      const isWeaker = one.metadata.token_endpoint_auth_method === 'none' && known.secret !== null;
      // A wrong token uses up no change.
      const isTooMany = isRight && attemptOf(attempts, known.registered.json.client_id) > PER_HOUR;
      const whereRight = isTooMany ? 429 : isWeaker ? 400 : 200;
      expect(status).toBe(isRight ? whereRight : 401);
      if (isRight) seen.add(isTooMany ? 'changed too often' : isWeaker ? 'weaker' : 'changed');
      if (status !== 200) return;
      expect(json).toMatchObject({ ...one.metadata, client_name: json['client_name'] });
      expect(json.client_secret !== undefined).toBe(
        known.secret === null && one.metadata.token_endpoint_auth_method !== 'none',
      );
      known.secret ??= json.client_secret ?? null;
      known.now = one.metadata;
    }
  }

  async function introduce(
    { metadata: sent, address }: Extract<Command, { kind: 'register' }>,
    all: Known[],
    attempts: Map<string, number>,
    most: number,
  ): Promise<void> {
    const attempt = attemptOf(attempts, address);
    const before = (await storedIds()).length;
    const registered = await register(scene, sent, { remoteAddress: address });
    const tooMany = before >= most ? 503 : 201;
    expect(registered.status).toBe(attempt > PER_HOUR ? 429 : tooMany);
    seen.add(String(registered.status));
    if (registered.status !== 201) return;
    expect(registered.json).toMatchObject({ ...sent, client_name: registered.json['client_name'] });
    const secret = registered.json.client_secret ?? null;
    expect(secret === null).toBe(sent.token_endpoint_auth_method === 'none');
    all.push({ registered, secret, now: sent, unusedUntil: now() + UNUSED_DAYS * DAY, chains: [] });
  }

  async function wait(seconds: number, all: readonly Known[], attempts: Map<string, number>): Promise<void> {
    clock.advanceSeconds(seconds);
    attempts.clear();
    for (let round = 0; round < 3; round++) await housekeeper(scene.db, clock).cleanUp();
    const ids = await storedIds();
    for (const known of all) {
      if (known.unusedUntil === null || ids.includes(known.registered.json.client_id)) continue;
      // Neither before its end, nor while it has a chain.
      expect(known.unusedUntil).toBeLessThan(now());
      expect(known.chains.filter(isInTime)).toEqual([]);
      known.unusedUntil = null;
      seen.add('removed');
    }
  }

  /** The row and the answer to the client are the metadata that the client sent last. */
  async function isAsKnown({ registered, now: sent, unusedUntil }: Known): Promise<void> {
    const { status, json } = await manage(scene, registered);
    expect(status).toBe(unusedUntil === null ? 401 : 200);
    if (unusedUntil === null) return;
    const { client_name: name, scope, redirect_uris: uris, ...rest } = sent;
    expect(json).toMatchObject({ redirect_uris: uris, ...rest });
    expect(json['client_name']).toMatch(new RegExp(`^${name} \\(`));
    expect(both(String(json['scope']), scope)).toHaveLength(scope.split(' ').length);
    const row = await scene.storedClient(registered.json.client_id);
    expect(row).toMatchObject({
      clientName: json['client_name'],
      redirectUris: uris,
      scope: String(json['scope']).split(' '),
      tokenEndpointAuthMethod: rest.token_endpoint_auth_method,
      registeredBy: 'self',
      deletedAt: null,
    });
  }

  function isInTime({ usedAt }: Chain): boolean {
    return now() < usedAt + IDLE_SECONDS;
  }

  function clientFor({ registered, secret, now: { redirect_uris: redirectUris } }: Known): TestClient {
    const { client_id: clientId } = registered.json;
    return { clientId, secret, redirectUris } as object as TestClient;
  }

  async function signIn(known: Known, uri: string, scope: string): Promise<void> {
    const client = clientFor(known);
    const pkce = makePkce();
    const change = { redirect_uri: uri, scope };
    const { url, status } = await goThrough(new Browser(scene.app), authorizeUrl(client, pkce, change), scene.user);
    const code = url.startsWith(`${uri}?`) ? new URL(url).searchParams.get('code') : null;
    const mayAsk =
      known.unusedUntil !== null &&
      known.now.redirect_uris.includes(uri) &&
      both(scope, known.now.scope).length === scope.split(' ').length;
    expect(code !== null, `a code for ${JSON.stringify(known.now)}`).toBe(mayAsk);
    seen.add(mayAsk ? 'code' : 'no redirect');
    if (code === null) {
      expect(status).toBe(400);
      return;
    }
    const { json } = await exchange(scene, client, { code, verifier: pkce.verifier }, { redirect_uri: uri });
    expect(json.scope).toBe(scope);
    known.chains.push({ token: json.refresh_token ?? '', scope, usedAt: now() });
    known.unusedUntil = Math.max(known.unusedUntil ?? 0, now() + (UNUSED_DAYS - 1) * DAY);
  }

  async function rotate(known: Known, chain: Chain): Promise<void> {
    const { status, json } = await refresh(scene, clientFor(known), chain.token);
    const isServed = known.unusedUntil !== null && isInTime(chain);
    expect(status === 200, `${status} ${json.error_description}`).toBe(isServed);
    if (!isServed) {
      expect(json).not.toHaveProperty('access_token');
      seen.add('rejected');
      return;
    }
    const expected = both(chain.scope, known.now.scope);
    expect(json.scope?.split(' ')).toEqual(expected);
    seen.add(expected.join(' ') === chain.scope ? 'rotated' : 'rotated narrower');
    if (known.now.redirect_uris !== known.registered.json['redirect_uris']) seen.add('rotated after a change of URIs');
    chain.token = json.refresh_token ?? '';
    chain.usedAt = now();
  }
});

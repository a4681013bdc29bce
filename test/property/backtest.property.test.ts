/**
 * The numbers of a backtest are those of a real run. Random events run on a server under the old configuration. A second
 * server runs the accepted events at the same instants, under the draft from the beginning of the period on. The backtest
 * of the first has the numbers of the second. For the present, it has those of the first once the draft is in force there.
 */
import { fc } from '@fast-check/vitest';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeclaredClientRecord } from '../../policies/client-schema.ts';
import type { Policy } from '../../policies/schema.ts';
import { type BacktestDocument, backtest } from '../../src/backtest/backtest.ts';
import { livingUnder } from '../../src/backtest/living.ts';
import { replay } from '../../src/backtest/replay.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { writeRefreshToken } from '../../src/crypto/refresh-token.ts';
import { rowMacs } from '../../src/crypto/row-mac.ts';
import { fromNames } from '../../src/registration/client-metadata.ts';
import { authenticClients } from '../../src/storage/authentic-clients.ts';
import { grantStore } from '../../src/storage/grant-store.ts';
import { grants } from '../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../src/storage/server.ts';
import { exchange, makeClient, refresh, type TestClient, type TokenAnswer } from '../support/actors.ts';
import { saveClient } from '../support/administration.ts';
import { shippedConfiguration } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { anyDatabase } from '../support/database.ts';
import { type Code, openScene, type Scene } from '../support/scene.ts';
import { introspect, revoke } from '../support/sent-token.ts';
import { grantIdOfCode, storedGrant } from '../support/stored.ts';
import { unheld } from '../support/unheld.ts';

const POLICY_NAMES = ['one', 'two'] as const;
type PolicyName = (typeof POLICY_NAMES)[number];

/** @param most seconds of a chain. */
const policiesUpTo = (most: number): fc.Arbitrary<Policy> =>
  fc
    .record({
      code: fc.integer({ min: 10, max: 600 }),
      one: fc.integer({ min: 300, max: most }),
      other: fc.integer({ min: 300, max: 2 * most }),
      offline: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
    })
    .map(({ code, one, other, offline }) => ({
      accessTokenLifetimeSeconds: 900,
      authorizationCodeLifetimeSeconds: code,
      refreshIdleLifetimeSeconds: Math.min(one, other),
      refreshAbsoluteLifetimeSeconds: Math.max(one, other),
      ...(offline && { refreshTokensNeedOfflineAccess: true }),
    }));
const bothOf = (policies: fc.Arbitrary<Policy>) => fc.record({ one: policies, two: policies });
const bothPolicies = bothOf(policiesUpTo(6000));
/** Mostly shorter ones. */
const otherPolicies = bothOf(fc.oneof(policiesUpTo(1200), policiesUpTo(6000)));
type Policies = Readonly<Record<PolicyName, Policy>>;

/** The entry of the first client in clients.yaml of the draft. */
const declarations: fc.Arbitrary<Partial<DeclaredClientRecord> | null> = fc.oneof<
  fc.MaybeWeightedArbitrary<Partial<DeclaredClientRecord> | null>[]
>(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.constant({ scope: 'read' }),
  fc.constant({ grant_types: ['authorization_code'] }),
  fc.constant({ policy: 'two' }),
);

const drafts = fc.record({
  policies: otherPolicies,
  /** The scope that the draft's resources.yaml no longer has. */
  without: fc.constantFrom(null, null, 'read', 'write'),
  declared: declarations,
});
type Draft = {
  readonly policies: Policies;
  readonly without: string | null;
  readonly declared: Partial<DeclaredClientRecord> | null;
};

const SCOPES = [undefined, 'read', 'write', 'openid offline_access write'] as const;
/** Mostly refreshes: a chain that ends immediately tests little. */
const events = fc.array(
  fc.record({
    gapSeconds: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 900 })),
    does: fc.oneof(
      { weight: 4, arbitrary: fc.constant('begin' as const) },
      { weight: 2, arbitrary: fc.constantFrom('approve' as const, 'exchange' as const) },
      { weight: 9, arbitrary: fc.constant('refresh' as const) },
      { weight: 1, arbitrary: fc.constantFrom('revoke' as const, 'reuse' as const) },
    ),
    pick: fc.nat(),
    client: fc.constantFrom(0, 1),
    scope: fc.constantFrom(...SCOPES),
  }),
  { minLength: 6, maxLength: 30 },
);
type Event = (typeof events extends fc.Arbitrary<infer List> ? List : never) extends readonly (infer One)[]
  ? One
  : never;

const configurationOf = ({ policies, without, declared }: Draft, clientId: string): Configuration => ({
  ...shippedConfiguration,
  policies: new Map([...shippedConfiguration.policies, ...Object.entries(policies)]),
  resources: shippedConfiguration.resources.map((resource) => ({
    ...resource,
    scopes: resource.scopes.filter(({ name }) => name !== without),
  })),
  hasClientsFile: declared !== null,
  declaredClients: declared
    ? [{ record: { ...RECORD, client_id: clientId, ...declared }, path: 'clients.0', lineOf: () => null }]
    : [],
});

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;
const RECORD: Partial<DeclaredClientRecord> = { policy: 'one', grant_types: [...GRANT_TYPES] };

/** A grant of a run. `refused`: nothing more of it counts as presented. */
type Chain = { client: number; code: Code; tokens: string[]; refused: boolean };

/** An event with the chain that it is about. */
type Accepted = {
  readonly at: Date;
  readonly does: Event['does'];
  readonly chain: number;
  readonly client: number;
  readonly scope: Event['scope'];
  readonly token: number;
};

type World = {
  readonly scene: Scene;
  configuration: Configuration;
};

async function openWorld(): Promise<World> {
  const world: { scene: Scene | null; configuration: Configuration } = {
    scene: null,
    configuration: shippedConfiguration,
  };
  world.scene = await openScene(anyDatabase, {
    clock: testClock(START),
    change: (deps) => ({ ...deps, configuration: () => world.configuration }),
  });
  return world as World;
}

/** Later than the clock of the database, which the entries of administration have: so the ledger is in the order of time. */
const START = new Date('2030-01-01T00:00:00.000Z');
/** As housekeeping, which removes only what has ended by the clock of the database. */
const removeEnded = ({ database, clock }: Scene): Promise<unknown> =>
  unheld(database.drizzle, (db) =>
    db
      .delete(grants)
      .where(
        sql`coalesce(${grants.chainEndsAt}, ${grants.codeEndsAt}) < ${clock.now().toISOString()}::timestamptz - interval '1 hour'`,
      ),
  );

const newCounts = () => ({ total: 0, refused: 0, following: 0, reasons: {} as Record<string, number> });
type Counts = ReturnType<typeof newCounts>;
const reject = (counts: Counts, reason: string) => {
  counts.refused++;
  counts.reasons[reason] = (counts.reasons[reason] ?? 0) + 1;
};

/** Where the draft lets an exchange give no refresh token: as it would be, so that the server says why it would refuse it. */
async function unsentToken({ database, keys }: Scene, { code: { code } }: Chain): Promise<string> {
  const { id, refreshGeneration, refreshNonce } = await storedGrant(database.drizzle, grantIdOfCode(code));
  if (refreshGeneration === null || refreshNonce === null) throw new Error('the code is not exchanged');
  return writeRefreshToken(keys, { grantId: id, generation: refreshGeneration, nonce: refreshNonce });
}

/** The precise reason of the last rejection, which the client does not see. */
const reasonIn = ({ logs }: Scene): string =>
  [
    ...logs()
      .slice(-20_000)
      .matchAll(/"reason":"(\w+)"/g),
  ].at(-1)?.[1] ?? '';

const sorted = (reasons: Readonly<Record<string, number>>) => Object.entries(reasons).sort();
const reasonsOf = (listed: readonly { readonly reason: string; readonly count: number }[]) =>
  listed.map(({ reason, count }): [string, number] => [reason, count]).sort();

describe('the numbers of a backtest are those of a real run', () => {
  let old: World;
  let drafted: World;
  let start = START.getTime();
  beforeAll(async () => {
    [old, drafted] = [await openWorld(), await openWorld()];
  });
  afterAll(async () => {
    await old.scene.close();
    await drafted.scene.close();
  });

  const clientsOf = async ({ scene }: World, ids: readonly string[]): Promise<TestClient[]> => [
    await makeClient(scene, { clientId: ids[0] ?? '', policy: 'one', grantTypes: [...GRANT_TYPES] }),
    await makeClient(scene, { clientId: ids[1] ?? '', policy: 'two', grantTypes: [...GRANT_TYPES] }),
  ];

  /** The draft comes into force, with the clients that it declares. */
  async function takeForce(world: World, draft: Draft, clients: TestClient[]): Promise<void> {
    const [first] = clients;
    if (!first) throw new Error('no client');
    world.configuration = configurationOf(draft, first.clientId);
    if (draft.declared === null) return;
    const { policy, scope, grantTypes } = fromNames({ ...RECORD, ...draft.declared });
    clients[0] = { ...first, policy, scope, grantTypes };
    await saveClient(world.scene.database.drizzle, clients[0]);
  }

  const depsOf = ({ scene: { database, clock, keys } }: World) => {
    const { loadClient } = grantStore(database.drizzle, clock, authenticClients(rowMacs(keys)));
    return {
      db: database.drizzle,
      clock,
      macs: rowMacs(keys),
      loadClient: async (clientId: string) => (await loadClient(clientId)).client,
      mayContinue: () => true,
    };
  };

  /** On the old server, at its clock. @returns the accepted events. */
  async function runOld(
    world: World,
    clients: readonly TestClient[],
    list: readonly Event[],
  ): Promise<{ accepted: Accepted[]; chains: Chain[]; times: Date[] }> {
    const { scene } = world;
    const chains: Chain[] = [];
    const accepted: Accepted[] = [];
    const times: Date[] = [];
    for (const { gapSeconds, does, pick, client, scope } of list) {
      scene.clock.advanceSeconds(gapSeconds);
      const at = scene.clock.now();
      times.push(at);
      const among = chains.filter(({ tokens }) =>
        does === 'exchange' ? tokens.length === 0 : tokens.length > (does === 'reuse' ? 1 : 0),
      );
      if (does === 'begin' || does === 'approve' || among.length === 0) {
        const by = clients[client] as TestClient;
        const chain: Chain = {
          client,
          code: await scene.code({ client: by, change: { scope } }),
          tokens: [],
          refused: false,
        };
        const about = { at, chain: chains.push(chain) - 1, client, scope, token: 0 };
        accepted.push({ ...about, does: 'approve' });
        if (does === 'approve') continue;
        const { json, status } = await exchange(scene, by, chain.code);
        if (json.refresh_token) chain.tokens.push(json.refresh_token);
        if (status === 200) accepted.push({ ...about, does: 'exchange' });
        continue;
      }
      const chain = among[pick % among.length] as Chain;
      const by = clients[chain.client] as TestClient;
      const token = does === 'reuse' ? pick % (chain.tokens.length - 1) : chain.tokens.length - 1;
      const event = { at, does, chain: chains.indexOf(chain), client: chain.client, scope, token };
      if (does === 'revoke') await revoke(scene, by, chain.tokens[token] ?? '');
      const answer = does === 'revoke' ? null : await presentIn(scene, by, chain, does, token);
      if (answer?.json.refresh_token) chain.tokens.push(answer.json.refresh_token);
      if (answer === null || answer.status === 200 || does === 'reuse') accepted.push(event);
    }
    return { accepted, chains, times };
  }

  const presentIn = (
    scene: Scene,
    by: TestClient,
    { code, tokens }: Chain,
    does: Event['does'],
    token: number,
  ): Promise<TokenAnswer> =>
    does === 'exchange' ? exchange(scene, by, code) : refresh(scene, by, tokens[token] ?? '');

  /** The accepted events on the second server, under the draft from the beginning of the period on. */
  async function runDrafted(
    world: World,
    clients: TestClient[],
    accepted: readonly Accepted[],
    from: Date,
    draft: Draft,
  ) {
    const { scene } = world;
    const chains: Chain[] = [];
    const counts = { refreshes: newCounts(), exchanges: newCounts() };
    let inForce = false;
    for (const { at, does, chain: index, client, scope, token } of accepted) {
      scene.clock.set(at);
      if (!inForce && at >= from) {
        inForce = true;
        await takeForce(world, draft, clients);
      }
      const by = clients[client] as TestClient;
      if (does === 'approve') {
        chains.push({ client, code: await approveIn(world, by, scope), tokens: [], refused: false });
        continue;
      }
      const chain = chains[index] as Chain;
      if (does === 'revoke') {
        if (!chain.refused) await revoke(scene, by, chain.tokens[token] ?? '');
        continue;
      }
      const counted = does === 'exchange' ? counts.exchanges : does === 'refresh' ? counts.refreshes : null;
      if (counted && inForce) counted.total++;
      if (chain.refused) {
        if (counted) counted.following++;
        continue;
      }
      const answer = await presentIn(scene, by, chain, does, token);
      if (answer.status === 200) chain.tokens.push(answer.json.refresh_token ?? (await unsentToken(scene, chain)));
      if (!counted || answer.status === 200) continue;
      chain.refused = true;
      reject(counted, reasonIn(scene));
    }
    return counts;
  }

  /** The end-user approved it then, whatever the draft would have asked. */
  async function approveIn(world: World, by: TestClient, scope: Event['scope']): Promise<Code> {
    const then = world.configuration;
    world.configuration = { ...shippedConfiguration, policies: then.policies };
    await saveClient(world.scene.database.drizzle, { ...by, scope: null, grantTypes: [...GRANT_TYPES] });
    const code = await world.scene.code({ client: by, change: { scope } });
    world.configuration = then;
    await saveClient(world.scene.database.drizzle, by);
    return code;
  }

  /** On the old server: which chains it would refresh, and which of those the draft refuses. */
  async function endNow(world: World, clients: TestClient[], chains: readonly Chain[], draft: Draft) {
    const counts = newCounts();
    const living: Chain[] = [];
    for (const chain of chains) {
      const token = chain.tokens.at(-1);
      if (token === undefined) continue;
      const { json } = await introspect(world.scene, clients[chain.client] as TestClient, token);
      if (json['active'] === true) living.push(chain);
    }
    await takeForce(world, draft, clients);
    for (const chain of living) {
      counts.total++;
      const answer = await refresh(world.scene, clients[chain.client] as TestClient, chain.tokens.at(-1) ?? '');
      if (answer.status !== 200) reject(counts, reasonIn(world.scene));
    }
    return counts;
  }

  let serial = 0;
  /** Both servers at a new day, without a living grant. */
  async function begin(configuration: Policies) {
    start += 86_400_000;
    const ids = [`backtested-${++serial}`, `backtested-${++serial}`];
    const before = { policies: configuration, without: null, declared: null };
    for (const world of [old, drafted]) {
      await raiseServerEpoch(world.scene.database.drizzle);
      world.scene.clock.set(new Date(start));
      world.configuration = configurationOf(before, ids[0] ?? '');
    }
    return { ids, inOld: await clientsOf(old, ids), inDrafted: await clientsOf(drafted, ids) };
  }

  const lengthOf = (from: Date) => old.scene.clock.now().getTime() - from.getTime();

  async function compare(
    {
      first,
      draft,
      list,
      split,
      rest,
      removes,
    }: { first: Policies; draft: Draft; list: readonly Event[]; split: number; rest: number; removes: boolean },
    check: (numbers: BacktestDocument) => void = () => {},
  ): Promise<void> {
    const { ids, inOld, inDrafted } = await begin(first);
    const { accepted, chains, times } = await runOld(old, inOld, list);
    // In the first half: later, no chain has time to end.
    const from = times[split % Math.ceil(times.length / 2)] as Date;
    old.scene.clock.set(new Date(old.scene.clock.now().getTime() + 1 + rest * 1000));
    if (removes) await removeEnded(old.scene);

    const sides = {
      before: { configuration: old.configuration },
      after: { configuration: configurationOf(draft, ids[0] ?? '') },
    };
    const numbers = await backtest(depsOf(old), sides, lengthOf(from));

    const real = await runDrafted(drafted, inDrafted, accepted, from, draft);
    for (const [counted, replayed] of [
      [real.refreshes, numbers.refreshes],
      [real.exchanges, numbers.code_exchanges],
    ] as const) {
      const { total, refused, following, refused_before: refusedBefore, by_reason: reasons } = replayed;
      expect({ total, refused, following, reasons: reasonsOf(reasons) }).toEqual({
        ...counted,
        reasons: sorted(counted.reasons),
      });
      // The server accepts the same requests again under the same configuration.
      expect(refusedBefore).toBe(0);
    }
    const now = await endNow(old, inOld, chains, draft);
    const { total, end_now: ended, by_reason: reasons } = numbers.living_chains;
    expect({ total, refused: ended, following: 0, reasons: reasonsOf(reasons) }).toEqual({
      ...now,
      reasons: sorted(now.reasons),
    });
    check(numbers);
  }

  const runs = fc.record({
    first: bothPolicies,
    draft: drafts,
    list: events,
    split: fc.nat(),
    rest: fc.integer({ min: 0, max: 900 }),
  });

  it('for any change of lifetimes, scopes and declared clients', async () => {
    let refused = 0;
    let ended = 0;
    await fc.assert(
      fc.asyncProperty(runs, (run) =>
        compare({ ...run, removes: false }, ({ refreshes, living_chains: living }) => {
          refused += refreshes.refused;
          ended += living.end_now;
        }),
      ),
      { numRuns: 40 },
    );
    // The property is about something.
    expect(Math.min(refused, ended)).toBeGreaterThan(5);
  });

  it('for lifetimes, also of grants whose rows were removed', async () => {
    let alone = 0;
    const lifetimes = fc
      .record({ first: bothPolicies, policies: otherPolicies, list: events, split: fc.nat() })
      .map(({ first, policies, ...run }) => ({
        ...run,
        first: withoutOffline(first),
        draft: { policies: withoutOffline(policies), without: null, declared: null },
        // Rows go an hour after the end of their chain.
        rest: 20_000,
      }));
    await fc.assert(
      fc.asyncProperty(lifetimes, (run) =>
        compare({ ...run, removes: true }, ({ not_replayed: words }) => {
          alone += words.some((one) => one.includes('rows were removed')) ? 1 : 0;
        }),
      ),
      { numRuns: 25 },
    );
    expect(alone).toBeGreaterThan(5);
  });

  it('the same numbers in walks over few grants at a time', async () => {
    await fc.assert(
      fc.asyncProperty(runs, fc.integer({ min: 1, max: 3 }), async ({ first, draft, list }, most) => {
        const { ids, inOld } = await begin(first);
        const { times } = await runOld(old, inOld, list);
        old.scene.clock.advanceSeconds(1);
        const sides = {
          before: { configuration: old.configuration },
          after: { configuration: configurationOf(draft, ids[0] ?? '') },
        };
        const period = { from: times[0] as Date, to: old.scene.clock.now() };
        expect(await replay(depsOf(old), sides, period, most)).toEqual(await replay(depsOf(old), sides, period));
      }),
      { numRuns: 15 },
    );
  });

  it('a removed client ends its chains, and a policy that the draft lacks is named', async () => {
    const calm = {
      accessTokenLifetimeSeconds: 900,
      authorizationCodeLifetimeSeconds: 60,
      refreshIdleLifetimeSeconds: 3600,
      refreshAbsoluteLifetimeSeconds: 3600,
    };
    const { ids, inOld } = await begin({ one: calm, two: calm });
    for (const client of inOld) await old.scene.chain({ client });
    const declared = configurationOf({ policies: { one: calm, two: calm }, without: null, declared: {} }, ids[0] ?? '');
    const after = { ...declared, declaredClients: [], policies: shippedConfiguration.policies };
    const { chains } = await livingUnder(
      depsOf(old),
      { before: { configuration: declared }, after: { configuration: after } },
      old.scene.clock.now(),
    );
    expect([...chains.reasons]).toEqual(
      expect.arrayContaining([
        ['client_unknown', 1],
        ['policy_missing', 1],
      ]),
    );
  });
});

const withoutOffline = ({ one, two }: Policies): Policies => {
  const { refreshTokensNeedOfflineAccess: _, ...first } = one;
  const { refreshTokensNeedOfflineAccess: __, ...second } = two;
  return { one: first, two: second };
};

import { describe, expect, test } from 'vitest';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { refreshTokenLifecycle, refreshTokenWouldIssue } from '../../../src/lifecycles/refresh-token/lifecycle.ts';
import type { AccessToday, Grant } from '../../../src/model/grant.ts';
import type { LedgerEntry } from '../../../src/model/ledger.ts';
import { CLIENT, chainGrant, codeGrant, LIFETIMES, NONCE, NOW, REDIRECT_URI, seconds } from './given.ts';
import { bench } from './presenting.ts';

describe('presenting an authorization code', () => {
  test('the first time, begins the chain and issues', async () => {
    const { store, presentCode, minted } = bench(codeGrant());
    const outcome = await presentCode();
    expect(outcome).toEqual({ kind: 'issued', issued: { generation: 0n, nonce: store.row.refreshNonce } });
    expect(store.row).toMatchObject({ state: 'active', refreshGeneration: 0n, chainEndsAt: seconds(1000) });
    expect(minted).toHaveLength(1);
    expect(store.ledger).toEqual([
      {
        machine: 'authorizationCode',
        event: 'presented',
        from: 'active',
        to: 'used',
        reason: null,
        generation: 0n,
        scopeWithheld: null,
      },
    ]);
  });

  test('a second time, ends the grant, with an entry of both machines', async () => {
    const { store, presentCode, minted } = bench(chainGrant());
    expect(await presentCode()).toEqual({ kind: 'rejected', reason: 'authorization_code_reused', revoked: true });
    expect(store.row).toMatchObject({ state: 'revoked', revokedReason: 'authorization_code_reused' });
    expect(minted).toEqual([]);
    expect(store.ledger.map(({ machine, from, to }) => [machine, from, to])).toEqual([
      ['authorizationCode', 'used', 'revoked'],
      ['grant', 'active', 'revoked'],
    ]);
  });

  test('used and expired, is still a reuse', async () => {
    const { store, presentCode } = bench(chainGrant());
    store.now = seconds(1_000_000);
    expect(await presentCode()).toMatchObject({ reason: 'authorization_code_reused', revoked: true });
  });

  test.each([
    ['by another client', { clientId: 'other' }, 'client_mismatch'],
    ['with another redirect URI', { redirectUri: `${REDIRECT_URI}/` }, 'redirect_uri_mismatch'],
    ['with another verifier', { challengeOfVerifier: 'other' }, 'code_verifier_mismatch'],
    ['without a verifier', { challengeOfVerifier: null }, 'code_verifier_mismatch'],
  ])('%s is rejected, and changes nothing, active, used or revoked', async (_, facts, reason) => {
    for (const row of [codeGrant(), chainGrant(), chainGrant({ state: 'revoked', revokedReason: 'x' })]) {
      const { store, presentCode } = bench(row);
      expect(await presentCode(facts)).toEqual({ kind: 'rejected', reason, revoked: false });
      expect(store.row).toEqual(row);
      expect(store.commits).toEqual([]);
    }
  });

  test('with a resource that was not granted is rejected, and stays valid', async () => {
    const { store, presentCode } = bench(codeGrant());
    const refused = { kind: 'rejected', reason: 'resource_exceeds_grant', revoked: false };
    expect(await presentCode({ resources: ['https://other.example'] })).toEqual(refused);
    expect(store.commits).toEqual([]);
    expect(await presentCode()).toMatchObject({ kind: 'issued' });
  });

  test('with an empty effective scope is rejected, and stays valid', async () => {
    const { store, presentCode } = bench(codeGrant(), { today: { scope: [] } });
    const refused = { kind: 'rejected', reason: 'grant_has_nothing_left', revoked: false };
    expect(await presentCode()).toEqual(refused);
    expect(store.commits).toEqual([]);
  });

  test('issues until its last millisecond, and not at its end', async () => {
    const early = bench(codeGrant());
    early.store.now = seconds(59.999);
    expect(await early.presentCode()).toMatchObject({ kind: 'issued' });
    const late = bench(codeGrant());
    late.store.now = seconds(60);
    expect(await late.presentCode()).toEqual({
      kind: 'rejected',
      reason: 'authorization_code_expired',
      revoked: false,
    });
    expect(late.store.commits).toEqual([]);
  });
});

describe('presenting a refresh token', () => {
  test('as the head rotates it, with a nonce for this request', async () => {
    const { store, presentToken } = bench(chainGrant());
    store.now = seconds(10);
    const outcome = await presentToken();
    expect(outcome).toEqual({ kind: 'issued', issued: { generation: 1n, nonce: store.row.refreshNonce } });
    expect(store.row.refreshNonce).not.toEqual(NONCE);
    expect(store.row).toMatchObject({ refreshGeneration: 1n, lastUsedAt: seconds(10), chainEndsAt: seconds(1010) });
  });

  test('one behind the head ends the chain', async () => {
    const { store, presentToken, minted } = bench(chainGrant({ refreshGeneration: 7n }));
    const outcome = await presentToken({ generation: 3n, nonce: NONCE });
    expect(outcome).toEqual({ kind: 'rejected', reason: 'refresh_token_reused', revoked: true });
    expect(store.row.state).toBe('revoked');
    expect(minted).toEqual([]);
  });

  test.each([
    ['a generation that the chain never reached', { generation: 9n, nonce: NONCE }],
    ["the head's generation with another nonce", { generation: 7n, nonce: new Uint8Array(16) }],
  ])('%s proves lost commits, and ends the chain', async (_, place) => {
    const { store, presentToken } = bench(chainGrant({ refreshGeneration: 7n }));
    expect(await presentToken(place)).toEqual({ kind: 'rejected', reason: 'chain_behind_token', revoked: true });
    expect(store.row).toMatchObject({ state: 'revoked', revokedReason: 'chain_behind_token' });
  });

  test('of a chain that was restored to before its exchange proves lost commits', async () => {
    const { presentToken } = bench(codeGrant());
    expect(await presentToken()).toEqual({ kind: 'rejected', reason: 'chain_behind_token', revoked: true });
  });

  test.each([
    ['after the idle end', {}, seconds(1000)],
    ['after the absolute end', { lastUsedAt: seconds(4900), chainEndsAt: seconds(5900) }, seconds(5000)],
    ['after the end that was stored, even where the policy would give more', { chainEndsAt: seconds(5) }, seconds(5)],
  ])('%s as the head is rejected, and changes nothing', async (_, change, now) => {
    const row = chainGrant(change);
    const { store, presentToken } = bench(row);
    store.now = now;
    expect(await presentToken()).toEqual({ kind: 'rejected', reason: 'refresh_token_expired', revoked: false });
    expect(store.row).toEqual(row);
    store.now = new Date(now.getTime() - 1);
    expect(await presentToken()).toMatchObject({ kind: 'issued' });
  });

  test('that was used ends the chain long after its end, too', async () => {
    const { store, presentToken } = bench(chainGrant({ refreshGeneration: 7n }));
    store.now = seconds(1_000_000);
    expect(await presentToken()).toMatchObject({ reason: 'refresh_token_reused', revoked: true });
  });

  test.each([
    ['another client', { clientId: 'other' }, 'client_mismatch'],
    ['more scope than was granted', { scope: ['read', 'admin'] }, 'scope_exceeds_grant'],
    ['a resource that was not granted', { resources: ['https://other.example'] }, 'resource_exceeds_grant'],
  ])('with %s is rejected, and stays valid', async (_, facts, reason) => {
    const { store, presentToken } = bench(chainGrant());
    expect(await presentToken(undefined, facts)).toEqual({ kind: 'rejected', reason, revoked: false });
    expect(store.commits).toEqual([]);
    expect(await presentToken()).toMatchObject({ kind: 'issued' });
  });

  test.each([
    ['its client may not refresh', { mayRefresh: false }, 'refresh_not_allowed'],
    ['nothing is left of what was granted', { scope: [] }, 'grant_has_nothing_left'],
  ])('while %s is rejected, not rotated; used before, it still ends the chain', async (_, today, reason) => {
    const { store, presentToken } = bench(chainGrant(), { today });
    expect(await presentToken()).toEqual({ kind: 'rejected', reason, revoked: false });
    expect(store.commits).toEqual([]);
    const used = bench(chainGrant({ refreshGeneration: 7n }), { today });
    expect(await used.presentToken()).toMatchObject({ reason: 'refresh_token_reused', revoked: true });
  });

  test('writes the withheld scopes into the ledger, and none where none is withheld', async () => {
    for (const [scope, withheld] of [
      [['read'], 'write'],
      [['read', 'write'], null],
    ] as const) {
      const { store, presentToken } = bench(chainGrant(), { today: { scope } });
      await presentToken();
      expect(store.commits).toMatchObject([{ entry: { scopeWithheld: withheld } }]);
    }
  });

  test.each([
    ['its client has moved on', { liveClientEpoch: 1n }, 'client_ended'],
    ['its client was deleted', { liveClientEpoch: null }, 'client_ended'],
    ['its person has moved on', { liveUserEpoch: 1n }, 'user_ended'],
    ['its person is disabled', { liveUserEpoch: null }, 'user_ended'],
    ['the server has moved on', { liveServerEpoch: 1n }, 'server_epoch_raised'],
    ['it was revoked', { state: 'revoked', revokedReason: 'revocation_requested' }, 'grant_revoked'],
  ] as const)('of a grant that ended since %s yields no token, nor does the code', async (_, change, reason) => {
    for (const row of [codeGrant(change), chainGrant(change)]) {
      const { store, presentCode, presentToken, minted } = bench(row);
      expect(await presentCode()).toEqual({ kind: 'rejected', reason, revoked: false });
      expect(await presentToken()).toEqual({ kind: 'rejected', reason, revoked: false });
      expect(store.commits).toEqual([]);
      expect(minted).toEqual([]);
    }
  });
});

describe('a new head', () => {
  const row = chainGrant();
  const head = { ...row, refreshGeneration: 1n, refreshNonce: NONCE, chainEndsAt: seconds(1000) };
  const entry = {
    machine: 'refreshToken',
    event: 'presented',
    from: 'active',
    to: 'used',
    reason: null,
    generation: 1n,
  };
  const facts = {
    now: seconds(5),
    policy: 'test',
    lifetimes: LIFETIMES,
    today: { scope: [], resources: [], mayRefresh: true },
    proofRequired: false,
    certificateRequired: false,
    nonce: NONCE,
    token: { generation: 0n, nonce: NONCE },
  };
  const commit = (change: Partial<Grant>, entries: readonly LedgerEntry[]) =>
    refreshTokenLifecycle.commitOf(
      { before: row, after: { ...head, ...change }, decisions: [], entries: [] },
      facts,
      entries,
    );

  test('is committed with the head that it replaces, and within the lifetime of the token', () => {
    const { now, policy } = facts;
    const of = { loaded: row, now, generation: 1n, nonce: NONCE, policy, entry };
    const move = { ...of, chainEndsAt: head.chainEndsAt, endsAt: seconds(1000) };
    expect(commit({}, [entry])).toEqual({ kind: 'moveHead', move });
  });

  test.each<[string, Partial<Grant>, readonly LedgerEntry[]]>([
    ['a generation', { refreshGeneration: null }, [entry]],
    ['a nonce', { refreshNonce: null }, [entry]],
    ['an end', { chainEndsAt: null }, [entry]],
    ['a line in the ledger', {}, []],
  ])('without %s is not committed', (_, change, entries) => {
    expect(() => commit(change, entries)).toThrow(InvariantViolation);
    expect(() => commit(change, entries)).toThrow('the head is incomplete');
  });
});

describe('the check whether a refresh token would issue now', () => {
  const would = (change: Partial<Grant> = {}, generation = 0n, today: Partial<AccessToday> = {}, now = NOW) => {
    const grant = chainGrant(change);
    const access = { scope: grant.scope, resources: grant.resources, mayRefresh: true, ...today };
    return refreshTokenWouldIssue(grant, { generation, nonce: NONCE }, now, LIFETIMES, access);
  };

  test('is true of the head', () => {
    expect(would()).toBe(true);
  });

  test.each([
    ['of a used token', would({ refreshGeneration: 1n })],
    ['of a token of a lost commit', would({}, 1n)],
    ['of a revoked grant', would({ state: 'revoked', revokedReason: 'x' })],
    ['of a disabled end-user', would({ liveUserEpoch: null })],
    ['where nothing is left', would({}, 0n, { scope: [] })],
    ['where its client may not refresh', would({}, 0n, { mayRefresh: false })],
    ['after its end', would({}, 0n, {}, seconds(1000))],
  ])('is false %s', (_, issues) => {
    expect(issues).toBe(false);
  });
});

test('withheld scopes are named, separated by spaces', async () => {
  const { store, presentToken } = bench(chainGrant({ scope: ['read', 'write', 'admin'] }), {
    today: { scope: ['read'] },
  });
  await presentToken();
  expect(store.commits).toMatchObject([{ entry: { scopeWithheld: 'write admin' } }]);
});

test('a reload reads this grant, for this client', async () => {
  const { store, presentToken } = bench(chainGrant());
  const keys: unknown[] = [];
  const { load } = store;
  const noting = (key: Parameters<typeof load>[0]) => {
    keys.push(key);
    return load(key);
  };
  Object.assign(store, { load: noting });
  store.fates = ['conflict'];
  await presentToken();
  expect(keys.at(-1)).toEqual({ clientId: CLIENT.clientId, grantId: store.row.id });
});

test('a client that vanished before it could be reloaded is a defect', async () => {
  const { store, presentToken } = bench(chainGrant());
  const { load } = store;
  store.fates = [
    () => {
      Object.assign(store, {
        load: async (key: Parameters<typeof load>[0]) => ({ ...(await load(key)), client: null }),
      });
      return 'conflict';
    },
  ];
  const outcome = presentToken();
  await expect(outcome).rejects.toThrow(InvariantViolation);
  await expect(outcome).rejects.toThrow('a client vanished while it presented a token');
});

test('a token that cannot be signed is not committed', async () => {
  const mint = () => {
    throw new Error('no key');
  };
  for (const [row, present] of [
    [codeGrant(), 'presentCode'],
    [chainGrant(), 'presentToken'],
  ] as const) {
    const bed = bench(row, { mint });
    await expect(bed[present]()).rejects.toThrow('no key');
    expect(bed.store.commits).toEqual([]);
    expect(bed.store.row).toEqual(row);
  }
});

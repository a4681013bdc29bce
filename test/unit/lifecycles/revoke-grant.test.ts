import { expect, test } from 'vitest';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { administratorEndRequest, revocationOf, revokeGrant } from '../../../src/lifecycles/grant/lifecycle.ts';
import { type Fate, fakeGrantStore } from './fake-grant-store.ts';
import { CLIENT, chainGrant, NOW } from './given.ts';

function given(fates: Fate[] = [], row = chainGrant()) {
  const store = fakeGrantStore(row, CLIENT, NOW);
  store.fates = fates;
  return {
    store,
    ask: () => revokeGrant({ store, sleep: async () => {} }, { now: NOW, grant: store.row }),
  };
}

test('an active grant ends, with one entry', async () => {
  const { store, ask } = given();
  expect(await ask()).toBe(true);
  expect(store.row).toMatchObject({ state: 'revoked', revokedReason: 'revocation_requested' });
  expect(store.ledger).toEqual([
    {
      machine: 'grant',
      event: 'revocationRequested',
      from: 'active',
      to: 'revoked',
      reason: 'revocation_requested',
      generation: 0n,
    },
  ]);
});

test('an administrator ends it with another reason, and the entry names the actor', async () => {
  const { store } = given();
  const actor = { kind: 'operator', id: 'the sub', addressHash: 'a hash' } as const;
  const end = () =>
    revokeGrant({ store, sleep: async () => {} }, { now: NOW, grant: store.row }, administratorEndRequest(actor));
  expect(await end()).toBe(true);
  expect(store.row).toMatchObject({ state: 'revoked', revokedReason: 'ended_by_administrator' });
  expect(store.ledger).toMatchObject([
    { event: 'endRequestedByAdministrator', reason: 'ended_by_administrator', actor, generation: 0n },
  ]);
  expect(await end()).toBe(false);
  expect(store.ledger).toHaveLength(1);
});

test('the commit has that row, its end, and the entry', async () => {
  const asked: unknown[] = [];
  const { store } = given(['conflict']);
  const row = store.row;
  const keys: unknown[] = [];
  const ports: Parameters<typeof revokeGrant>[0] = {
    store: {
      load: async (key) => {
        keys.push(key);
        return store.load(key);
      },
      commit: async (commit) => {
        asked.push(commit);
        return store.commit(commit);
      },
    },
    sleep: async () => {},
  };
  expect(await revokeGrant(ports, { now: NOW, grant: row })).toBe(true);
  const revocation = {
    grantId: row.id,
    now: NOW,
    reason: 'revocation_requested',
    clientId: row.clientId,
    policy: null,
    entries: store.ledger,
  };
  expect(asked.at(-1)).toEqual({ kind: 'revoke', revocation });
  expect(keys).toEqual([{ clientId: row.clientId, grantId: row.id }]);
});

test('a grant that vanished before it could be reloaded is a defect', async () => {
  const { store } = given(['conflict']);
  const load = async () => ({ now: NOW, client: CLIENT, grant: null, claims: null });
  const revoked = revokeGrant(
    { store: { load, commit: store.commit }, sleep: async () => {} },
    { now: NOW, grant: store.row },
  );
  await expect(revoked).rejects.toThrow(InvariantViolation);
  await expect(revoked).rejects.toThrow('vanished');
});

test('a change that revokes nothing is not committed as a revocation', () => {
  const row = chainGrant();
  for (const effects of [[], [{ type: 'issueTokens' as const }]]) {
    const decision = { machine: 'grant', event: 'revocationRequested', from: 'active', to: 'active', effects };
    const step = { before: row, after: row, decisions: [decision], entries: [] };
    const commit = () => revocationOf(step, { now: NOW, policy: null }, []);
    expect(commit).toThrow(InvariantViolation);
    expect(commit).toThrow('a change other than a revocation');
  }
});

test.each([
  ['was revoked before', { state: 'revoked', revokedReason: 'refresh_token_reused' }],
  ['was ended by its client', { liveClientEpoch: null }],
] as const)('a grant that %s is left unchanged', async (_, change) => {
  const { store, ask } = given([], chainGrant(change));
  expect(await ask()).toBe(false);
  expect(store.commits).toEqual([]);
});

test('a commit that was not sent is reported as such', async () => {
  await expect(given(['notSent']).ask()).rejects.toMatchObject({ name: 'Unavailable', reason: 'store_unavailable' });
});

test('a commit that was lost on the way is repeated', async () => {
  const { store, ask } = given(['lostBefore']);
  expect(await ask()).toBe(true);
  expect(store.row.state).toBe('revoked');
});

test('a commit whose answer was lost is not repeated: the grant had ended before', async () => {
  const { store, ask } = given(['lostAfter']);
  expect(await ask()).toBe(false);
  expect(store.row.state).toBe('revoked');
  expect(store.ledger).toHaveLength(1);
});

test('a commit that is lost again and again is unknown', async () => {
  await expect(given(Array(5).fill('lostBefore')).ask()).rejects.toMatchObject({ reason: 'commit_unknown' });
});

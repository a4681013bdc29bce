import { expect, test } from 'vitest';
import { revokeGrant } from '../../../src/lifecycles/grant.ts';
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

test('an active grant ends, with one line', async () => {
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

test.each([
  ['was revoked before', { state: 'revoked', revokedReason: 'refresh_token_reused' }],
  ['was ended by its client', { liveClientEpoch: null }],
] as const)('one that %s is left as it is', async (_, change) => {
  const { store, ask } = given([], chainGrant(change));
  expect(await ask()).toBe(false);
  expect(store.commits).toEqual([]);
});

test('a commit that was not sent is said to be so', async () => {
  await expect(given(['notSent']).ask()).rejects.toMatchObject({ name: 'Unavailable', reason: 'store_unavailable' });
});

test('a commit that was lost on the way is made', async () => {
  const { store, ask } = given(['lostBefore']);
  expect(await ask()).toBe(true);
  expect(store.row.state).toBe('revoked');
});

test('a commit whose answer was lost is not made twice: the grant had ended before', async () => {
  const { store, ask } = given(['lostAfter']);
  expect(await ask()).toBe(false);
  expect(store.row.state).toBe('revoked');
  expect(store.ledger).toHaveLength(1);
});

test('a commit that is lost again and again is unknown', async () => {
  await expect(given(Array(5).fill('lostBefore')).ask()).rejects.toMatchObject({ reason: 'commit_unknown' });
});

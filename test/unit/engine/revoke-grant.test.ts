import { expect, test } from 'vitest';
import { revokeGrant } from '../../../src/engine/revoke.ts';
import { type Fate, fakeGrantStore } from './fake-grant-store.ts';
import { CLIENT, chainGrant, NOW } from './given.ts';

function given(fates: Fate[] = [], row = chainGrant()) {
  const store = fakeGrantStore(row, CLIENT, NOW);
  store.fates = fates;
  return {
    store,
    ask: () => revokeGrant(store, { now: NOW, grant: store.row }, 'revocationRequested'),
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

test.each([
  ['notSent', 'store_unavailable'],
  ['lostBefore', 'commit_unknown'],
] as const)('a commit that is %s is said to be so', async (fate, reason) => {
  await expect(given([fate]).ask()).rejects.toMatchObject({ name: 'Unavailable', reason });
});

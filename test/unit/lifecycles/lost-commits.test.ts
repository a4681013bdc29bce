import { describe, expect, test } from 'vitest';
import { StoreUnavailable, Unavailable } from '../../../src/engine/errors.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { chainGrant, codeGrant } from './given.ts';
import { type Bench, bench } from './presenting.ts';

type Way = [name: string, row: Grant, present: (bed: Bench) => Promise<unknown>, generation: bigint];
const policy: Way[] = [
  ['code', codeGrant(), (bed) => bed.presentCode(), 0n],
  ['refresh token', chainGrant(), (bed) => bed.presentToken(), 1n],
];

/** From this commit on, the next loads find no row. */
const awayFor =
  ({ store }: Bench, loads: number, fate: 'lostBefore' | 'lostAfter' | 'lostLate') =>
  () => {
    store.loadsAway = loads;
    return fate;
  };

describe.each(policy)('a database that is lost while a %s is presented', (_, row, present, generation) => {
  const given = () => bench(row);
  const issuedOnce = ({ store }: Bench, outcome: unknown) => {
    expect(outcome).toEqual({ kind: 'issued', issued: { generation, nonce: store.row.refreshNonce } });
    expect(store.row).toMatchObject({ state: 'active', refreshGeneration: generation });
    expect(store.ledger).toHaveLength(1);
  };

  test('before the commit was sent: unavailable, and no change', async () => {
    const bed = given();
    bed.store.fates = ['notSent'];
    const failure = await present(bed).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Unavailable);
    expect(failure).toMatchObject({ reason: 'store_unavailable' });
    expect(bed.store.row).toEqual(row);
    expect(bed.store.commits).toHaveLength(1);
  });

  test('before it could be reloaded after a conflict: unavailable', async () => {
    const bed = given();
    bed.store.fates = [
      () => {
        bed.store.row = { ...bed.store.row, liveServerEpoch: 1n };
        bed.store.loadsAway = 1;
        return undefined;
      },
    ];
    await expect(present(bed)).rejects.toMatchObject({ reason: 'store_unavailable' });
    expect(bed.waits).toEqual([]);
  });

  test('after the commit: the server finds it committed, and answers', async () => {
    const bed = given();
    bed.store.fates = ['lostAfter'];
    issuedOnce(bed, await present(bed));
    expect(bed.store.commits).toHaveLength(1);
  });

  test('after the commit, and for a while: the server waits', async () => {
    const bed = given();
    bed.store.fates = [awayFor(bed, 1, 'lostAfter')];
    issuedOnce(bed, await present(bed));
    expect(bed.waits).toHaveLength(1);
  });

  test('during the commit, which was not made: it is made on the second try, with the same nonce', async () => {
    const bed = given();
    bed.store.fates = ['lostBefore'];
    issuedOnce(bed, await present(bed));
    expect(bed.store.commits).toHaveLength(2);
    expect(new Set(bed.minted.map(({ nonce }) => String(nonce))).size).toBe(1);
  });

  test('during the commit, which takes effect only after the reload: issued, and no reuse', async () => {
    const bed = given();
    bed.store.fates = ['lostLate'];
    issuedOnce(bed, await present(bed));
    expect(bed.store.commits).toHaveLength(2);
  });

  test.each(['lostBefore', 'lostAfter', 'lostLate'] as const)(
    'during the commit (%s), and for good: the outcome is unknown, and reported as such',
    async (fate) => {
      const bed = given();
      bed.store.fates = [awayFor(bed, Number.POSITIVE_INFINITY, fate)];
      const failure = await present(bed).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Unavailable);
      expect(failure).toMatchObject({ reason: 'commit_unknown' });
      expect(bed.store.commits).toHaveLength(1);
    },
  );

  test('during the commit, then before the second try was sent: settled by a third', async () => {
    const bed = given();
    bed.store.fates = ['lostBefore', 'notSent'];
    issuedOnce(bed, await present(bed));
    expect(bed.store.commits).toHaveLength(3);
  });

  test('again and again: unknown, never tokens', async () => {
    const bed = given();
    bed.store.fates = Array(5).fill('lostBefore');
    await expect(present(bed)).rejects.toMatchObject({ reason: 'commit_unknown' });
    expect(bed.store.row).toEqual(row);
  });

  test('after the commit, and the grant was revoked before it could be seen: no token is issued', async () => {
    const bed = given();
    const { commit } = bed.store;
    const revokedTogether: typeof commit = async (move) => {
      await commit(move);
      bed.store.row = { ...bed.store.row, state: 'revoked', revokedReason: 'revocation_requested' };
      throw new StoreUnavailable(true);
    };
    Object.assign(bed.store, { commit: revokedTogether });
    expect(await present(bed)).toEqual({ kind: 'rejected', reason: 'grant_revoked', revoked: false });
  });
});

test('a revocation whose commit was lost is found to have been made', async () => {
  const bed = bench(chainGrant({ refreshGeneration: 7n }));
  bed.store.fates = ['lostAfter'];
  expect(await bed.presentToken()).toMatchObject({ kind: 'rejected', reason: 'grant_revoked' });
  expect(bed.store.row).toMatchObject({ state: 'revoked', revokedReason: 'refresh_token_reused' });
});

test('a revocation whose commit was not made is made', async () => {
  const bed = bench(chainGrant({ refreshGeneration: 7n }));
  bed.store.fates = ['lostBefore'];
  expect(await bed.presentToken()).toEqual({ kind: 'rejected', reason: 'refresh_token_reused', revoked: true });
});

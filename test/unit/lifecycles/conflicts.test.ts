import { describe, expect, test } from 'vitest';
import { chainGrant, codeGrant, NONCE } from './given.ts';
import { bench } from './presenting.ts';

const TRIES = 5;
const anothersNonce = new Uint8Array(16).fill(9);

describe('a commit whose facts no longer hold is decided again', () => {
  test('the loser of a race for a token is a reuse: the chain ends', async () => {
    const { store, presentToken } = bench(chainGrant());
    store.fates = [
      () => {
        store.row = { ...store.row, refreshGeneration: 1n, refreshNonce: anothersNonce };
        return undefined;
      },
    ];
    expect(await presentToken()).toEqual({ kind: 'rejected', reason: 'refresh_token_reused', revoked: true });
    expect(store.row.state).toBe('revoked');
  });

  test('the loser of a race for a code is a reuse: the grant ends', async () => {
    const { store, presentCode } = bench(codeGrant());
    store.fates = [
      () => {
        store.row = chainGrant({ refreshNonce: anothersNonce });
        return undefined;
      },
    ];
    expect(await presentCode()).toEqual({ kind: 'rejected', reason: 'authorization_code_reused', revoked: true });
    expect(store.row.state).toBe('revoked');
  });

  test('two concurrent presentations: one issues, and the chain ends', async () => {
    const { store, presentToken } = bench(chainGrant());
    const outcomes = await Promise.all([presentToken(), presentToken()]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['issued', 'rejected']);
    expect(store.row).toMatchObject({ state: 'revoked', revokedReason: 'refresh_token_reused' });
  });

  test('a user who was disabled in between gets no token', async () => {
    const { store, presentToken } = bench(chainGrant());
    store.fates = [
      () => {
        store.row = { ...store.row, liveUserEpoch: null };
        return undefined;
      },
    ];
    expect(await presentToken()).toEqual({ kind: 'rejected', reason: 'user_ended', revoked: false });
  });

  test('a reuse of a grant that was revoked in between is rejected, and counts as revoked before', async () => {
    const { store, presentToken } = bench(chainGrant({ refreshGeneration: 7n }));
    store.fates = [
      () => {
        store.row = { ...store.row, state: 'revoked', revokedReason: 'revocation_requested' };
        return undefined;
      },
    ];
    expect(await presentToken()).toEqual({ kind: 'rejected', reason: 'grant_revoked', revoked: false });
    expect(store.row.revokedReason).toBe('revocation_requested');
  });

  test('a conflict without a change is retried, with the same nonce', async () => {
    const { store, presentToken, minted } = bench(chainGrant());
    store.fates = Array(TRIES - 1).fill('conflict');
    expect(await presentToken()).toEqual({ kind: 'issued', issued: minted.at(-1) });
    expect(store.row.refreshGeneration).toBe(1n);
    expect(new Set(minted.map(({ nonce }) => String(nonce))).size).toBe(1);
    expect(store.ledger).toHaveLength(1);
  });

  test('after five conflicts the request fails, and no row has changed', async () => {
    const row = chainGrant();
    const { store, presentToken, waits } = bench(row);
    store.fates = Array(TRIES).fill('conflict');
    await expect(presentToken()).rejects.toMatchObject({ name: 'Unavailable', reason: 'too_many_conflicts' });
    expect(store.commits).toHaveLength(TRIES);
    expect(store.row).toEqual(row);
    expect(waits).toEqual([]);
  });

  test('a reuse that meets five conflicts fails without a report of reuse', async () => {
    const { store, presentToken } = bench(chainGrant({ refreshGeneration: 7n }));
    store.fates = Array(TRIES).fill('conflict');
    await expect(presentToken({ generation: 1n, nonce: NONCE })).rejects.toMatchObject({
      reason: 'too_many_conflicts',
    });
  });
});

/** A used refresh token with the proof of its holder, under a policy with a retry. */
import { describe, expect, test } from 'vitest';
import { refreshTokenWouldIssue } from '../../../src/lifecycles/refresh-token/lifecycle.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { CLIENT, chainGrant, LIFETIMES, NONCE, seconds } from './given.ts';
import { bench } from './presenting.ts';

const KEY = 'the key';
const proven = { proof: { key: KEY, problem: null, certificate: null } } as const;
const RETRY = { ...LIFETIMES, provenRetrySeconds: 60 };
const HEAD = new Uint8Array(16).fill(9);
/** Rotated just now: the token of generation 6 is the predecessor of the head. */
const rotated = (change: Partial<Grant> = {}) => chainGrant({ refreshGeneration: 7n, refreshNonce: HEAD, ...change });
const used = (generation = 6n) => ({ generation, nonce: NONCE, boundTo: KEY });
const unbound = { generation: 6n, nonce: NONCE };
const reused = { kind: 'rejected', reason: 'refresh_token_reused', revoked: true };
const stale = { kind: 'rejected', reason: 'newer_token_issued', revoked: false };

describe('the predecessor of the head, with its proof', () => {
  test('gets the head again, and the chain stays as it is', async () => {
    const row = rotated();
    const { store, presentToken } = bench(row, { lifetimes: RETRY });
    store.now = seconds(59.999);
    const again = { kind: 'issued', issued: { generation: 7n, nonce: HEAD } };
    for (let times = 0; times < 3; times++) expect(await presentToken(used(), proven)).toEqual(again);
    expect(store.row).toBe(row);
    const entry = { machine: 'refreshToken', event: 'presented', from: 'used', to: 'used', reason: null };
    expect(store.ledger).toEqual(Array(3).fill({ ...entry, generation: 7n, scopeWithheld: null }));
  });

  test('is proven by the authentication of its client where it is bound to no key', async () => {
    const { presentToken } = bench(rotated(), { lifetimes: RETRY });
    expect(await presentToken(unbound, { clientProvesKey: true })).toMatchObject({ kind: 'issued' });
  });

  test('is proven by the certificate to which it is bound, and by no other', async () => {
    const { presentToken } = bench(rotated(), { lifetimes: RETRY });
    const by = (certificate: string) =>
      presentToken({ ...unbound, boundTo: 'the certificate' }, { proof: { key: null, problem: null, certificate } });
    expect(await by('the certificate')).toMatchObject({ kind: 'issued', issued: { nonce: HEAD } });
    expect(await by('another certificate')).toEqual(reused);
  });

  test.each([
    ['at the end of the retry', used(), {}, 60],
    ['later', used(), {}, 600],
    ['from an older generation', used(5n), {}, 0],
    ['from the first generation', used(0n), {}, 0],
  ])('%s is stale: the chain stays active, and nothing is stored', async (_, token, facts, second) => {
    const { store, presentToken } = bench(rotated(), { lifetimes: RETRY });
    store.now = seconds(second);
    expect(await presentToken(token, { ...proven, ...facts })).toEqual(stale);
    expect(store.commits).toEqual([]);
  });

  test('is stale as soon as its successor is used', async () => {
    const { store, presentToken } = bench(rotated(), { lifetimes: RETRY });
    await presentToken({ generation: 7n, nonce: HEAD, boundTo: KEY }, proven);
    expect(await presentToken(used(), proven)).toEqual(stale);
    expect(store.row).toMatchObject({ state: 'active', refreshGeneration: 8n });
  });

  test.each([
    ['after the end of the chain', {}, 1000, {}, 'refresh_token_expired'],
    ['for more scope', { scope: ['admin'] }, 0, {}, 'scope_exceeds_grant'],
    ['for another resource', { resources: ['https://other.example'] }, 0, {}, 'resource_exceeds_grant'],
    ['while its client may not refresh', {}, 0, { mayRefresh: false }, 'refresh_not_allowed'],
    ['while nothing of the scope is left', {}, 0, { scope: [] }, 'grant_has_nothing_left'],
    [
      'without the nonce',
      { proof: { key: KEY, problem: 'nonceMissing' as const, certificate: null } },
      0,
      {},
      'dpop_nonce_missing',
    ],
    ['by another client', { clientId: 'other' }, 0, {}, 'client_mismatch'],
  ])('%s is rejected, and changes nothing', async (_, facts, second, today, reason) => {
    const { store, presentToken } = bench(rotated(), { lifetimes: { ...RETRY, provenRetrySeconds: 3600 }, today });
    store.now = seconds(second);
    expect(await presentToken(used(), { ...proven, ...facts })).toEqual({ kind: 'rejected', reason, revoked: false });
    expect(store.commits).toEqual([]);
  });
});

describe('a used token', () => {
  test.each([
    ['without a proof', used(), {}, RETRY],
    ['with a proof of another key', used(), { proof: { key: 'another', problem: null, certificate: null } }, RETRY],
    ['with an invalid proof', used(), { proof: { key: null, problem: 'invalid' as const, certificate: null } }, RETRY],
    ['with the key of its client alone', used(), { clientProvesKey: true }, RETRY],
    ['that is bound to no key, with a proof', unbound, proven, RETRY],
    ['that is older, without a proof', used(3n), {}, RETRY],
    ['with its proof, under a policy without a retry', used(), proven, LIFETIMES],
    ['with the key of its client, under a policy without a retry', unbound, { clientProvesKey: true }, LIFETIMES],
  ])('%s ends the chain', async (_, token, facts, lifetimes) => {
    const { store, presentToken, minted } = bench(rotated(), { lifetimes });
    expect(await presentToken(token, facts)).toEqual(reused);
    expect(store.row).toMatchObject({ state: 'revoked', revokedReason: 'refresh_token_reused' });
    expect(minted).toEqual([]);
  });

  test('is not exchanged, and so introspection says that it is not active', () => {
    const today = { scope: ['read'], resources: ['https://api.example'], mayRefresh: true };
    const wouldIssue = (token: ReturnType<typeof used>) =>
      refreshTokenWouldIssue(rotated(), token, seconds(1), RETRY, today);
    expect(wouldIssue(used())).toBe(false);
    expect(wouldIssue({ generation: 7n, nonce: HEAD, boundTo: KEY })).toBe(true);
  });
});

describe('a retry that loses its commit', () => {
  test.each([
    ['to a rotation of its successor', { refreshGeneration: 8n, refreshNonce: NONCE }, stale],
    [
      'to a revocation',
      { state: 'revoked' as const, revokedReason: 'revocation_requested' },
      { reason: 'grant_revoked' },
    ],
    ['to the end of its client', { liveClientEpoch: 1n }, { reason: 'client_ended' }],
  ])('%s is decided again', async (_, change, outcome) => {
    const { store, presentToken } = bench(rotated(), { lifetimes: RETRY });
    store.fates = [
      () => {
        store.row = { ...store.row, ...change };
        return undefined;
      },
    ];
    expect(await presentToken(used(), proven)).toMatchObject(outcome);
    expect(store.ledger).toEqual([]);
  });

  test('to the end of its time is stale', async () => {
    const { store, presentToken } = bench(rotated(), { lifetimes: RETRY });
    store.fates = [
      () => {
        store.now = seconds(60);
        return undefined;
      },
    ];
    expect(await presentToken(used(), proven)).toEqual(stale);
  });

  test.each(['lostBefore', 'lostAfter', 'lostLate'] as const)('%s is made again', async (fate) => {
    const { store, presentToken } = bench(rotated(), { lifetimes: RETRY });
    store.fates = [fate];
    expect(await presentToken(used(), proven)).toMatchObject({ kind: 'issued', issued: { generation: 7n } });
  });

  test('the loser of a race of its client gets the successor of the winner', async () => {
    const { store, presentToken } = bench(chainGrant(), { lifetimes: RETRY });
    const token = { generation: 0n, nonce: NONCE, boundTo: KEY };
    store.fates = [
      () => {
        store.row = rotated({ refreshGeneration: 1n });
        return undefined;
      },
    ];
    expect(await presentToken(token, proven)).toEqual({ kind: 'issued', issued: { generation: 1n, nonce: HEAD } });
  });
});

test('the fake client proves no key', () => expect(CLIENT.tokenEndpointAuthMethod).toBe('none'));

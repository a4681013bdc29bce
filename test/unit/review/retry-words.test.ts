/** The words of `statehouse explain` about a policy with a retry. */
import { expect, it } from 'vitest';
import { eventWords, placeWords } from '../../../src/explanation/words.ts';

it('a used token ends its chain, unless the policy has a retry and its holder proves the key', () => {
  const used = (mayRetry: boolean, isAlive = true) => placeWords({ kind: 'used', behind: 1n, mayRetry }, isAlive);
  expect(used(false)).toBe('a refresh token, used: 1 rotation ago. Presenting it again ends the chain');
  expect(used(true)).toBe(`${used(false)}, unless its holder proves the key`);
  expect(used(true, false)).toBe('a refresh token, used: 1 rotation ago');
});

it('an entry of a retry tells the answer, and is no rotation', () => {
  const entry = {
    ...{ machine: 'refreshToken', event: 'presented', from: 'used', to: 'used', reason: null, clientId: 'shop' },
    generation: 3n,
  };
  const told = (change: object) => eventWords({ ...entry, ...change } as unknown as Parameters<typeof eventWords>[0]);
  expect(told({})).toBe('shop presents a used refresh token and proves its key: refresh token 3 is answered again');
  expect(told({ generation: null })).toContain('refresh token of the head is answered again');
  expect(told({ from: 'active' })).toBe('shop uses its refresh token: 3 is the head');
  expect(told({ to: 'revoked', reason: 'refresh_token_reused' })).toBe(
    'a used refresh token is presented again; the head is 3 (refresh_token_reused)',
  );
});

/**
 * A keyed hash of an account, for ledger and log. It connects entries about one account, and identifies no user without
 * the root secret.
 */
import { hmacSha256 } from './digest.ts';
import type { RootKeys } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    account: true;
  }
}

/** 128 bits. */
const HASH_CHARACTERS = 22;

/**
 * @param account the same text for every spelling of the username. @returns the id of the root secret, and the hash
 * under it.
 */
export const accountHash = ({ first }: RootKeys, account: string): string =>
  `${first.id}.${hmacSha256(first.key('account'), account).toString('base64url').slice(0, HASH_CHARACTERS)}`;

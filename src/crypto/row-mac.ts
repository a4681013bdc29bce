/**
 * The MAC of authenticated rows. It covers the columns that give a row its authority, under a key from the root secret.
 * An attacker who can write to the database, and does not know the secret, cannot make a valid row.
 *
 * root key id 4 ‖ HMAC-SHA-256 32, of the kind of row and its facts as JSON
 */
import { hmacSha256, sameSecretBytes } from './digest.ts';
import type { RootKey, RootKeys } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    row: true;
  }
}

/** Keeps apart rows of different tables that have the same facts. Each table has its own (src/lifecycles/<lifecycle>/table.ts). */
export type RowKind = string;
export type RowFact = string | bigint | boolean | null | Uint8Array | readonly string[];

export type RowMacs = {
  readonly macOf: (kind: RowKind, facts: readonly RowFact[]) => Buffer;
  /** Checks the MAC under each listed root secret. @param mac null: the row has none. */
  readonly isRight: (kind: RowKind, facts: readonly RowFact[], mac: Uint8Array | null) => boolean;
  /** Whether the newest root secret made the MAC. If so, the others may leave the list. */
  readonly isOfNewest: (mac: Uint8Array) => boolean;
};

const KEY_ID_BYTES = 4;
const MAC_BYTES = 32;

export function rowMacs(keys: RootKeys): RowMacs {
  const newest = Buffer.from(keys.first.id, 'hex');
  return {
    macOf: (kind, facts) => Buffer.concat([newest, hmac(keys.first, kind, facts)]),
    isRight: (kind, facts, mac) => {
      if (mac?.length !== KEY_ID_BYTES + MAC_BYTES) return false;
      const bytes = Buffer.from(mac);
      const key = keys.byId.get(bytes.toString('hex', 0, KEY_ID_BYTES));
      return key !== undefined && sameSecretBytes(hmac(key, kind, facts), bytes.subarray(KEY_ID_BYTES));
    },
    isOfNewest: (mac) => newest.equals(Buffer.from(mac).subarray(0, KEY_ID_BYTES)),
  };
}

const hmac = (key: RootKey, kind: RowKind, facts: readonly RowFact[]): Buffer =>
  hmacSha256(key.key('row'), JSON.stringify([kind, ...facts.map(written)]));

/** A text, a number and octets of the same spelling differ. */
function written(fact: RowFact): unknown {
  if (typeof fact === 'bigint') return { number: fact.toString() };
  return fact instanceof Uint8Array ? { octets: Buffer.from(fact).toString('base64url') } : fact;
}

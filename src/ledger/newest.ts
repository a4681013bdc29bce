/**
 * The latest authentic seal. A row of another author, under any number, neither stops the sealing nor gets a successor.
 */
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import { digestOf, readStatement, type Seal, type Statement } from './segment.ts';

export type NumberedSeal = Seal & { readonly number: number };
export type Head = { readonly number: number; readonly digest: string };

/** `key_unknown`: signed with a root secret that is not listed, or claimed to be. `forged`: signed with none. */
export type PassedOver = { readonly number: number; readonly reason: 'key_unknown' | 'forged' };
export type Newest = {
  readonly seal: (Head & { readonly statement: Statement }) | null;
  /** Newer rows that are not authentic, the newest first. Bounded. */
  readonly passedOver: readonly PassedOver[];
};

const MOST_NAMED = 100;

/** @param seals the newest first. */
export async function newestAuthentic(
  seals: AsyncIterable<readonly NumberedSeal[]>,
  keys: SealVerifier,
): Promise<Newest> {
  const passedOver: PassedOver[] = [];
  for await (const page of seals) {
    for (const seal of page) {
      const { number } = seal;
      const statement = readStatement(seal);
      const isRight = authenticityOf(keys, number, statement, seal);
      if (isRight && statement) return { seal: { number, digest: digestOf(seal), statement }, passedOver };
      if (passedOver.length < MOST_NAMED)
        passedOver.push({ number, reason: isRight === null ? 'key_unknown' : 'forged' });
    }
  }
  return { seal: null, passedOver };
}

/** Null: the key is unknown. A seal under a number other than its own is a copy. */
export const authenticityOf = (
  keys: SealVerifier,
  number: number,
  statement: Statement | null,
  seal: Seal,
): boolean | null => (statement?.segment === number ? keys.isRight(statement, seal.statement, seal.signature) : false);

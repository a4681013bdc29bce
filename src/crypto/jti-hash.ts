/** The name of a signed proof, under which its single use is stored: a hash, so that the database has no `jti`. The check of a DPoP proof makes its own. */
import { sha256 } from './digest.ts';

export type ProofKind = 'client-assertion';

/** @param sender the holder of the key. Two senders may choose the same `jti`. */
export const jtiHash = (kind: ProofKind, sender: string, jti: string): string =>
  sha256(JSON.stringify([kind, sender, jti])).toString('base64url');

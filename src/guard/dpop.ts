/** DPoP at an API (RFC 9449 §7): the proof of a request for a token that is bound to a key. */
import { PROOF_ALGORITHMS, readProof } from './dpop-proof.ts';
import type { RefusalReason } from './outcome.ts';
import { type GuardedRequest, headerValues } from './request.ts';

/** A proof that is valid except that it may have been used before. */
export type UsedProof = {
  /** Names the proof alone, for a store that several processes share. 43 characters of base64url. */
  readonly id: string;
  /** From then on no guard accepts the proof, so a store may forget it. */
  readonly endsAt: Date;
};

export type DpopRules = {
  /** Of the URLs that clients request. */
  readonly origin: string;
  readonly isFirstUse: (proof: UsedProof) => boolean | Promise<boolean>;
};

/** For the challenge (RFC 9449 §7.1), and the metadata of the API (RFC 9728 §2). */
export const DPOP_ALGORITHMS: readonly string[] = PROOF_ALGORITHMS;

/** @returns null where the sender holds the key. @throws the error of the store. */
export async function dpopProblem(
  { origin, isFirstUse }: DpopRules,
  request: GuardedRequest,
  { token, jkt, now }: { readonly token: string; readonly jkt: unknown; readonly now: number },
): Promise<RefusalReason | null> {
  const [sent, ...more] = headerValues(request, 'dpop');
  if (sent === undefined) return 'dpop_proof_missing';
  if (more.length > 0) return 'dpop_proof_invalid';
  const url = urlOf(request, origin);
  const reading = await readProof(sent, { method: request.method ?? '', url, accessToken: token, now });
  if (reading.kind === 'invalid') return 'dpop_proof_invalid';
  // RFC 9449 §4.3: the key of the proof is the key to which the token is bound.
  if (reading.jkt !== jkt) return 'dpop_key_mismatch';
  const isFirst = await isFirstUse({ id: reading.id, endsAt: new Date(reading.endsAt) });
  return isFirst === true ? null : 'dpop_proof_replayed';
}

/** A server of Node has a path, and Fetch a URL whose host may be that of a machine behind a proxy. */
function urlOf({ url = '/', originalUrl }: GuardedRequest, origin: string): string {
  const asked = originalUrl ?? url;
  if (asked.startsWith('/')) return origin + asked;
  return URL.canParse(asked) ? origin + new URL(asked).pathname : origin;
}

/** The store is full of proofs that are still valid: another one could not be recognized when it comes again. */
class TooManyProofs extends Error {
  override readonly name = 'TooManyProofs';
}

/** @param now milliseconds since 1970. */
export function proofsInMemory(maximum: number, now: () => number): DpopRules['isFirstUse'] {
  /** The end of each proof, in the order of their first use. */
  const used = new Map<string, number>();
  const forgetEnded = () => {
    for (const [id, endsAt] of used) {
      // Their ends differ from this order by the age of a proof alone.
      if (endsAt > now()) return;
      used.delete(id);
    }
  };
  return ({ id, endsAt }) => {
    forgetEnded();
    if (used.has(id)) return false;
    if (used.size >= maximum) throw new TooManyProofs('too many proofs');
    used.set(id, endsAt.getTime());
    return true;
  };
}

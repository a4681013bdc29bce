/** The sender holds the key to which a token is bound (RFC 7800), as far as the token shows. */
import { certificateProblem } from './certificate-binding.ts';
import { dpopProblem } from './dpop.ts';
import { objectOf } from './json-request.ts';
import type { GuardRules, Presented } from './options.ts';
import type { RefusalReason } from './outcome.ts';

/** The check of an API for bindings that the guard does not know (the option `proof`). */
export type OwnProof = (presented: Presented) => boolean | Promise<boolean>;

/** @param now milliseconds since 1970. @returns null: the sender is the holder. @throws the error of a store, a source or `own`. */
export async function possessionProblem(
  { dpop, certificate }: Pick<GuardRules, 'dpop' | 'certificate'>,
  own: OwnProof | undefined,
  { request, scheme, token, claims }: Omit<Presented, 'confirmation'>,
  now: number,
): Promise<RefusalReason | null> {
  const { cnf } = claims;
  if (cnf === undefined && scheme === 'bearer') return null;
  if (own === undefined && dpop === null && certificate === null) return 'proof_missing';
  const confirmation = objectOf(cnf);
  if (confirmation === null) return 'proof_refused';
  const boundToDpop = confirmation['jkt'] !== undefined;
  // RFC 9449 §7.2: a token that is bound by `jkt` is never a bearer token. §7.1: a token under the DPoP scheme must
  // be bound.
  if (boundToDpop !== (scheme === 'dpop')) return boundToDpop ? 'proof_missing' : 'proof_refused';
  const { jkt, 'x5t#S256': x5t, ...others } = confirmation;
  const byCertificate = certificate !== null && x5t !== undefined;
  const byDpop = dpop !== null && boundToDpop;
  // The certificate first: a proof passes once.
  const problem =
    (byCertificate ? await certificateProblem(certificate, request, x5t) : null) ??
    (byDpop ? await dpopProblem(dpop, request, { token, jkt, now }) : null);
  if (problem !== null) return problem;
  const isWhole = byDpop === boundToDpop && byCertificate === (x5t !== undefined) && Object.keys(others).length === 0;
  if (isWhole && (byDpop || byCertificate)) return null;
  if (own === undefined) return 'proof_missing';
  const isGood = await own({ request, scheme, token, claims, confirmation });
  return isGood === true ? null : 'proof_refused';
}

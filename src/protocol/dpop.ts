/**
 * The DPoP proof of a request to this server (RFC 9449 §4.3): read → compare the nonce → let it pass once. A request without the
 * header loads nothing of this.
 */
import type { ProofAlgorithm, ProofExpected, ProofProblem } from '../guard/dpop-proof.ts';
import type { Proof } from '../model/proof.ts';
import { urlUnder } from '../oauth/urls.ts';

/** For the metadata and challenges, without loading the check. */
export const DPOP_ALGORITHMS: readonly string[] = Object.keys({
  ES256: true,
  EdDSA: true,
  PS256: true,
} satisfies Record<ProofAlgorithm, true>);

/** `detail`: for the log. Absent: the proof is valid. */
export type PresentedProof = Proof & { readonly detail?: ProofProblem | 'proof_nonce_differs' | 'proof_replayed' };

export type ProofDeps = {
  readonly issuer: string;
  /** Whether no request had this proof before, on any node. @throws StoreUnavailable */
  readonly isFirstUse: (proof: { readonly id: string; readonly endsAt: Date }) => Promise<boolean>;
};

/** The request: to this server, so its URL derives from the issuer, and never from the Host header. */
export type ProvenRequest = Pick<ProofExpected, 'method' | 'accessToken' | 'now'> & {
  readonly path: string;
  /** Null: the request needs no nonce. */
  readonly isCurrentNonce: ((nonce: string) => boolean) | null;
};

/** @param sent the value of the header. @throws StoreUnavailable */
export async function presentedProof(
  { issuer, isFirstUse }: ProofDeps,
  sent: string,
  { method, path, accessToken, now, isCurrentNonce }: ProvenRequest,
): Promise<PresentedProof> {
  const { readProof } = await import('../guard/dpop-proof.ts');
  const reading = await readProof(sent, { method, url: urlUnder(issuer, path), accessToken, now });
  if (reading.kind === 'invalid') return { key: null, problem: 'invalid', detail: reading.problem };
  const { jkt, nonce, id, endsAt } = reading;
  if (isCurrentNonce !== null && !(nonce !== null && isCurrentNonce(nonce)))
    return { key: null, problem: 'nonceMissing', detail: 'proof_nonce_differs' };
  const isFirst = await isFirstUse({ id, endsAt: new Date(endsAt) });
  return isFirst ? { key: jkt, problem: null } : { key: null, problem: 'invalid', detail: 'proof_replayed' };
}

/** The DPoP proof of a request (RFC 9449), as the machines know it. */
import type { Proof } from '../../machines/shared/facts.ts';

export type { Proof } from '../../machines/shared/facts.ts';

/** The request has no proof. */
export const NO_PROOF: Proof = { key: null, problem: null };

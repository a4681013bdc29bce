/** The keys that the sender of a request proves, as the machines know them. */
import type { Proof } from '../../machines/shared/facts.ts';

export type { Proof } from '../../machines/shared/facts.ts';

/** The request has no proof. */
export const NO_PROOF: Proof = { key: null, problem: null, certificate: null };

import { rejectWith } from '../shared/effects.ts';
import type { PushedRequestRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const pushedRequestEffects = {
  reject: rejectWith<PushedRequestRejectReason>(),
  /** Store the sealed parameters, and the hash of the `request_uri`. */
  storeRequest(): void {},
  /** Continue with the stored parameters, as if the browser had brought them. */
  openRequest(): void {},
  /** The request's only answer: its parameters are erased. */
  spendRequest(): void {},
};

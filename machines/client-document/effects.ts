import { rejectWith } from '../shared/effects.ts';
import type { ClientDocumentRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const clientDocumentEffects = {
  reject: rejectWith<ClientDocumentRejectReason>(),
  /** Ask the origin of the client for the document, and report the result as the next event. */
  fetchDocument(): void {},
  /** Continue with the client as it is registered. */
  useClient(): void {},
  /** Store when the document came, and until when it is fresh. */
  keepDocument(): void {},
  /** Register the client as the document describes it: an event for the machine of the client. */
  describeClient(): void {},
  /** Store that its origin did not answer; the last valid document counts. */
  markStale(): void {},
  /** Store the rule that it broke; it counts no more. */
  refuseDocument(): void {},
};

import { rejectWith, shared } from '../shared/effects.ts';
import type { AdministrationRejectReason } from '../shared/facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const clientEffects = {
  raiseEpoch: shared.raiseEpoch,
  reject: rejectWith<AdministrationRejectReason>(),
  /** Store the client as it was sent; its grants from before a deletion stay ended. */
  registerClient(): void {},
  /** Replace the stored registration with the sent one; grants stay active. */
  replaceRegistration(): void {},
  /** Store the keyed hash of one more secret. */
  addSecret(): void {},
  /** Store the keyed hash of one secret instead of all others. */
  replaceSecrets(): void {},
  /** Drop the keyed hash of the secret that was named. */
  removeSecret(): void {},
  /** Drop every secret; the row stays, so that its id never revives a grant. */
  deleteClient(): void {},
};

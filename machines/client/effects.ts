import { rejectWith, shared } from '../shared/effects.ts';
import type { AdministrationRejectReason } from '../shared/facts.ts';

/** What the engine makes true for this machine, as data: XState never executes an effect. */
export const clientEffects = {
  raiseEpoch: shared.raiseEpoch,
  reject: rejectWith<AdministrationRejectReason>(),
  /** Store the client as it was sent; its grants from before a deletion stay ended. */
  registerClient(): void {},
  /** Store what was sent instead of what is stored; grants stay alive. */
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

import { rejectWith } from '../shared/effects.ts';
import type { IdentityRemovalReason, LinkedIdentityRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const linkedIdentityEffects = {
  reject: rejectWith<LinkedIdentityRejectReason>(),
  /** Store that this identity is the end-user's. */
  storeIdentity(): void {},
  /** The identity can never sign in again. */
  removeIdentity(_: unknown, _params: { reason: IdentityRemovalReason }): void {},
};

export const removeIdentity = (reason: IdentityRemovalReason) =>
  ({ type: 'removeIdentity', params: { reason } }) as const;

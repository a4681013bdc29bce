import { rejectWith } from '../shared/effects.ts';
import type { ExternalSignInRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const externalSignInEffects = {
  reject: rejectWith<ExternalSignInRejectReason>(),
  /** Keep the answer of the identity provider. */
  recordAnswer(): void {},
  /** Keep that the identity provider refused. */
  recordRefusal(): void {},
  /** Send `registrationRequested` to the machine of a fresh end-user. */
  createUser(): void {},
  /** Send `linkRequested` to the machine of the identity. */
  linkIdentity(): void {},
  /** Sign in with the answer, which becomes invalid. */
  useAnswer(): void {},
};

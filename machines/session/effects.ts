import { rejectWith, shared } from '../shared/effects.ts';
import type { SessionEndReason, SessionRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const sessionEffects = {
  raiseEpoch: shared.raiseEpoch,
  reject: rejectWith<SessionRejectReason>(),
  /** The browser is signed in. */
  admit(): void {},
  /** Record that the session was used now. */
  recordUse(): void {},
  /** The session begins as active: the sign-in is as strong as it has to be. */
  beginSession(): void {},
  /** Store the methods of the additional factor and the hash of a new cookie: the earlier cookie becomes invalid. */
  addFactor(): void {},
  /** End the session. */
  endSession(_: unknown, _params: { reason: SessionEndReason }): void {},
};

export const endSession = (reason: SessionEndReason) => ({ type: 'endSession', params: { reason } }) as const;

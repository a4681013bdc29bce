import { rejectWith } from '../shared/effects.ts';
import type { UserEventByLink } from '../user/facts.ts';
import type { EmailChallengeRejectReason, SupersededReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const emailChallengeEffects = {
  reject: rejectWith<EmailChallengeRejectReason>(),
  /** Store the hash of the link's secret; the mail is sent after the commit. */
  sendLink(): void {},
  /** Send `overtaken` to the next older link of the same purpose and the same person that is still active. */
  overtakeOlder(): void {},
  /** One more newer link was sent. */
  countNewerLink(): void {},
  /** Send `otherUsed` to the next link of the same purpose and the same person that is still active. */
  supersedeOthers(): void {},
  /** Send `undone` to each other link of the same end-user that is still active and was sent later. */
  supersedeLater(): void {},
  /** The link becomes invalid. */
  supersedeLink(_: unknown, _params: { reason: SupersededReason }): void {},
  /** The link's only use. */
  useLink(): void {},
  /** Send this event to the end-user's machine: only that machine changes the account. */
  changeUser(_: unknown, _params: { event: UserEventByLink | 'registrationRequested' }): void {},
  /** Send `registered` to the passkey that was made for the new account. */
  addPasskey(): void {},
  /** Send `requested` to a fresh link for the address from before. */
  offerUndo(): void {},
};

export const changeUser = (event: UserEventByLink | 'registrationRequested') =>
  ({ type: 'changeUser', params: { event } }) as const;

export const supersedeLink = (reason: SupersededReason) => ({ type: 'supersedeLink', params: { reason } }) as const;

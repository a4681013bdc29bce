/** A link in an e-mail: its end-user, its address and its purpose. */

import type {
  EmailChallengePurpose,
  EmailChallengeState,
  SupersededReason,
} from '../../../machines/email-challenge/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import type { Bytes } from '../../model/grant.ts';
import { addressKey } from '../../model/user.ts';

/** The place where the browser that asked continues after a sign-up: a path of this server, and the SHA-256 of its cookie. */
export type Resumption = { readonly path: string; readonly browserHash: Bytes };

/** One row of `email_challenges`. Only the hash of the link's secret is stored. */
export type EmailChallenge = {
  readonly id: string;
  readonly purpose: EmailChallengePurpose;
  readonly state: Exclude<EmailChallengeState, 'unsent'>;
  readonly supersededReason: SupersededReason | null;
  /** SHA-256 of the secret in the link. */
  readonly secretHash: Bytes;
  /** The owner: `personOf`. */
  readonly person: string;
  /** Null: the person who opens it has no account yet. */
  readonly userId: string | null;
  /** The end-user's epoch when it was sent; null: without an end-user. */
  readonly userEpoch: bigint | null;
  /** As typed. Of `undo_change`: the address from before. */
  readonly address: string;
  readonly resumption: Resumption | null;
  /** How many newer links of the same purpose were sent to the same person. */
  readonly newerLinks: number;
  readonly createdAt: Date;
  readonly endsAt: Date;
};

/** `sentBy`: the administrator who asked for it; null: the person did. */
export const EMAIL_CHALLENGES = tableOf<EmailChallenge & { readonly sentBy?: string | null }>('emailChallenges');

/** Drawn and known before it is sent; the rest follows from the load. */
export type NewEmailChallenge = Pick<
  EmailChallenge,
  'id' | 'purpose' | 'secretHash' | 'userId' | 'address' | 'resumption'
> & {
  readonly lifetimeSeconds: number;
};

/** The owner of links that end each other: an end-user, or an address that has no account. */
export const personOf = ({ userId, address }: Pick<EmailChallenge, 'userId' | 'address'>): string =>
  userId ?? `address ${addressKey(address)}`;

/**
 * The number of newer links that leave a link of this purpose active. It is the number of mails that strangers can cause while a link
 * for a new password is valid (src/people/mail/limits.ts). An administrator withdraws an invitation, so one is active.
 */
export const NEWER_LINKS_ALLOWED: Readonly<Record<EmailChallengePurpose, number>> = {
  verify_address: 9,
  reset_password: 9,
  change_address: 9,
  lost_factors: 9,
  sign_up: 9,
  invitation: 0,
  undo_change: Number.POSITIVE_INFINITY,
};

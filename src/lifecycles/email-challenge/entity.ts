/** A link in an e-mail: its end-user, its address and its purpose. */

import type { EmailChallengePurpose } from '../../../machines/email-challenge/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import { addressKey } from '../../model/user.ts';
import type { StoredRow } from '../table.ts';
import type { emailChallenges, Resumption } from './table.ts';

export type { Resumption } from './table.ts';

/** One row of `email_challenges`. Only the hash of the link's secret is stored. */
export type EmailChallenge = Omit<StoredRow<typeof emailChallenges>, 'sentBy' | 'resumePath' | 'resumeBrowserHash'> & {
  readonly resumption: Resumption | null;
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

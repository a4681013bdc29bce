/** A mail in the queue. */

import type { DropReason, MailState } from '../../../machines/mail/facts.ts';
import { tableOf } from '../../engine/commit.ts';

/** `notice`: a change of an account, and the way for its owner to undo it. Notices go first. */
export const MAIL_PURPOSES = ['notice', 'link'] as const;
export type MailPurpose = (typeof MAIL_PURPOSES)[number];

/** One row of `mails`. */
export type QueuedMail = {
  readonly id: string;
  readonly purpose: MailPurpose;
  /** Of the recipient's domain, under a key from the root secret: the domains share the queue. */
  readonly domainHash: Buffer;
  /** The `sub` of the end-user whom the mail is for; null: no account. */
  readonly userId: string | null;
  /** Address, words and link, sealed under the root secret. Null: erased with the end. */
  readonly sealedContents: string | null;
  readonly state: MailState;
  readonly attempts: number;
  /** No node attempts the mail before; while an attempt is under way, the end of its claim. Null: the mail has ended. */
  readonly nextAttemptAt: Date | null;
  readonly givesUpAt: Date;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly dropReason: DropReason | null;
};

export const MAILS = tableOf<QueuedMail>('mails');

export type NewMail = Pick<QueuedMail, 'id' | 'purpose' | 'domainHash' | 'userId'> & {
  readonly sealedContents: string;
  readonly givesUpAt: Date;
};

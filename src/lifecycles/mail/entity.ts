/** A mail in the queue. */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { mails } from './table.ts';

/** One row of `mails`. */
export type QueuedMail = StoredRow<typeof mails>;

export const MAILS = tableOf<QueuedMail>('mails');

export type NewMail = Pick<QueuedMail, 'id' | 'purpose' | 'domainHash' | 'userId'> & {
  readonly sealedContents: string;
  readonly givesUpAt: Date;
};

/** Mails to the end-user about an administrator's changes to the account. */
import type { Notice } from '../people/mail/mail.ts';
import { notify } from '../people/mail/notify.ts';
import type { ManagementDeps } from './deps.ts';

/** Resolves when the mail is in the queue. In the end-user's own language, or the server's: that of the administrator says nothing about them. */
export const tellOwner = (
  { mails, clock }: Pick<ManagementDeps, 'mails' | 'clock'>,
  userId: string,
  kind: Notice,
): Promise<void> => notify(mails, userId, { kind, at: clock.fixedNow() ?? new Date() }, []);

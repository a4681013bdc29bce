/** The terms of the walk of mails: a mail on its way to the relay, and the nodes that attempt it. */
import type { Commit } from '../../../engine/commit.ts';
import type { LoadedMail, MailReport } from '../../../lifecycles/mail/lifecycle.ts';
import type { QueuedMail } from '../../../model/mail.ts';
import type { Known as KnownOfAttempts } from '../webhook-deliveries/terms.ts';

export type Asked =
  | { readonly kind: 'claim' }
  /** `claim`: of the attempt that is reported. Milliseconds since 1970. */
  | { readonly kind: 'report'; readonly outcome: MailReport['outcome']; readonly claim: number }
  | { readonly kind: 'displace' };

export type Stored = { readonly mail: QueuedMail };

/** `isConfirmed`: by the relay. */
export type Known = KnownOfAttempts;

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedMail;
  readonly commit: Commit;
  readonly answer: { readonly before: QueuedMail; readonly after: QueuedMail };
  readonly known: Known;
};

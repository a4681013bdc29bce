/** Each mail with made-up data, for operators who look at their mails: the console, the API and `statehouse mails`. */
import { urlUnder } from '../../oauth/urls.ts';
import type { Mail, MailContent } from './mail.ts';

export type SampleOf = {
  readonly kind: MailContent['kind'];
  readonly language: string;
  readonly to: string;
  /** As of a mail. Absent: the recipient has no account. */
  readonly userId?: string;
};

export const sampleMail = (issuer: string, { kind, language, to, userId }: SampleOf): Mail => ({
  to,
  userId: userId ?? null,
  languages: [language],
  timeZone: null,
  content: sampleContent(issuer, kind),
});

const HALF_AN_HOUR_SECONDS = 1800;
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

function sampleContent(issuer: string, kind: MailContent['kind']): MailContent {
  const url = (path: string) => urlUnder(issuer, path);
  const username = 'alice';
  const at = new Date('2026-07-05T12:05:00Z');
  // The page of this link says that it has no effect.
  const link = { link: url('/email/link?t=sample'), lifetimeSeconds: HALF_AN_HOUR_SECONDS };
  const forgot = url('/forgot-password');
  switch (kind) {
    case 'reset_password':
    case 'lost_factors':
    case 'address_changed':
      return { kind, username, ...link };
    case 'verify_address':
    case 'change_address':
    case 'sign_up':
    case 'invitation':
      return { kind, ...link };
    case 'has_account':
      return { kind, usernames: [username], signIn: url('/sign-in'), forgot };
    case 'mailed_code':
      return { kind, username, at, userAgent: CHROME, code: '1234 5678', lifetimeSeconds: 600 };
    case 'new_device':
      return { kind, username, at, userAgent: CHROME, devices: url('/account/devices') };
    default:
      return { kind, username, at, forgot };
  }
}

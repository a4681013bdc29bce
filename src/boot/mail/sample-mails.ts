/** Each mail with made-up data, composed as the server composes it: for `statehouse mails`. */
import type { Configuration } from '../../config/configuration.ts';
import { type ComposedMail, composeMail } from '../../http/views/mail.ts';
import { LANGUAGES } from '../../http/words/languages.ts';
import { urlUnder } from '../../oauth/urls.ts';
import { MAIL_KINDS, type MailContent } from '../../people/mail/mail.ts';

export type { ComposedMail };
export const SAMPLE_LANGUAGES = LANGUAGES;
export const SAMPLE_KINDS: readonly string[] = MAIL_KINDS;

export type SampleOf = { readonly kind: string; readonly language: string; readonly to: string };

export function sampleMail(
  issuer: string,
  { branding, ownMails }: Pick<Configuration, 'branding' | 'ownMails'>,
  { kind: name, language, to }: SampleOf,
): Promise<ComposedMail> {
  const kind = MAIL_KINDS.find((one) => one === name);
  if (kind === undefined) throw new Error(`expected a mail, found ${name}`);
  const content = sampleContent(issuer, kind);
  return composeMail(
    { issuer, branding, ownMails },
    { to, userId: null, languages: [language], timeZone: null, content },
  );
}

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

/** `STATEHOUSE_SMTP_URL` and `STATEHOUSE_MAIL_FROM`: how mails are sent. Nothing of a value is shown, since a password may be in it. */
import { isLoopback } from './loopback.ts';

export type SmtpSettings = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps), or after STARTTLS (smtp). */
  readonly tls: 'implicit' | 'starttls';
  /** Without TLS nothing is sent. False only on loopback. */
  readonly tlsIsRequired: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly from: MailSender;
};

/** `Statehouse <no-reply@example.com>`; the name may be empty. */
export type MailSender = { readonly name: string; readonly address: string };

export type SmtpReading =
  | { readonly ok: true; readonly settings: SmtpSettings | null }
  | { readonly ok: false; readonly problems: readonly string[] };

export const SMTP_URL_NAME = 'STATEHOUSE_SMTP_URL';
const FROM_NAME = 'STATEHOUSE_MAIL_FROM';
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** @param url null: not set. @param from null: not set; the query of the URL may have it. */
export function readSmtp(url: string | null, from: string | null): SmtpReading {
  if (url === null) return { ok: true, settings: null };
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || PORTS[parsed.protocol] === undefined || parsed.hostname === '')
    return refused(
      `${SMTP_URL_NAME}: Expected smtp://user:password@host:587 or smtps://user:password@host:465, found another kind of URL.`,
    );
  const problems: string[] = [];
  if (!/^\/?$/.test(parsed.pathname) || parsed.hash !== '')
    problems.push(`${SMTP_URL_NAME}: has a path or a fragment; only "?from=" may follow the port.`);
  const unknown = [...parsed.searchParams.keys()].filter((key) => key !== 'from');
  if (unknown.length > 0)
    problems.push(`${SMTP_URL_NAME}: has a parameter that it does not know; only "from" is allowed.`);
  if ((parsed.username === '') !== (parsed.password === ''))
    problems.push(`${SMTP_URL_NAME}: has a user without a password, or a password without a user.`);
  const [user, password] = [decoded(parsed.username), decoded(parsed.password)];
  if (user === null || password === null) problems.push(`${SMTP_URL_NAME}: user or password is not percent-encoded.`);
  const written = parsed.searchParams.get('from') ?? from;
  const sender = written === null ? null : senderOf(written);
  if (written === null)
    problems.push(
      `${FROM_NAME} is not set. Set the address that mails come from, such as "Example <no-reply@example.com>".`,
    );
  else if (sender === null)
    problems.push(
      `${FROM_NAME}: Expected an address, or a name and an address such as "Example <no-reply@example.com>".`,
    );
  if (problems.length > 0 || sender === null) return refused(...problems);
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  return {
    ok: true,
    settings: {
      host,
      port: parsed.port === '' ? (PORTS[parsed.protocol] ?? 587) : Number(parsed.port),
      tls: parsed.protocol === 'smtps:' ? 'implicit' : 'starttls',
      tlsIsRequired: !isLoopback(host),
      user: user === '' ? null : user,
      password: password === '' ? null : password,
      from: sender,
    },
  };
}

const refused = (...problems: string[]): SmtpReading => ({ ok: false, problems });

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

const SENDER =
  /^(?:(?<name>[^<>\p{Cc}]*?)\s*<(?<inside>[^<>\s@\p{Cc}]+@[^<>\s@\p{Cc}]+)>|(?<bare>[^<>\s@\p{Cc}]+@[^<>\s@\p{Cc}]+))$/u;

function senderOf(text: string): MailSender | null {
  const { name = '', inside, bare } = SENDER.exec(text.trim())?.groups ?? {};
  const address = inside ?? bare;
  return address === undefined ? null : { name: name.replaceAll('"', '').trim(), address };
}

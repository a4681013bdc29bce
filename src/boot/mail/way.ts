/** How this server sends mails: by SMTP; into the terminal, on the embedded database; or not at all. */
import type { Logger } from 'pino';
import { EnvironmentError } from '../../config/secret-variable.ts';
import { readSmtp, SMTP_URL_NAME, type SmtpSettings } from '../../config/smtp.ts';
import { hasDemo } from '../demo-operator.ts';
import type { Runtime } from '../runtime.ts';
import type { Secrets } from '../secrets.ts';
import type { KeptMail } from './mailbox.ts';
import { type Deliver, NotDelivered } from './outbox.ts';
import type { SmtpDelivery } from './smtp.ts';

export type MailWay = {
  readonly deliver: Deliver;
  /** The mails for /mail, newest first; null: the page does not exist. */
  readonly newest: (() => readonly KeptMail[]) | null;
  readonly close: () => void;
  /** False: the server sends no mails now, and features that need them are off. Absent: it always sends them. */
  readonly isOn?: () => boolean;
};

export type FollowedMailWay = MailWay & {
  readonly isOn: () => boolean;
  /** Reads the mail server's URL again, which may be in a file or a row. @throws StoreUnavailable */
  readonly follow: () => Promise<void>;
};

/** Each mail goes to the mail server that is in force at its attempt. */
export async function mailWay(
  runtime: Runtime,
  { named }: Pick<Secrets, 'named'>,
  logger: Pick<Logger, 'info' | 'error'>,
): Promise<FollowedMailWay> {
  const terminal = await terminalOf(runtime);
  let read: string | null = null;
  let server: SmtpDelivery | null = null;
  let following: Promise<void> | null = null;
  let isReadable = true;

  /** A file that cannot be read at this moment changes nothing. */
  async function urlNow(): Promise<string | null> {
    try {
      const found = await named(SMTP_URL_NAME);
      isReadable = true;
      return found;
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      if (isReadable) logger.error({ err: error }, 'the URL of the mail server cannot be read; the previous one stays');
      isReadable = false;
      return read;
    }
  }

  async function readAgain(): Promise<void> {
    const found = await urlNow();
    if (found === read) return;
    read = found;
    const reading = readSmtp(found, runtime.environment.mailFrom);
    if (!reading.ok) return logger.error({ problems: reading.problems }, 'the URL of the mail server is refused');
    const before = server;
    server = reading.settings && (await deliveryBy(reading.settings));
    before?.close();
    logger.info({ host: reading.settings?.host ?? null }, 'mail server');
  }

  const follow = (): Promise<void> => {
    following ??= readAgain().finally(() => {
      following = null;
    });
    return following;
  };

  const deliver: Deliver = async (mail) => {
    await follow();
    const way = server ?? terminal;
    if (way === null) throw new NotDelivered('NO_MAIL_SERVER', false);
    await way.deliver(mail);
  };

  await follow();
  return {
    deliver,
    newest: terminal?.newest ?? null,
    close: () => server?.close(),
    isOn: () => server !== null || terminal !== null,
    follow,
  };
}

const deliveryBy = async (settings: SmtpSettings): Promise<SmtpDelivery> =>
  (await import('./smtp.ts')).smtpDelivery(settings);

/** Null: production has no terminal that anyone reads. */
async function terminalOf(runtime: Runtime): Promise<Pick<MailWay, 'deliver' | 'newest'> | null> {
  if (runtime.database.kind !== 'embedded') return null;
  const { openMailbox } = await import('./mailbox.ts');
  const { deliver, newest } = openMailbox((text) => void process.stdout.write(text));
  // A link in a mail is for its recipient alone, so the page exists only where other machines cannot open it.
  return { deliver, newest: hasDemo(runtime) && runtime.environment.smtp === null ? newest : null };
}

/** Delivers mails by SMTP (RFC 5321), with nodemailer, which is loaded for the first mail. */
import type { Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js';
import type { SmtpSettings } from '../../config/smtp.ts';
import type { ComposedMail } from '../../http/views/mail.ts';
import { type Deliver, NotDelivered } from './outbox.ts';

export type SmtpTimes = {
  readonly connectMilliseconds: number;
  /** Without a byte from the server. */
  readonly silenceMilliseconds: number;
};
const TIMES: SmtpTimes = { connectMilliseconds: 10_000, silenceMilliseconds: 30_000 };

/** Concurrent connections, kept for the next mails. */
const MAX_CONNECTIONS = 2;

export type SmtpDelivery = { readonly deliver: Deliver; readonly close: () => void };

export function smtpDelivery(settings: SmtpSettings, times: SmtpTimes = TIMES): SmtpDelivery {
  let opened: Promise<Transporter<SMTPPool.SentMessageInfo>> | null = null;
  return {
    deliver: async (mail) => {
      opened ??= open(settings, times);
      const transport = await opened;
      try {
        await transport.sendMail(messageOf(settings, mail));
      } catch (error) {
        throw notDelivered(error);
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

async function open(settings: SmtpSettings, times: SmtpTimes): Promise<Transporter<SMTPPool.SentMessageInfo>> {
  const { host, port, tls, tlsIsRequired, user, password } = settings;
  const { createTransport } = await import('nodemailer');
  return createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tlsIsRequired,
    // On loopback the certificate may be that of another name.
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: tlsIsRequired },
    connectionTimeout: times.connectMilliseconds,
    greetingTimeout: times.silenceMilliseconds,
    socketTimeout: times.silenceMilliseconds,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== null && password !== null && { auth: { user, pass: password } }),
  });
}

/** Addresses as objects: nothing in them is read as a header or as a list. */
const messageOf = (
  { from }: SmtpSettings,
  { to, subject, text, html, language, organization, images }: ComposedMail,
) => ({
  from: { ...from, name: from.name || (organization ?? '') },
  to: { name: '', address: to },
  subject,
  text,
  html,
  attachments: images.map(({ hash, type, bytes }) => ({
    cid: hash,
    content: Buffer.from(bytes),
    contentType: type,
    filename: type === 'image/png' ? 'logo.png' : 'logo.jpg',
  })),
  // RFC 3834 §5: no automatic answers.
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', 'Content-Language': language },
});

/** Of the error only its codes are kept: its message may have the address, and what the server said about it. */
function notDelivered(error: unknown): NotDelivered {
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown };
  const name = typeof code === 'string' ? code : 'unknown';
  const status = typeof responseCode === 'number' ? responseCode : null;
  // RFC 5321 §4.2.1: 5yz is final, about this recipient or this mail. A refused sign-in may be put right meanwhile.
  const isAboutMail = command === 'RCPT TO' || command === 'DATA' || code === 'EENVELOPE' || code === 'EMESSAGE';
  return new NotDelivered(
    status === null ? name : `${name} ${status}`,
    isAboutMail && status !== null && status >= 500,
  );
}

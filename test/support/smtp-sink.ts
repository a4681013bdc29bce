/** A relay on loopback that keeps what it accepts. */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type AcceptedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly secure: boolean;
  readonly user: string | null;
};

export type SmtpSink = {
  readonly port: number;
  readonly got: readonly AcceptedMail[];
  readonly close: () => void;
};

/** STARTTLS would need a certificate that the client trusts. */
export const WITHOUT_TLS: SMTPServerOptions = { disabledCommands: ['STARTTLS', 'AUTH'] };

export async function openSmtpSink(options: SMTPServerOptions = {}): Promise<SmtpSink> {
  const got: AcceptedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        got.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(parts).toString(),
          secure: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () =>
      resolve((listening.address() as { readonly port: number }).port),
    );
  });
  return { port, got, close: () => void server.close() };
}

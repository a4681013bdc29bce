/** Mails to a real SMTP server: with TLS and a password, refusals, silence, and no server at all. */
import { createServer, type Server } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { NotDelivered } from '../../../src/boot/mail/outbox.ts';
import { smtpDelivery } from '../../../src/boot/mail/smtp.ts';
import { NO_BRANDING } from '../../../src/config/branding.ts';
import { readSmtp, type SmtpSettings } from '../../../src/config/smtp.ts';
import { type ComposedMail, composeMail } from '../../../src/http/views/mail.ts';
import { anyDatabase, openTestDatabase } from '../../support/database.ts';
import { mailTo, outboxOn } from '../../support/outbox.ts';
import { openSmtpSink, type SmtpSink, WITHOUT_TLS } from '../../support/smtp-sink.ts';
import { until } from '../../support/until.ts';

const MAIL: ComposedMail = {
  to: 'alice@example.com',
  subject: 'Grüße',
  text: 'Hello,\n\nhttps://as.test/email/link?t=abc\n',
  html: '<p>Hello</p>',
  language: 'de',
  organization: null,
  images: [],
};
const UNBRANDED = { issuer: 'https://as.test', branding: NO_BRANDING, ownMails: [] };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(options: SMTPServerOptions = {}): Promise<Pick<SmtpSink, 'port' | 'got'>> {
  const sink = await openSmtpSink({
    onAuth: ({ username = '', password }, _, done) =>
      username === 'statehouse' && password === 'p@ss:word' ? done(null, { user: username }) : done(new Error('Wrong')),
    ...options,
  });
  closing.push(sink.close);
  return sink;
}

function settingsOf(url: string): SmtpSettings {
  const reading = readSmtp(url, 'Statehouse <no-reply@as.test>');
  if (!reading.ok || reading.settings === null) throw new Error('refused');
  return reading.settings;
}

function deliveryTo(settings: SmtpSettings, silenceMilliseconds = 5000) {
  const delivery = smtpDelivery(settings, { connectMilliseconds: 5000, silenceMilliseconds });
  closing.push(delivery.close);
  return delivery.deliver;
}
const failureOf = (sending: Promise<void>): Promise<unknown> =>
  sending.then(
    () => null,
    (error: unknown) => error,
  );

describe('an SMTP server', () => {
  it.each(['smtp', 'smtps'] as const)('receives the mail by %s, with TLS and the password', async (scheme) => {
    const { port, got } = await serve({ secure: scheme === 'smtps' });
    await deliveryTo(settingsOf(`${scheme}://statehouse:p%40ss%3Aword@127.0.0.1:${port}`))(MAIL);
    expect(got).toMatchObject([
      { from: 'no-reply@as.test', to: ['alice@example.com'], secure: true, user: 'statehouse' },
    ]);
    const raw = got[0]?.raw ?? '';
    expect(raw).toMatch(/^From: Statehouse <no-reply@as\.test>\r$/m);
    expect(raw).toMatch(/^To: alice@example\.com\r$/m);
    expect(raw).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(raw).toContain('multipart/alternative');
    // No header with which a reader could be tracked.
    expect(raw).not.toMatch(/<img|<link|<script/i);
  });

  it('receives the logo within the mail, and the name of the team where the sender has none', async () => {
    const { port, got } = await serve();
    const url = `smtp://127.0.0.1:${port}`;
    const image = { hash: 'abc', type: 'image/png', bytes: Buffer.from('logo') } as const;
    const branded = { ...MAIL, html: '<img src="cid:abc">', organization: 'Müller, "Söhne"', images: [image] };
    const nameless = readSmtp(url, 'no-reply@as.test');
    if (!nameless.ok || nameless.settings === null) throw new Error('refused');
    await deliveryTo(nameless.settings)(branded);
    await deliveryTo(settingsOf(url))(branded);
    const [own = '', named = ''] = got.map(({ raw }) => raw);
    expect(own).toMatch(/^From: =\?UTF-8\?.* <no-reply@as\.test>\r$/m);
    expect(named).toMatch(/^From: Statehouse <no-reply@as\.test>\r$/m);
    expect(own).toContain('multipart/related');
    expect(own).toMatch(/^Content-Id: <abc>\r$/im);
    expect(own).toMatch(/^Content-Disposition: inline; filename=logo\.png\r$/m);
    expect(own).toContain(Buffer.from('logo').toString('base64'));
  });

  it('receives a name with a line break as a name, never as a header', async () => {
    const { port, got } = await serve();
    const hostile = await composeMail(UNBRANDED, {
      to: 'alice@example.com',
      userId: null,
      languages: [],
      timeZone: null,
      content: {
        kind: 'reset_password',
        username: 'x\r\nBcc: eve@example.com\r\n\r\n<b>',
        link: 'https://as.test/l',
        lifetimeSeconds: 60,
      },
    });
    await deliveryTo(settingsOf(`smtp://127.0.0.1:${port}`))({ ...hostile, subject: 'x\r\nBcc: eve@example.com' });
    await failureOf(
      deliveryTo(settingsOf(`smtp://127.0.0.1:${port}`))({ ...MAIL, to: 'a@example.com\r\nBcc: eve@example.com' }),
    );
    await failureOf(
      deliveryTo(settingsOf(`smtp://127.0.0.1:${port}`))({ ...MAIL, to: 'a@example.com, eve@example.com' }),
    );
    expect(got.flatMap(({ to }) => to)).not.toContain('eve@example.com');
    for (const { raw } of got) {
      const [headers = ''] = raw.split('\r\n\r\n');
      expect(headers).not.toMatch(/^Bcc:/im);
    }
    expect(hostile.html).not.toContain('<b>');
  });
});

describe('delivery of a mail fails', () => {
  const about = (error: unknown) => (error instanceof NotDelivered ? [error.code, error.isFinal] : error);

  it('permanently, where the recipient is rejected', async () => {
    const refuse: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
      done(Object.assign(new Error('No such alice@example.com'), { responseCode: 550 }));
    const { port } = await serve({ onRcptTo: refuse });
    const error = await failureOf(deliveryTo(settingsOf(`smtp://127.0.0.1:${port}`))(MAIL));
    expect(about(error)).toEqual(['EENVELOPE 550', true]);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('alice');
  });

  it('temporarily, where the server is busy', async () => {
    const later: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
      done(Object.assign(new Error('Later'), { responseCode: 451 }));
    const { port } = await serve({ onRcptTo: later });
    expect(about(await failureOf(deliveryTo(settingsOf(`smtp://127.0.0.1:${port}`))(MAIL)))).toEqual([
      'EENVELOPE 451',
      false,
    ]);
  });

  it('temporarily, where the password is wrong: an operator may correct it', async () => {
    const { port, got } = await serve();
    const error = await failureOf(deliveryTo(settingsOf(`smtp://statehouse:wrong@127.0.0.1:${port}`))(MAIL));
    expect(about(error)).toEqual(['EAUTH 535', false]);
    expect(got).toEqual([]);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('wrong');
  });

  it('where the server offers no TLS, unless it is on loopback', async () => {
    const { port, got } = await serve({ disabledCommands: ['STARTTLS', 'AUTH'] });
    const onLoopback = settingsOf(`smtp://127.0.0.1:${port}`);
    await deliveryTo(onLoopback)(MAIL);
    expect(got).toHaveLength(1);
    expect(settingsOf('smtp://mail.example.com').tlsIsRequired).toBe(true);
    const error = await failureOf(deliveryTo({ ...onLoopback, tlsIsRequired: true })(MAIL));
    expect(error).toBeInstanceOf(NotDelivered);
    expect(got).toHaveLength(1);
  });

  it('where the certificate has another name, unless it is on loopback', async () => {
    const { port, got } = await serve();
    const error = await failureOf(deliveryTo({ ...settingsOf(`smtp://127.0.0.1:${port}`), tlsIsRequired: true })(MAIL));
    expect(error).toBeInstanceOf(NotDelivered);
    expect(got).toEqual([]);
  });

  it('where the connection is refused, and where the server never answers', async () => {
    const { port } = await serve();
    for (const close of closing.splice(0)) close();
    expect(about(await failureOf(deliveryTo(settingsOf(`smtp://127.0.0.1:${port}`))(MAIL)))).toEqual([
      expect.stringMatching(/^E/),
      false,
    ]);
    const silent: Server = createServer(() => {});
    const silentPort = await new Promise<number>((resolve) => {
      silent.listen(0, '127.0.0.1', () => resolve((silent.address() as { readonly port: number }).port));
    });
    closing.push(() => void silent.close());
    const error = await failureOf(deliveryTo(settingsOf(`smtp://127.0.0.1:${silentPort}`), 50)(MAIL));
    expect(about(error)).toEqual([expect.stringMatching(/^E/), false]);
  });
});

it('a relay that answers 451 to 2,250 sign-ups still gets the notice to another domain', async () => {
  const { port, got } = await serve({
    ...WITHOUT_TLS,
    onRcptTo: ({ address }, _session, done) =>
      address.endsWith('@flood.example') ? done(Object.assign(new Error('Later'), { responseCode: 451 })) : done(),
  });
  const { database, close } = await openTestDatabase(anyDatabase);
  onTestFinished(close);
  const outbox = outboxOn(database, { deliver: deliveryTo(settingsOf(`smtp://127.0.0.1:${port}`)) });
  const flood: boolean[] = [];
  for (let one = 0; one < 2250; one++) flood.push(await outbox.send(mailTo(`${one}@flood.example`)));
  // The queue has room for 1000, and no page announced the others.
  expect(flood.filter((isQueued) => isQueued)).toHaveLength(1000);
  expect(await outbox.send(mailTo('ada@home.example', 'password_changed'))).toBe(true);
  expect(await outbox.send(mailTo('bob@home.example'))).toBe(true);
  await until(() => got.length === 2);
  await outbox.close();
  expect(got.flatMap(({ to }) => to).toSorted()).toEqual(['ada@home.example', 'bob@home.example']);
});

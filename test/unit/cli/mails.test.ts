/** `mails`: the preview has the branding and the texts of the configuration; the test mail reaches a real relay. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SAMPLE_KINDS } from '../../../src/boot/mail/sample-mails.ts';
import { runOffline } from '../../support/offline-command.ts';
import { openSmtpSink, WITHOUT_TLS } from '../../support/smtp-sink.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

describe('mails', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-mails-'));
    cpSync(SHIPPED, join(folder, 'policies'), { recursive: true });
    writeFileSync(join(folder, 'policies', 'logo.png'), PNG);
    writeFileSync(join(folder, 'policies', 'branding.yaml'), 'organization: Example Ltd\nlogo: logo.png\n');
    writeFileSync(
      join(folder, 'policies', 'mails.yaml'),
      'mails: [{ mail: sign_up, language: en, subject: "Welcome to {organization}" }]\n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runOffline(['mails', ...args], {
      STATEHOUSE_CONFIG: join(folder, 'policies'),
      STATEHOUSE_ISSUER: 'https://login.example',
      ...env,
    });

  it('preview prints every mail as text, with the own texts', async () => {
    const { status, out } = await run(['preview']);
    expect(status).toBe(0);
    expect(out.match(/^Subject: /gm)).toHaveLength(SAMPLE_KINDS.length);
    expect(out).toContain('Subject: Welcome to Example Ltd\n\nHello,\n\n');
  });

  it('preview prints one mail in another language', async () => {
    const { out } = await run(['preview', 'reset_password', '--language', 'fr']);
    expect(out).toMatch(/^Subject: Un nouveau mot de passe\n\nBonjour alice,/);
  });

  it('preview writes pages with the logo in them: one for each mail, or one', async () => {
    const pages = join(folder, 'pages/');
    expect((await run(['preview', '--language', 'ar', '--output', pages])).status).toBe(0);
    expect(readdirSync(pages).toSorted()).toEqual(SAMPLE_KINDS.map((kind) => `${kind}.html`).toSorted());
    const page = readFileSync(join(pages, 'sign_up.html'), 'utf8');
    expect(page).toContain('dir="rtl"');
    expect(page).toContain(`<img src="data:image/png;base64,${PNG.toString('base64')}"`);
    const file = join(folder, 'one.html');
    expect((await run(['preview', 'sign_up', '--output', file])).out).toBe(`wrote ${file}\n`);
    expect(readFileSync(file, 'utf8')).toContain('<title>Welcome to Example Ltd</title>');
  });

  it('preview rejects a file for several mails, an unknown mail and an unknown language', async () => {
    expect(await run(['preview', '--output', join(folder, 'all.html')])).toMatchObject({ status: 1, out: '' });
    expect((await run(['preview', 'sing_up'])).err).toContain('Allowed choices are address_changed');
    expect((await run(['preview', '--language', 'tlh'])).err).toContain('Allowed choices are ar, de, en, es, fr');
  });

  it('preview rejects a mails.yaml with a problem, as check does', async () => {
    const broken = join(folder, 'broken');
    cpSync(SHIPPED, broken, { recursive: true });
    writeFileSync(join(broken, 'mails.yaml'), 'mails: [{ mail: sign_up, language: en, text: Hi }]');
    const { status, err } = await run(['preview'], { STATEHOUSE_CONFIG: broken });
    expect(status).not.toBe(0);
    expect(err).toContain('mails.yaml:1: mails.0.text: Expected {link} once');
  });

  it('send-test sends one mail by the relay of the environment', async () => {
    const { port, got, close } = await openSmtpSink(WITHOUT_TLS);
    onTestFinished(close);
    const smtp = { STATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${port}`, STATEHOUSE_MAIL_FROM: 'no-reply@login.example' };
    const { status, out } = await run(['send-test', 'you@example.com', '--mail', 'sign_up'], smtp);
    expect({ status, out }).toEqual({
      status: 0,
      out: `sent   sign_up (en) to you@example.com, by 127.0.0.1:${port}\n`,
    });
    expect(got).toHaveLength(1);
    expect(got[0]).toMatchObject({ to: ['you@example.com'], raw: expect.stringContaining('Welcome to Example Ltd') });
    expect(got[0]?.raw).toMatch(/^From: Example Ltd <no-reply@login\.example>\r$/m);
  });

  it('send-test says what is wrong: no relay, a relay that is down, no address', async () => {
    expect((await run(['send-test', 'you@example.com'])).err).toContain('Set STATEHOUSE_SMTP_URL as for the server');
    const smtp = { STATEHOUSE_SMTP_URL: 'smtp://127.0.0.1:1', STATEHOUSE_MAIL_FROM: 'no-reply@login.example' };
    expect((await run(['send-test', 'you@example.com'], smtp)).err).toContain(
      'The relay 127.0.0.1:1 did not accept the mail: E',
    );
    expect((await run(['send-test', 'you'], smtp)).err).toContain('Expected an e-mail address');
  });
});

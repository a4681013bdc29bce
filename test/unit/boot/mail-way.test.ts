/** The mail server in force: read again for each mail, from the environment, a file or a row. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type FollowedMailWay, mailWay } from '../../../src/boot/mail/way.ts';
import type { Runtime } from '../../../src/boot/runtime.ts';
import { secretVariable } from '../../../src/config/secret-variable.ts';
import type { ComposedMail } from '../../../src/http/views/mail.ts';
import { openSmtpSink, type SmtpSink, WITHOUT_TLS } from '../../support/smtp-sink.ts';

const MAIL: ComposedMail = {
  to: 'ada@example.com',
  subject: 'A subject',
  text: 'A text',
  html: '<p>A text</p>',
  language: 'en',
  organization: null,
  images: [],
};
const PASSWORD = 'correct-horse';

const folder = mkdtempSync(join(tmpdir(), 'statehouse-mail-way-'));
const file = join(folder, 'smtp-url');
const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
  rmSync(file, { force: true });
});

const lines: string[] = [];
const logger = {
  info: (...given: readonly unknown[]) => void lines.push(JSON.stringify(given)),
  error: (...given: readonly unknown[]) =>
    void lines.push(`${JSON.stringify(given)} ${String((given[0] as { err?: Error }).err)}`),
};
const sink = async (): Promise<SmtpSink> => {
  const opened = await openSmtpSink(WITHOUT_TLS);
  closes.push(opened.close);
  return opened;
};
/** Of a server on Postgres: it has no terminal. */
const wayTo = async (named: (name: string) => Promise<string | null>): Promise<FollowedMailWay> => {
  const runtime = {
    database: { kind: 'postgres' },
    environment: { mailFrom: 'no-reply@as.test' },
  } as unknown as Runtime;
  const way = await mailWay(runtime, { named }, logger);
  closes.push(way.close);
  return way;
};
const fromFile = () => wayTo(async (name) => secretVariable({ [`${name}_FILE`]: file }, name));

it('sends the next mail to the server that the file names now', async () => {
  const [first, second] = [await sink(), await sink()];
  writeFileSync(file, `smtp://127.0.0.1:${first.port}\n`);
  const way = await fromFile();
  await way.deliver(MAIL);
  writeFileSync(file, `smtp://127.0.0.1:${second.port}\n`);
  await way.deliver(MAIL);
  await way.deliver(MAIL);
  expect([first.got.length, second.got.length]).toEqual([1, 2]);
});

it('is off until there is a mail server, and off again without one', async () => {
  const server = await sink();
  let url: string | null = null;
  const way = await wayTo(async () => url);
  expect(way.isOn()).toBe(false);
  await expect(way.deliver(MAIL)).rejects.toMatchObject({ code: 'NO_MAIL_SERVER', isFinal: false });
  url = `smtp://127.0.0.1:${server.port}`;
  await way.follow();
  expect(way.isOn()).toBe(true);
  await way.deliver(MAIL);
  expect(server.got).toHaveLength(1);
  url = null;
  await way.follow();
  expect(way.isOn()).toBe(false);
});

it.each([
  ['is no URL of a mail server', `https://user:${PASSWORD}@mail.example.com`],
  ['is empty', ''],
  ['is not there', null],
])('keeps the previous server while the file %s, and logs no value', async (_, text) => {
  const server = await sink();
  writeFileSync(file, `smtp://127.0.0.1:${server.port}\n`);
  const way = await fromFile();
  lines.length = 0;
  if (text === null) rmSync(file);
  else writeFileSync(file, text);
  await way.deliver(MAIL);
  await way.follow();
  expect([way.isOn(), server.got.length]).toEqual([true, 1]);
  expect(lines).toEqual([expect.stringContaining('STATEHOUSE_SMTP_URL')]);
  expect(lines.join()).not.toContain(PASSWORD);
});

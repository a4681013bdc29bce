/** STATEHOUSE_SMTP_URL and STATEHOUSE_MAIL_FROM: accepted and rejected values, without a password in any message. */
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/environment.ts';
import { readSmtp } from '../../../src/config/smtp.ts';

const FROM = 'Example <no-reply@example.com>';
const settingsOf = (url: string, from: string | null = FROM) => {
  const reading = readSmtp(url, from);
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return reading.settings;
};

it.each([
  ['smtp://mail.example.com', { port: 587, tls: 'starttls', tlsIsRequired: true, user: null, password: null }],
  ['smtps://mail.example.com', { port: 465, tls: 'implicit', tlsIsRequired: true }],
  ['smtp://localhost:1025', { port: 1025, tlsIsRequired: false }],
  ['smtp://[::1]:1025', { host: '::1', tlsIsRequired: false }],
  [
    'smtps://user%40example.com:p%3Ass@mail.example.com:2465/',
    { port: 2465, user: 'user@example.com', password: 'p:ss' },
  ],
])('%s', (url, expected) => {
  expect(settingsOf(url)).toMatchObject({ from: { name: 'Example', address: 'no-reply@example.com' }, ...expected });
});

it('takes the sender from the URL, too', () => {
  expect(settingsOf('smtp://localhost?from=a@example.com', null)).toMatchObject({
    from: { name: '', address: 'a@example.com' },
  });
});

it('mail is off when both are unset', () => {
  expect(readSmtp(null, FROM)).toEqual({ ok: true, settings: null });
  expect(readEnvironment({}).smtp).toBeNull();
});

describe('rejects, and shows no part of the value:', () => {
  it.each([
    ['http://user:hunter2@mail.example.com', FROM],
    ['hunter2', FROM],
    ['smtp://hunter2@mail.example.com', FROM],
    ['smtp://:hunter2@mail.example.com', FROM],
    ['smtp://user:hunter2%@mail.example.com', FROM],
    ['smtp://user:hunter2@mail.example.com/path', FROM],
    ['smtp://user:hunter2@mail.example.com?tls=off', FROM],
    ['smtp://user:hunter2@mail.example.com', null],
    ['smtp://user:hunter2@mail.example.com', 'hunter2'],
    ['smtp://user:hunter2@mail.example.com', 'a@example.com, hunter2@example.com'],
    ['smtp://user:hunter2@mail.example.com', 'hunter2\r\nBcc: <a@example.com>'],
  ])('%s from %s', (url, from) => {
    const reading = readSmtp(url, from);
    expect(reading.ok).toBe(false);
    expect(JSON.stringify(reading)).not.toContain('hunter2');
    const environment = () =>
      readEnvironment({ STATEHOUSE_SMTP_URL: url, ...(from !== null && { STATEHOUSE_MAIL_FROM: from }) });
    expect(environment).toThrow(/STATEHOUSE_(SMTP_URL|MAIL_FROM)/);
    expect(environment).not.toThrow(/hunter2/);
  });
});

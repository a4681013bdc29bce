/** A list of breached passwords, which a real server has. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { signInSchema } from '../../../policies/schema.ts';
import { breachedPasswords } from '../../../src/boot/breached-passwords.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { countPasswordChecks } from '../../../src/metrics/passwords.ts';
import { passwordProblem } from '../../../src/people/passwords/rules.ts';
import { withDeadlines } from '../../support/patience.ts';

const { signIn } = loadConfiguration(new URL('../../../policies', import.meta.url).pathname, 'https://as.test');
/** The two parts of its SHA-1. */
const PASSWORD = 'a breached passphrase';
const PREFIX = '78A38';
const REST = '3F5D09299B4752583612AC85E9E8BA30FF5';
const PADDING = `${'0'.repeat(35)}:0\r\n${'F'.repeat(35)}:0`;

async function list(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: { readonly url: string | undefined; readonly padding: unknown }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url, padding: request.headers['add-padding'] });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const registry = new Registry();
  const lines: string[] = [];
  const ends = countPasswordChecks(registry);
  onTestFinished(async () => {
    ends();
    server.closeAllConnections();
    server.close();
  });
  const rangeUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`;
  const policy = signInSchema.parse({ ...signIn, breachedPasswords: { rangeUrl } });
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  return {
    asked,
    lines,
    isBreached: breachedPasswords(() => policy, logger),
    counted: async (outcome: string) =>
      (await registry.metrics()).includes(`statehouse_password_checks_total{check="breached",outcome="${outcome}"} 1`),
  };
}

const sends = (body: string, status = 200) => list((_, response) => void response.writeHead(status).end(body));

describe('a breached password', () => {
  test('is rejected; the list gets five characters of the hash, and a request for padding', async () => {
    const { asked, isBreached, counted, lines } = await sends(`${PADDING}\r\n${REST}:3\r\n`);
    const context = { username: 'ada', hasSecondFactor: false, isBreached };
    expect(await passwordProblem(PASSWORD, context)).toEqual({ reason: 'breached' });
    expect(asked).toEqual([{ url: `/range/${PREFIX}`, padding: 'true' }]);
    expect(await passwordProblem('another passphrase of mine', context)).toBeNull();
    expect(lines).toEqual([]);
    expect(await counted('skipped')).toBe(false);
  });

  test.each([
    ['is padding', `${PADDING}\n${REST}:0`],
    ['is another', `${REST.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}:9`],
    ['is not there', ''],
  ])('is accepted when the suffix in the answer %s', async (_, body) => {
    const { isBreached, counted } = await sends(body);
    expect(await isBreached(PASSWORD)).toBe(false);
    expect(await counted('made')).toBe(true);
  });
});

describe('an invalid answer of the list accepts the password, is counted, and leaves no part of the hash in the log:', () => {
  test.each<[string, string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['another status', 'STATUS_503', (_, response) => void response.writeHead(503).end(`${REST}:3`)],
    [
      'a redirect',
      'STATUS_302',
      ({ url }, response) =>
        void response.writeHead(url === '/other' ? 200 : 302, { location: '/other' }).end(`${REST}:3`),
    ],
    ['a page', 'NOT_A_LIST', (_, response) => void response.end(`<html>\n${REST}:3`)],
    ['a line that is cut off', 'NOT_A_LIST', (_, response) => void response.end(`${PADDING}\n${REST.slice(0, 20)}`)],
    [
      'an answer that is cut off',
      'NO_ANSWER',
      (_, response) => {
        response.writeHead(200, { 'content-length': '5000' });
        response.write(`${REST}:3\n`, () => response.destroy());
      },
    ],
    ['more than is read', 'TOO_LONG', (_, response) => void response.end(`${'0'.repeat(35)}:0\n`.repeat(10_000))],
  ])('%s', async (_, code, answer) => {
    const { isBreached, counted, lines } = await list(answer);
    expect(await isBreached(PASSWORD)).toBe(false);
    expect(await counted('skipped')).toBe(true);
    expect(lines.map((line) => JSON.parse(line).code)).toEqual([code]);
    for (const secret of [PASSWORD, PREFIX, REST]) expect(lines.join()).not.toContain(secret);
  });

  test('no answer in time', async () => {
    const { isBreached, counted } = await list(() => {});
    expect(await withDeadlines({ breachedPasswordsMilliseconds: 1 }, () => isBreached(PASSWORD))).toBe(false);
    expect(await counted('skipped')).toBe(true);
  });
});

describe('the address of the list', () => {
  test.each([
    'http://list.example/range/',
    'https://list.example/range',
    'https://u:p@list.example/',
    'https://list.example/?q=/',
    'x',
  ])('is rejected: %j', (rangeUrl) => {
    expect(signInSchema.safeParse({ ...signIn, breachedPasswords: { rangeUrl } }).success).toBe(false);
  });

  test('is unset as shipped', () => {
    expect(signIn.breachedPasswords).toBeUndefined();
  });
});

/** Made from the table: each header at its bound, and beyond it. */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HEADER_BOUNDS, headerBounds } from '../../../src/http/bounds.ts';
import { errorHandler } from '../../../src/http/error-handler.ts';
import { type BareApp, bareApp } from '../../support/bare-app.ts';

let app: FastifyInstance;
let lines: BareApp['lines'];
beforeEach(async () => {
  ({ app, lines } = await bareApp(['127.0.0.1']));
  await app.register(headerBounds);
  await app.register(errorHandler);
  app.get('/', async ({ headers, raw }) => ({ seen: headers, raw: raw.headers }));
});
afterEach(() => app.close());

const send = (name: string, length: number, url = '/') =>
  app.inject({ url, headers: { 'user-agent': 'test', [name]: 'x'.repeat(length) } });

describe.each(Object.entries(HEADER_BOUNDS))('the header %s', (name, { most, beyond }) => {
  it('is read up to its bound', async () => {
    const reply = await send(name, most);
    expect(reply.statusCode).toBe(200);
    expect(reply.json().seen[name]).toHaveLength(most);
  });
  it(`has the outcome "${beyond}" beyond it, before anything reads it`, async () => {
    const reply = await send(name, most + 1);
    expect(reply.statusCode).toBe(beyond === 'refuse' ? 431 : 200);
    if (beyond === 'ignore') {
      expect(reply.json().seen[name]).toBeUndefined();
      expect(reply.json().raw[name]).toBeUndefined();
    } else if (beyond === 'cut') expect(reply.json().raw[name]).toHaveLength(most);
    else expect(reply.json()).toEqual({ error: 'invalid_request' });
  });
  it('is never read for a URL that cannot be decoded', async () => {
    const reply = await send(name, 14_000, '/%ff');
    expect(reply.statusCode).toBe(400);
  });
});

it.each([
  ['cookie', 'Delete the cookies of this site'],
  ['authorization', 'The browser sent a request that this page does not expect.'],
])('the page about a long %s says %j, and the log its length', async (name, words) => {
  const { most } = HEADER_BOUNDS[name] ?? expect.fail();
  const reply = await app.inject({ url: '/', headers: { accept: 'text/html', [name]: 'x'.repeat(most + 7) } });
  expect(reply.statusCode).toBe(431);
  expect(reply.body).toContain(words);
  expect(lines().at(-1)).toMatchObject({ reason: 'HEADER_TOO_LONG', header: name, length: most + 7, most });
  expect(JSON.stringify(lines())).not.toContain('xxx');
});

it('the table has every header that the code of this folder reads', async () => {
  const { readdirSync, readFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const room = join(import.meta.dirname, '../../../src/http');
  const files = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const read = files.flatMap((file) =>
    [...readFileSync(join(room, file), 'utf8').matchAll(/(?<!-)headers(?:\.([a-z]+)|\['([a-z-]+)'\])/g)].map(
      ([, plain, quoted]) => plain ?? quoted ?? '',
    ),
  );
  // Node and Fastify limit these, before a handler runs.
  const held = ['host', 'content-length', 'transfer-encoding'];
  expect([...new Set(read)].filter((name) => !held.includes(name) && !(name in HEADER_BOUNDS))).toEqual([]);
});

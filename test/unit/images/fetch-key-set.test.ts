/** A key set at the address of a client: from the public internet alone, soon, small, and without a redirect. */
import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fetchKeySet } from '../../../src/images/fetch-key-set.ts';
import { NotPublic } from '../../../src/images/public-address.ts';
import { httpsServer, reachable } from '../../support/https-server.ts';

describe('fetching a key set', () => {
  let answer: RequestListener = () => {};
  const { at } = httpsServer((request, response) => answer(request, response));
  const fetched = (next: RequestListener, timeIsOver?: () => AbortSignal) => {
    answer = next;
    return fetchKeySet(at('/keys'), { ...reachable, ...(timeIsOver && { timeIsOver }) });
  };

  it('returns the text', async () => {
    expect(await fetched((_, response) => response.end('{"keys":[]}'))).toBe('{"keys":[]}');
  });

  it.each([
    ['a redirect', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(), /more than 0 redirects/],
    ['another status', (_, response) => response.writeHead(404).end('{"keys":[]}'), /status 404/],
    ['more than 64 KiB', (_, response) => response.end('x'.repeat(64 * 1024 + 1)), /larger than 64 KiB/],
    [
      'an endless answer',
      (_, response) => {
        const write = () => {
          if (!response.destroyed) response.write('x'.repeat(4096), write);
        };
        write();
      },
      /larger than 64 KiB/,
    ],
  ] satisfies readonly [string, RequestListener, RegExp][])('refuses %s', async (_, listener, message) => {
    await expect(fetched(listener)).rejects.toThrow(message);
  });

  it('refuses an answer that is not there in time', async () => {
    const time = new AbortController();
    const slow = fetched(
      () => time.abort(),
      () => time.signal,
    );
    await expect(slow).rejects.toThrow(/abort/i);
  });

  it.each([
    'https://127.0.0.1/keys',
    'https://[::1]/keys',
    'https://10.0.0.1/keys',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/keys',
    'https://localhost/keys',
  ])('refuses the private address %s', async (uri) => {
    await expect(fetchKeySet(uri)).rejects.toThrow(NotPublic);
  });
});

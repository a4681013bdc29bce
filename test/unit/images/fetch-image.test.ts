/** An image from another server: only a small raster image is accepted. */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fetchImage } from '../../../src/images/fetch-image.ts';
import { NotPublic } from '../../../src/images/public-address.ts';
import { httpsServer, reachable } from '../../support/https-server.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
const KIBIBYTE = 1024;

describe('fetching an image', () => {
  const asked: IncomingMessage[] = [];
  const answers = new Map<string, RequestListener>();
  const { at, port } = httpsServer((request, response) => {
    asked.push(request);
    answers.get(request.url ?? '')?.(request, response);
  });
  const fetched = (path: string, answer: RequestListener) => {
    answers.set(path, answer);
    return fetchImage(at(path), reachable);
  };

  it('detects the type from the bytes, whatever the sender declares', async () => {
    const image = await fetched('/a.svg', (_, response) => {
      response.setHeader('content-type', 'image/svg+xml').end(PNG);
    });
    expect(image).toMatchObject({ type: 'image/png', hash: expect.stringMatching(/^[\w-]{43}$/) });
    expect(Buffer.from(image.bytes).equals(PNG)).toBe(true);
    const { headers } = asked.at(-1) ?? {};
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('referer');
  });

  it.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', /no PNG, JPEG, WebP or GIF/],
    ['a page', '<!doctype html>', /no PNG/],
    ['nothing', '', /no PNG/],
    ['more than is stored', Buffer.concat([PNG, Buffer.alloc(256 * KIBIBYTE)]), /larger than 256 KiB/],
  ])('rejects %s', async (name, body, message) => {
    await expect(fetched(`/${name.replaceAll(' ', '-')}`, (_, response) => response.end(body))).rejects.toThrow(
      message,
    );
  });

  it('rejects an answer without an image', async () => {
    await expect(fetched('/404', (_, response) => response.writeHead(404).end(PNG))).rejects.toThrow(/status 404/);
  });

  it('stops reading an endless answer', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const endless = fetched('/endless', (_, response) => {
      closed = once(response, 'close');
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * KIBIBYTE)));
      };
      response.on('drain', more);
      more();
    });
    await expect(endless).rejects.toThrow(/larger than 256 KiB/);
    await closed;
  });

  /** The server decides when the time has expired: no clock does. */
  const untilTold = (path: string, answer: RequestListener) => {
    const time = new AbortController();
    const closed = new Promise<void>((resolve) => {
      answers.set(path, (request, response) => {
        response.on('close', () => resolve());
        answer(request, response);
        time.abort(new DOMException('over', 'TimeoutError'));
      });
    });
    const image = fetchImage(at(path), { ...reachable, timeIsOver: () => time.signal });
    return { image, closed };
  };

  it.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['begins an answer, and says no more', (_, response) => void response.writeHead(200).flushHeaders()],
    ['stops in the middle of the image', (_, response) => void response.writeHead(200).write(PNG)],
    [
      'leads to a place that never answers',
      (_, response) => void response.writeHead(302, { location: '/never' }).end(),
    ],
  ])('stops, and closes the connection, where a server %s', async (name, answer) => {
    answers.set('/never', () => {});
    const { image, closed } = untilTold(`/${name.replaceAll(/\W+/g, '-')}`, answer);
    await expect(image).rejects.toThrow();
    await closed;
  });

  it('waits ten seconds, for all answers together', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => timeout.mockRestore());
    answers.set('/redirected', (_, response) => response.end(PNG));
    await fetched('/once', (_, response) => response.writeHead(302, { location: '/redirected' }).end());
    expect(timeout.mock.calls).toEqual([[10_000]]);
  });

  it('follows three redirects, each checked', async () => {
    const to =
      (location: string): RequestListener =>
      (_, response) =>
        response.writeHead(302, { location }).end();
    for (const [index, path] of ['/1', '/2', '/3'].entries()) answers.set(path, to(`/${index + 2}`));
    answers.set('/4', (_, response) => response.end(PNG));
    expect((await fetched('/1', to('/2'))).type).toBe('image/png');
    await expect(fetched('/0', to('/1'))).rejects.toThrow(/more than 3 redirects/);
    await expect(fetched('/plain', to(`http://logos.test:${port()}/4`))).rejects.toThrow(/not at an https/);
    await expect(fetched('/inside', to(`https://127.0.0.1:${port()}/4`))).rejects.toThrow(NotPublic);
    await expect(fetched('/metadata', to('https://169.254.169.254/latest'))).rejects.toThrow(NotPublic);
    await expect(fetched('/nowhere', to('https://'))).rejects.toThrow(/no valid Location/);
    await expect(fetched('/none', (_, response) => response.writeHead(302).end())).rejects.toThrow(/no valid Location/);
  });

  it('sends no request to an internal server, by address or by name', async () => {
    const before = asked.length;
    await expect(fetchImage(`https://127.0.0.1:${port()}/`)).rejects.toThrow(NotPublic);
    await expect(fetchImage(`https://[::1]:${port()}/`)).rejects.toThrow(NotPublic);
    await expect(fetchImage(`https://localhost:${port()}/`)).rejects.toThrow(NotPublic);
    expect(asked.length).toBe(before);
  });

  it('rejects a certificate without a trusted issuer', async () => {
    answers.set('/x', (_, response) => response.end(PNG));
    await expect(fetchImage(at('/x'), { lookup: reachable.lookup })).rejects.toMatchObject({
      code: expect.stringMatching(/CERT|SELF/),
    });
  });
});

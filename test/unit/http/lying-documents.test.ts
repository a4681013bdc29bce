/**
 * A server of documents that lies (draft-ietf-oauth-client-id-metadata-document §8): over TLS, through the fetch of the server, to a page.
 * The page names the broken rule, nothing is stored, and the origin gets one request.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fetchClientDocument } from '../../../src/images/fetch-client-document.ts';
import { isPublicHost, lookupPublic } from '../../../src/images/public-address.ts';
import { clients } from '../../../src/storage/schema.ts';
import { type Content, clientAt, documentOf, openDocumentScene } from '../../support/client-documents.ts';
import { httpsServer, reachable } from '../../support/https-server.ts';

/** In each lie: no page shows it. */
const MARK = 'zzmarkzz';
const JSON_TYPE = { 'content-type': 'application/json' };

type Lie = (response: ServerResponse, url: string) => void;
const body =
  (text: (url: string) => string): Lie =>
  (response, url) =>
    void response.writeHead(200, JSON_TYPE).end(text(url));
const document = (change: Content | ((url: string) => Content)): Lie =>
  body((url) => JSON.stringify(documentOf(url, typeof change === 'function' ? change(url) : change)));
const redirect =
  (location: string): Lie =>
  (response) =>
    void response.writeHead(302, { location }).end();

const LIES: readonly (readonly [string, Lie, RegExp])[] = [
  ['redirects to a private address', redirect('https://169.254.169.254/latest'), /redirects/],
  ['redirects to this server', redirect('https://as.test/oauth/authorize'), /redirects/],
  ['redirects to itself', redirect('/client'), /redirects/],
  ['names another client_id', document({ client_id: `https://${MARK}.example/client` }), /not the URL of the document/],
  [
    'names its client_id with a letter of another script',
    document((url) => ({ client_id: url.replace('logos', 'l\u043egos') })),
    /not the URL of the document/,
  ],
  ['names a javascript: URI', document({ redirect_uris: [`javascript:alert('${MARK}')`] }), /redirect_uris\.0/],
  [
    'names a redirect URI with a letter of another script',
    document({ redirect_uris: [`https://l\u043egos.test/${MARK}`] }),
    /redirect_uris\.0/,
  ],
  [
    'names 10,000 redirect URIs',
    document({ redirect_uris: Array.from({ length: 10_000 }, (_, index) => `https://logos.test/${index}`) }),
    /larger than 5 KiB/,
  ],
  [
    'names too many redirect URIs in few bytes',
    document({ redirect_uris: Array.from({ length: 21 }, (_, index) => `https://a.test/${index}`) }),
    /1 to 20/,
  ],
  ['has a secret', document({ client_secret: MARK }), /client_secret/],
  ['is nested without end', body(() => '['.repeat(5000)), /not a JSON object/],
  [
    'is of another type',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(MARK),
    /Content-Type/,
  ],
  [
    'is compressed to a few bytes',
    (response) =>
      void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(Buffer.from('1f8b', 'hex')),
    /UTF-8|JSON/,
  ],
  [
    'never ends',
    (response) => {
      response.writeHead(200, JSON_TYPE);
      const write = () => {
        if (!response.destroyed) response.write(MARK.repeat(64), write);
      };
      write();
    },
    /larger than 5 KiB/,
  ],
];

describe('a document that lies', () => {
  let lie: RequestListener = () => {};
  let asked = 0;
  const { at } = httpsServer((request, response) => {
    asked++;
    lie(request, response);
  });
  async function told(answer: Lie, options: Parameters<typeof fetchClientDocument>[1] = {}) {
    const url = at('/client');
    asked = 0;
    lie = (_, response) => answer(response, url);
    const scene = await openDocumentScene({
      fetchClientDocument: (uri) => fetchClientDocument(uri, { ...reachable, ...options }),
    });
    const page = () => scene.named({}, clientAt(url));
    return { scene, page, url };
  }

  it('counts when it tells the truth', async () => {
    const { page } = await told(document({}));
    expect((await page()).status).toBe(200);
  });

  it.each(LIES)('and %s is refused with the rule, and without its content', async (_, answer, rule) => {
    const { scene, page, url } = await told(answer);
    const { status, body: text, headers } = await page();
    expect(status).toBe(400);
    expect(headers).not.toHaveProperty('location');
    expect(text).toMatch(rule);
    expect(text).not.toContain(MARK);
    expect((await page()).status).toBe(400);
    expect(asked).toBe(1);
    expect(await scene.storedDocument()).toBeUndefined();
    expect((await scene.db.select().from(clients)).map(({ clientId }) => clientId)).not.toContain(url);
  });

  it('and is slow is refused after five seconds', async () => {
    const time = new AbortController();
    const slow: Lie = (response) => {
      response.writeHead(200, JSON_TYPE).write('{');
      setImmediate(() => time.abort());
    };
    const { page } = await told(slow, { timeIsOver: () => time.signal });
    expect((await page()).body).toContain('did not come within 5 seconds');
  });

  it('is fetched from the address that was checked, where its name leads to another one at each lookup', async () => {
    const checked: string[] = [];
    const answers = ['93.184.216.34', '127.0.0.1', '10.0.0.1'];
    const { scene, page, url } = await told(document({}), {
      isPublicHost,
      lookup: (name, options, callback) => {
        const address = answers[checked.length] ?? '';
        checked.push(address);
        // The real check, of a name that a resolver leads to this address. The public one is this machine, which the test can reach.
        lookupPublic(address, options, (error, found, family) =>
          error ? callback(error, found, family) : reachable.lookup(name, options, callback),
        );
      },
    });
    expect((await page()).status).toBe(200);
    expect(checked).toEqual(['93.184.216.34']);
    expect(asked).toBe(1);
    // Once the document is no longer fresh, the name leads to this machine, and then to a private one.
    for (const _ of ['127.0.0.1', '10.0.0.1']) {
      scene.clock.advanceSeconds(86_400);
      const refused = await scene.named({}, clientAt(url));
      expect(refused.status).toBe(400);
      expect(refused.body).toContain('not of the public internet');
    }
    expect(checked).toEqual(answers);
    expect(asked).toBe(1);
  });
});

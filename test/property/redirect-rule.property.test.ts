/**
 * OAuth 2.1 §4.1.1, RFC 8252 §7.3: redirect URIs are compared as exact strings, except for the port of a loopback IP
 * literal of a native app. Any other URI gets a page: never a redirect, whether the request was valid or not.
 */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, goThrough, makeClient, makePkce } from '../support/actors.ts';
import { Browser } from '../support/browser.ts';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';

type Parts = {
  readonly scheme: string;
  readonly host: string;
  readonly port: number | null;
  readonly path: string;
  readonly query: string | null;
};
const uriOf = ({ scheme, host, port, path, query }: Parts) =>
  `${scheme}://${host}${port === null ? '' : `:${port}`}${path}${query === null ? '' : `?${query}`}`;

const LITERALS = ['127.0.0.1', '[::1]'];
const OTHER_LOOPBACKS = [
  'localhost',
  '127.0.0.2',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
];
const words = fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/);
const paths = fc.array(words, { maxLength: 3 }).map((segments) => segments.map((one) => `/${one}`).join(''));
const ports = fc.option(fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom(80, 443, 8080)));
const queries = fc.option(fc.constantFrom('a=b', 'app=1&next=2', ''), { freq: 4 });

const webs: fc.Arbitrary<Parts> = fc.record({
  scheme: fc.constantFrom('https', 'http'),
  host: words.map((word) => `${word}.client.test`),
  port: ports,
  path: paths,
  query: queries,
});
const loopbacks: fc.Arbitrary<Parts> = fc.record({
  scheme: fc.constantFrom('http', 'http', 'https'),
  host: fc.constantFrom(...LITERALS, ...LITERALS, 'localhost'),
  port: ports,
  path: paths,
  query: queries,
});

/** How what is asked for differs from what is registered. Each gives another string, or the same one by chance. */
const changes: Readonly<Record<string, (parts: Parts, registered: string) => string>> = {
  'nothing at all': (_, registered) => registered,
  'a trailing slash': (parts) => uriOf({ ...parts, path: `${parts.path}/` }),
  'a deeper path': (parts) => uriOf({ ...parts, path: `${parts.path}/more` }),
  'an added query': (parts) => uriOf({ ...parts, query: `${parts.query ?? ''}&x=y` }),
  'an empty query': (_, registered) => `${registered}?`,
  'a fragment': (_, registered) => `${registered}#f`,
  'an encoded fragment': (_, registered) => `${registered}%23f`,
  'the scheme in capitals': (parts) => uriOf({ ...parts, scheme: parts.scheme.toUpperCase() }),
  'the host in capitals': (parts) => uriOf({ ...parts, host: parts.host.toUpperCase() }),
  'the path in capitals': (parts) => uriOf({ ...parts, path: parts.path.toUpperCase() }),
  'another scheme': (parts) => uriOf({ ...parts, scheme: parts.scheme === 'https' ? 'http' : 'https' }),
  'a scheme of its own': (parts) => uriOf({ ...parts, scheme: 'com.example.app' }),
  'the default port spelt out': (parts) => uriOf({ ...parts, port: parts.scheme === 'https' ? 443 : 80 }),
  'no port': (parts) => uriOf({ ...parts, port: null }),
  'the next port': (parts) => uriOf({ ...parts, port: ((parts.port ?? 79) % 65_535) + 1 }),
  'port 0': (parts) => uriOf({ ...parts, port: 0 }),
  'port 65536': (parts) => uriOf({ ...parts, port: 65_536 }),
  'a user': (parts) => uriOf({ ...parts, host: `user@${parts.host}` }),
  'the host as a user of another': (parts) => uriOf({ ...parts, host: `${parts.host}@evil.test`, port: null }),
  'the host and port as a user of another': (parts) => uriOf({ ...parts, host: `${parts.host}:80@evil.test` }),
  'a subdomain': (parts) => uriOf({ ...parts, host: `x.${parts.host}` }),
  'a longer host': (parts) => uriOf({ ...parts, host: `${parts.host}.evil.test` }),
  'a dot behind the host': (parts) => uriOf({ ...parts, host: `${parts.host}.` }),
  'dot segments': (parts) => uriOf({ ...parts, path: `/x/..${parts.path}` }),
  'a single dot segment': (parts) => uriOf({ ...parts, path: `/.${parts.path}` }),
  'encoded dot segments': (parts) => uriOf({ ...parts, path: `/x/%2e%2e${parts.path}` }),
  'an encoded letter': (parts) =>
    uriOf({ ...parts, path: parts.path.replace(/[a-z]/, (one) => `%${one.charCodeAt(0).toString(16)}`) }),
  'an encoded slash': (parts) => uriOf({ ...parts, path: parts.path.replace(/(?<=.)\//, '%2f') }),
  'a second slash': (parts) => uriOf({ ...parts, path: `/${parts.path}` }),
  'a backslash': (parts) => uriOf({ ...parts, path: `\\${parts.path}` }),
  'a wildcard path': (parts) => uriOf({ ...parts, path: '/*' }),
  'a wildcard host': (parts) => uriOf({ ...parts, host: '*.client.test' }),
  'a space behind': (_, registered) => `${registered} `,
  'a space in front': (_, registered) => ` ${registered}`,
  'a line end behind': (_, registered) => `${registered}\n`,
  'a line end and a header': (_, registered) => `${registered}\r\nx: y`,
  'a tab inside': (_, registered) => registered.replace('://', ':\t//'),
  'only the start': (_, registered) => registered.slice(0, -1),
  'no scheme': (_, registered) => registered.replace(/^[a-z]+:/, ''),
  script: () => 'javascript:alert(1)',
  ...Object.fromEntries(
    [...LITERALS, ...OTHER_LOOPBACKS].map((host) => [
      `the loopback as ${host}`,
      (parts: Parts) => uriOf({ ...parts, host }),
    ]),
  ),
};

const cases = fc.record({
  parts: fc.oneof(webs, loopbacks),
  applicationType: fc.constantFrom('web' as const, 'native' as const),
  change: fc.constantFrom(...Object.keys(changes)),
  method: fc.constantFrom('GET' as const, 'POST' as const),
  isGood: fc.boolean(),
});

/** The URIs that the rule allows, by the parts that they were made of, without parsing one. */
const LOOPBACK_PORT_CHANGES: ReadonlySet<string> = new Set(['the default port spelt out', 'no port', 'the next port']);
function isAllowed(
  registered: string,
  asked: string,
  { parts, applicationType, change }: { parts: Parts; applicationType: string; change: string },
) {
  if (asked === registered) return true;
  const mayMovePort = applicationType === 'native' && parts.scheme === 'http' && LITERALS.includes(parts.host);
  return mayMovePort && (LOOPBACK_PORT_CHANGES.has(change) || (change === 'only the start' && endsInPort(parts)));
}

/** Without its last digit, a port of several is another port. */
const endsInPort = ({ port, path, query }: Parts) => port !== null && port > 9 && path === '' && query === null;

describe('the redirect rule', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    await scene.code(); // Signs in: a valid request by a browser with a session and a remembered consent gets its answer immediately.
  });
  afterAll(() => scene.close());

  it('redirects only to registered URIs', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const registered = uriOf(one.parts);
        const asked = (changes[one.change] as (typeof changes)[string])(one.parts, registered);
        const client = await makeClient(scene, { applicationType: one.applicationType, redirectUris: [registered] });
        const url = authorizeUrl(client, makePkce(), {
          redirect_uri: asked,
          ...(!one.isGood && { response_type: 'token' }),
        });
        const [path = '', query = ''] = url.split('?');

        const first = await (one.method === 'GET'
          ? scene.browser.send('GET', url, null)
          : scene.browser.send('POST', path, query));

        if (!isAllowed(registered, asked, one)) {
          expect(first.status).toBe(400);
          expect(first.headers).not.toHaveProperty('location');
          expect(first.headers).not.toHaveProperty('refresh');
          expect(first.body).not.toMatch(/<(a|form|meta http-equiv|script|img|iframe)\b/);
          return;
        }
        expect(first.status).toBe(303);
        const location = String(first.headers['location']);
        if (!one.isGood) {
          expect(location.startsWith(asked)).toBe(true);
          expect(location.slice(asked.length)).toMatch(/^[?&]?error=unsupported_response_type&/);
          return;
        }
        expect(location.startsWith('/')).toBe(true);
        const arrived = await goThrough(scene.browser, url, scene.user);
        expect(arrived.url.startsWith(asked)).toBe(true);
        expect(arrived.url.slice(asked.length)).toMatch(/^[?&]?code=/);
      }),
      { numRuns: 150 },
    );
  });

  it("rejects each named change, of a web app's URI and of a native app's loopback URI", async () => {
    const browser = new Browser(scene.app);
    const web: Parts = { scheme: 'https', host: 'app.client.test', port: null, path: '/cb', query: null };
    const native: Parts = { scheme: 'http', host: '127.0.0.1', port: 8400, path: '/cb', query: null };
    for (const [parts, applicationType] of [
      [web, 'web'],
      [web, 'native'],
      [native, 'web'],
      [native, 'native'],
    ] as const) {
      const registered = uriOf(parts);
      const client = await makeClient(scene, { applicationType, redirectUris: [registered] });
      for (const [change, make] of Object.entries(changes)) {
        const asked = make(parts, registered);
        const { status, headers } = await browser.send(
          'GET',
          authorizeUrl(client, makePkce(), { redirect_uri: asked }),
          null,
        );
        const allowed = isAllowed(registered, asked, { parts, applicationType, change });
        expect(`${applicationType} ${change}: ${status}`).toBe(`${applicationType} ${change}: ${allowed ? 303 : 400}`);
        expect('location' in headers).toBe(allowed);
      }
    }
  });

  it('rejects any one character changed, left out or added', async () => {
    const client = await makeClient(scene, {
      redirectUris: ['https://app.client.test/cb?a=1', 'https://app.client.test/'],
    });
    const edits = fc.record({
      uri: fc.constantFrom(...client.redirectUris),
      at: fc.nat(),
      remove: fc.integer({ min: 0, max: 1 }),
      insert: fc.string({ unit: 'binary-ascii', maxLength: 1 }).filter((text) => text !== '\0'),
    });
    await fc.assert(
      fc.asyncProperty(edits, async ({ uri, at, remove, insert }) => {
        const index = at % (uri.length + 1);
        const asked = uri.slice(0, index) + insert + uri.slice(index + remove);
        const answer = await scene.browser.send(
          'GET',
          authorizeUrl(client, makePkce(), { redirect_uri: asked, scope: 'nothing' }),
          null,
        );
        const isRegistered = client.redirectUris.includes(asked);
        expect(answer.status).toBe(isRegistered ? 303 : 400);
        expect('location' in answer.headers).toBe(isRegistered);
      }),
      { numRuns: 150 },
    );
  });
});

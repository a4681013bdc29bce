/** An identity provider that is away, slow, or lies: a page, a way back to the form, and no partial change. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { externalSignIns, linkedIdentities, sessions, users } from '../../../src/storage/schema.ts';
import { OtherServerAway } from '../../../src/system/other-servers.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { testClock } from '../../support/clock.ts';
import { anyDatabase } from '../../support/database.ts';
import { sharedKey } from '../../support/fake-issuer.ts';
import { LIAR, type LyingProvider, lyingProvider } from '../../support/lying-provider.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { knowing, pressButton, signInPage, upstreamOf, withUpstream } from '../../support/upstream.ts';

let scene: Scene;
let provider: LyingProvider;
const clock = testClock(new Date());

beforeAll(async () => {
  scene = await openScene(anyDatabase, {
    clock,
    configuration: withUpstream(upstreamOf({ issuer: LIAR, client_id: 'statehouse' })),
    secretNamed: knowing('a secret of the two'),
    change: (deps) => ({ ...deps, upstreamFetch: (url, init) => provider.fetch(url, init) }),
  });
});
afterAll(() => scene.close());
beforeEach(async () => {
  provider = await lyingProvider(clock);
});

const title = ({ body }: Answer) => /<h1>(.*)<\/h1>/.exec(body)?.[1];
const counts = async () => {
  const db = scene.database.drizzle;
  const tables = [users, linkedIdentities, sessions] as const;
  return Promise.all(tables.map(async (table) => (await db.select().from(table as typeof users)).length));
};
const states = async () => (await scene.database.drizzle.select().from(externalSignIns)).map(({ state }) => state);
const UNTRUSTED = 'The answer of the other page is not valid';
const AWAY = 'The other page is unavailable';

async function away(browser = new Browser(scene.app)) {
  const answer = await pressButton(browser, await signInPage(browser, scene.client));
  return { browser, answer };
}

// First: good metadata are kept.
describe('before the redirect', () => {
  it.each<[string, LyingProvider['answers']['metadata'], number, string]>([
    ['does not answer', () => Promise.reject(new OtherServerAway('NO_ANSWER')), 503, AWAY],
    ['is broken', () => new Response('oops', { status: 500 }), 503, AWAY],
    ['says nothing that is JSON', () => new Response('<html>'), 502, UNTRUSTED],
    [
      'says that it is another issuer',
      () => Response.json({ issuer: 'https://evil.example', authorization_endpoint: `${LIAR}/authorize` }),
      502,
      UNTRUSTED,
    ],
    ...['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'].map(
      (name): [string, LyingProvider['answers']['metadata'], number, string] => [
        `names an http ${name}`,
        async () => {
          const good = (await (await lyingProvider(clock)).answers.metadata({})).json();
          return Response.json({ ...((await good) as object), [name]: 'http://login.liar.example/x' });
        },
        502,
        UNTRUSTED,
      ],
    ),
  ])('an identity provider that %s leads to a page, and no row is stored', async (_, metadata, status, said) => {
    provider.answers.metadata = metadata;
    const before = await states();
    const { answer } = await away();
    expect([answer.status, title(answer)]).toEqual([status, said]);
    expect(answer.body).toContain('Back to the sign-in');
    expect(await states()).toEqual(before);
  });
});

it('a user signs in with a valid answer', async () => {
  const { browser, answer } = await away();
  const back = await browser.get(provider.callback(answer.url));
  expect([back.status, back.body.includes('decision')]).toEqual([200, true]);
  expect(provider.asked).toEqual(['openid-configuration', 'token', 'keys', 'userinfo']);
});

describe('after the callback', () => {
  const seconds = () => Math.floor(clock.now().getTime() / 1000);
  const lies: readonly [string, () => LyingProvider['lie'] | Promise<LyingProvider['lie']>][] = [
    ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ...[
      `${LIAR}/`,
      `${LIAR}/another`,
      LIAR.toUpperCase(),
      `${LIAR}.example`,
      LIAR.replace('https', 'http'),
      [LIAR],
    ].map((iss): (typeof lies)[number] => [
      `of an issuer that is nearly the right one (${iss})`,
      () => ({ claims: { iss } }),
    ]),
    ['for another client', () => ({ claims: { aud: 'another-user' } })],
    ...['statehouse2', 'statehous', 'Statehouse', ' statehouse', ''].map((aud): (typeof lies)[number] => [
      `for a client with nearly the right name (${aud})`,
      () => ({ claims: { aud } }),
    ]),
    ['for several, ours not among them', () => ({ claims: { aud: ['statehouse2', 'evil'], azp: 'statehouse' } })],
    [
      'for several, and we are not the client that asked',
      () => ({ claims: { aud: ['statehouse', 'evil'], azp: 'evil' } }),
    ],
    ['that has expired', () => ({ claims: { iat: seconds() - 900, exp: seconds() - 300 } })],
    ['with another nonce', () => ({ claims: { nonce: 'of another sign-in' } })],
    ['with an empty nonce', () => ({ claims: { nonce: '' } })],
    ['with the nonce in a list', () => ({ claims: { nonce: [] } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['that ended a second beyond the tolerance', () => ({ claims: { iat: seconds() - 900, exp: seconds() - 61 } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['with an endless subject', () => ({ claims: { sub: 'x'.repeat(256) } })],
    ['from the future', () => ({ claims: { iat: seconds() + 3600, exp: seconds() + 7200 } })],
    [
      'that was issued a second beyond the tolerance',
      () => ({ claims: { iat: seconds() + 61, exp: seconds() + 7200 } }),
    ],
    ['with U+0000 in its subject', () => ({ claims: { sub: 'ada\0' } })],
    ['with U+0000 in a claim', () => ({ claims: { preferred_username: 'ada\0there' } })],
    ['with U+0000 deep in a claim', () => ({ claims: { groups: [{ 'na\0me': 'x' }] } })],
    ['with half of a character in a claim', () => ({ claims: { given_name: '\ud800' } })],
    ['that is not signed', () => ({ header: { alg: 'none' } })],
    ['signed with another algorithm', async () => ({ signer: await sharedKey('second'), header: { alg: 'ES256' } })],
    ['signed with a key that is not published', async () => ({ signer: await sharedKey('second', 'RS256') })],
    [
      'signed with another key under the same name',
      async () => ({ signer: await sharedKey('second', 'RS256'), header: { kid: 'first' } }),
    ],
    ['that does not say when', () => ({ claims: { auth_time: undefined } })],
    ['about a sign-in of the future', () => ({ claims: { auth_time: seconds() + 61 } })],
    ['about a sign-in in milliseconds', () => ({ claims: { auth_time: seconds() * 1000 } })],
    ['about a sign-in after every date', () => ({ claims: { auth_time: 1e300 } })],
    ['about a sign-in of long ago', () => ({ claims: { auth_time: seconds() - 50_000 } })],
  ];
  it.each(lies)('the server rejects an ID Token %s', async (_, lie) => {
    const before = await counts();
    const { browser, answer } = await away();
    const callback = provider.callback(answer.url);
    provider.lie = await lie();
    const back = await browser.get(callback);
    expect([back.status, title(back)]).toEqual([502, UNTRUSTED]);
    expect(await counts()).toEqual(before);
    // The code is spent, and the second callback never reaches the provider.
    const asked = provider.asked.length;
    expect(title(await browser.get(callback))).toBe('Already answered');
    expect(provider.asked.length).toBe(asked);
    const form = /<p><a href="([^"]+)"/.exec(back.body)?.[1]?.replaceAll('&#61;', '=') ?? '';
    expect((await browser.get(form)).body).toContain('name="password"');
  });

  it.each([
    ['ended a second within the tolerance', () => ({ iat: seconds() - 900, exp: seconds() - 59 })],
    ['is issued at the end of the tolerance', () => ({ iat: seconds() + 60, exp: seconds() + 7200 })],
  ])('accepts an ID Token that %s', async (_, claims) => {
    // At the very second: a fraction more would be within.
    clock.set(new Date((seconds() + 1) * 1000));
    const { browser, answer } = await away();
    const callback = provider.callback(answer.url);
    provider.lie = { claims: claims() };
    expect((await browser.get(callback)).body).toContain('decision');
  });

  it.each([
    ['refuses the code', () => Response.json({ error: 'invalid_grant' }, { status: 400 }), 502, UNTRUSTED],
    ['does not answer', () => Promise.reject(new OtherServerAway('NO_ANSWER')), 503, AWAY],
    ['is broken', () => new Response('oops', { status: 503 }), 503, AWAY],
    ['sends no ID Token', () => Response.json({ access_token: 'a', token_type: 'Bearer' }), 502, UNTRUSTED],
    [
      'sends us elsewhere',
      () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } }),
      502,
      UNTRUSTED,
    ],
  ])('shows a page for a token endpoint that %s', async (_, token, status, said) => {
    const before = await counts();
    const { browser, answer } = await away();
    const callback = provider.callback(answer.url);
    provider.answers.token = token;
    const back = await browser.get(callback);
    expect([back.status, title(back)]).toEqual([status, said]);
    expect(await counts()).toEqual(before);
  });

  it('rejects claims of UserInfo about another user', async () => {
    const before = await counts();
    const { browser, answer } = await away();
    provider.answers.userinfo = () => Response.json({ sub: 'mallory', email: 'a@b.example' });
    const back = await browser.get(provider.callback(answer.url));
    expect([back.status, title(back)]).toEqual([502, UNTRUSTED]);
    expect(await counts()).toEqual(before);
  });

  it('accepts new keys immediately, and old ones no longer', async () => {
    const first = await away();
    await first.browser.get(provider.callback(first.answer.url));
    const next = await sharedKey('next', 'RS256');
    provider.published = [next.jwk];
    const old = await away();
    expect((await old.browser.get(provider.callback(old.answer.url))).status).toBe(502);
    provider.lie = { signer: next };
    const fresh = await away();
    expect((await fresh.browser.get(provider.callback(fresh.answer.url))).body).toContain('decision');
  });

  it.each([
    ['access_denied', 403, 'You did not sign in'],
    ['server_error', 502, 'The other page refused the sign-in'],
    ['<script>', 502, 'The other page refused the sign-in'],
  ])('shows a page for error=%s', async (error, status, said) => {
    const { browser, answer } = await away();
    const back = await browser.get(provider.callback(answer.url, { code: null, error }));
    expect([back.status, title(back), back.body.includes('<script>')]).toEqual([status, said, false]);
  });

  it('keeps the sign-in after an error of another issuer', async () => {
    const { browser, answer } = await away();
    const forged = provider.callback(answer.url, { code: null, error: 'access_denied', iss: 'https://evil.example' });
    expect((await browser.get(forged)).status).toBe(502);
    expect((await browser.get(provider.callback(answer.url))).body).toContain('decision');
  });

  it('logs no secret of the exchange', async () => {
    const { browser, answer } = await away();
    await browser.get(provider.callback(answer.url, { code: 'the-very-code' }));
    const { searchParams } = new URL(answer.url);
    for (const secret of [
      'the-very-code',
      'an-access-token',
      'a secret of the two',
      searchParams.get('state') ?? '',
      searchParams.get('nonce') ?? '',
    ]) {
      expect(scene.logs()).not.toContain(secret);
    }
  });
});

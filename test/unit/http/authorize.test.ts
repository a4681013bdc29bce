/** GET and POST /oauth/authorize: each check, on a page or by redirect, and no input as markup. */

import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interactions } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  REDIRECT_URI,
  type TestClient,
} from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { ISSUER } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { policyWithoutScripts } from '../../support/page-policy.ts';
import { openScene, type Scene } from '../../support/scene.ts';

describe('the authorization endpoint', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    await scene.code();
  });
  afterAll(() => scene.close());

  const send = (url: string) => new Browser(scene.app).send('GET', url, null);
  const request = (change: Readonly<Record<string, string | undefined>> = {}, client: TestClient = scene.client) =>
    authorizeUrl(client, makePkce(), change);
  const interactionCount = async () => (await scene.database.drizzle.select().from(interactions)).length;

  /** A page for the person, and no way on from it. */
  async function expectPage(url: string, words: string) {
    const before = await interactionCount();
    const answer = await send(url);
    expect(answer.status, url).toBe(400);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers).not.toHaveProperty('location');
    expect(answer.body).toContain(words);
    expect(answer.body).not.toMatch(/<(a|form|script|meta http-equiv)\b/);
    expect(await interactionCount()).toBe(before);
  }

  /** To the client, with the error, its unchanged state, and the issuer (RFC 9207). */
  async function expectError(url: string, error: string, state: string | null = 'a-state') {
    const answer = await send(url);
    expect(answer.status, url).toBe(303);
    const location = new URL(String(answer.headers['location']));
    expect(location.origin + location.pathname).toBe(REDIRECT_URI);
    expect(location.searchParams.get('error'), url).toBe(error);
    expect(location.searchParams.get('state')).toBe(state);
    expect(location.searchParams.get('iss')).toBe(ISSUER);
    expect(location.searchParams.get('error_description')).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(location.searchParams.has('code')).toBe(false);
    expect(answer.headers['cache-control']).toBe('no-store');
  }

  describe('shows a page before client and redirect URI are verified:', () => {
    it('client_id: missing, empty, repeated, garbled, unknown, deleted', async () => {
      await expectPage(request({ client_id: undefined }), 'client_id is missing');
      await expectPage(request({ client_id: '' }), 'client_id is missing');
      await expectPage(`${request()}&client_id=${scene.client.clientId}`, 'client_id is repeated or malformed');
      await expectPage(`${request({ client_id: undefined })}&client_id=%00`, 'client_id is repeated or malformed');
      await expectPage(`${request({ client_id: undefined })}&client_id=%ff`, 'client_id is repeated or malformed');
      await expectPage(request({ client_id: 'x'.repeat(1025) }), 'client_id is repeated or malformed');
      await expectPage(request({ client_id: 'unknown' }), 'No app is registered');
      await expectPage(request({ client_id: scene.client.clientId.toUpperCase() }), 'No app is registered');
      const gone = await makeClient(scene);
      await deleteClient(scene.database.drizzle, gone.clientId);
      await expectPage(request({}, gone), 'No app is registered');
    });

    it('redirect_uri: missing even where one is registered, empty, repeated, garbled, another', async () => {
      await expectPage(request({ redirect_uri: undefined }), 'redirect_uri is missing');
      await expectPage(request({ redirect_uri: '' }), 'redirect_uri is missing');
      await expectPage(
        `${request()}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`,
        'redirect_uri is repeated or malformed',
      );
      await expectPage(`${request()}&redirect_uri=`, 'redirect_uri is repeated or malformed');
      await expectPage(
        `${request({ redirect_uri: undefined })}&redirect_uri=%ff`,
        'redirect_uri is repeated or malformed',
      );
      await expectPage(
        request({ redirect_uri: `${REDIRECT_URI}?${'x'.repeat(2048)}` }),
        'redirect_uri is repeated or malformed',
      );
      await expectPage(request({ redirect_uri: 'https://evil.test/' }), 'not registered');
    });

    it('a request with any other error', async () => {
      await expectPage(request({ redirect_uri: 'https://evil.test/', response_type: 'token' }), 'not registered');
      await expectPage(`${request({ redirect_uri: 'https://evil.test/' })}&state=1&state=2`, 'not registered');
      await expectPage(`${request({ client_id: 'unknown' })}&scope=%00`, 'No app is registered');
    });

    it('an empty request', () => expectPage('/oauth/authorize', 'client_id is missing'));
  });

  describe('redirects afterwards:', () => {
    it.each<[string, Record<string, string | undefined>, string]>([
      ['no response_type', { response_type: undefined }, 'invalid_request'],
      ['an empty response_type', { response_type: '' }, 'invalid_request'],
      ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
      ['a hybrid', { response_type: 'code token' }, 'unsupported_response_type'],
      ['an ID token', { response_type: 'id_token' }, 'unsupported_response_type'],
      ['a response_type in capitals', { response_type: 'CODE' }, 'unsupported_response_type'],
      ['no challenge', { code_challenge: undefined }, 'invalid_request'],
      ['an empty challenge', { code_challenge: '' }, 'invalid_request'],
      ['no method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
      ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['s256', { code_challenge_method: 's256' }, 'invalid_request'],
      ['S512', { code_challenge_method: 'S512' }, 'invalid_request'],
      ['a challenge that is too short', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
      ['a challenge that is too long', { code_challenge: 'A'.repeat(44) }, 'invalid_request'],
      ['a padded challenge', { code_challenge: `${'A'.repeat(43)}=` }, 'invalid_request'],
      ['a challenge in base64', { code_challenge: `${'A'.repeat(41)}+A` }, 'invalid_request'],
      ['a challenge that no hash has', { code_challenge: `${'A'.repeat(42)}B` }, 'invalid_request'],
      ['an unknown scope', { scope: 'read fly' }, 'invalid_scope'],
      ['a scope of other characters', { scope: '"' }, 'invalid_scope'],
      ['claims of a person without openid', { scope: 'read email' }, 'invalid_scope'],
      [
        'the UserInfo Endpoint without openid',
        { scope: 'profile', resource: 'https://as.test/oauth/userinfo' },
        'invalid_scope',
      ],
      ['an unknown resource', { resource: 'https://elsewhere.test' }, 'invalid_target'],
      ['a resource with a path more', { resource: 'https://api.example.com/a' }, 'invalid_target'],
      ['a scope that is too long', { scope: 'x'.repeat(4097) }, 'invalid_request'],
      ['a resource that is too long', { resource: `https://api.example.com/${'x'.repeat(512)}` }, 'invalid_request'],
    ])('%s', (_, change, error) => expectError(request(change), error));

    it.each(['response_type', 'scope', 'code_challenge', 'code_challenge_method'])(
      '%s twice, or with invalid characters',
      async (name) => {
        await expectError(`${request()}&${name}=code&${name}=code`, 'invalid_request');
        await expectError(`${request({ [name]: undefined })}&${name}=a%00b`, 'invalid_request');
        await expectError(`${request({ [name]: undefined })}&${name}=%ff`, 'invalid_request');
        await expectError(`${request({ [name]: undefined })}&${name}=%`, 'invalid_request');
      },
    );

    it('an invalid state is not returned, the error is', async () => {
      await expectError(`${request()}&state=again`, 'invalid_request', null);
      await expectError(`${request({ state: undefined })}&state=%00`, 'invalid_request', null);
      await expectError(request({ state: 'x'.repeat(4097) }), 'invalid_request', null);
      await expectError(request({ state: undefined, response_type: 'token' }), 'unsupported_response_type', null);
    });

    it('a client that is not registered for codes', async () => {
      const service = await makeClient(scene, { grantTypes: ['client_credentials'] });
      await expectError(request({}, service), 'unauthorized_client');
    });

    it('a scope above the client’s ceiling', async () => {
      const limited = await makeClient(scene, { scope: ['read'] });
      await expectError(request({ scope: 'read write' }, limited), 'invalid_scope');
    });

    it('a repeated resource is allowed (RFC 8707); so is any unknown parameter', async () => {
      const resource = `resource=${encodeURIComponent('https://api.example.com')}`;
      const answer = await send(
        `${request()}&${resource}&${resource}&display=1&display=2&ui_locales=de&x=%00&%zz=1&=&&`,
      );
      expect(String(answer.headers['location'])).toMatch(/^\/interactions\//);
    });
  });

  it('returns state and iss with the code, and the state unchanged, whatever characters it has', async () => {
    const states = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.constantFrom('a=b&c=d', '<script>', '\'"', '%00', '#', ' ', '\r\nLocation: x'),
    );
    await fc.assert(
      fc.asyncProperty(
        states.filter((state) => !state.includes('\0') && state.isWellFormed()),
        fc.boolean(),
        async (state, isGood) => {
          const { url } = await goThrough(
            scene.browser,
            request({ state, ...(!isGood && { scope: 'fly' }) }),
            scene.user,
          );
          expect(url).toMatch(/^https:\/\/client\.test\/callback\?[\x21-\x7e]+$/);
          const { searchParams } = new URL(url);
          expect(searchParams.get('state')).toBe(state);
          expect(searchParams.get('iss')).toBe(ISSUER);
          expect(searchParams.has(isGood ? 'code' : 'error')).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps the query of the registered redirect URI', async () => {
    const client = await makeClient(scene, { redirectUris: ['https://client.test/cb?tenant=1&x=%20'] });
    const { url } = await goThrough(scene.browser, request({}, client), scene.user);
    expect(url).toMatch(/^https:\/\/client\.test\/cb\?tenant=1&x=%20&code=sh_ac_/);
  });

  describe('by POST', () => {
    const post = (body: string) => new Browser(scene.app).send('POST', '/oauth/authorize', body);
    it('continues as a GET, which carries the cookies, with the known parameters', async () => {
      const [path = '', query = ''] = request().split('?');
      const answer = await post(`${query}&unknown=x&unknown=y`);
      expect(answer.status).toBe(303);
      expect(answer.headers['location']).toBe(
        `${path}?${new URLSearchParams([...new URLSearchParams(query)].sort(byOrder))}`,
      );
      expect(answer.headers).not.toHaveProperty('set-cookie');
      const { url } = await goThrough(scene.browser, String(answer.headers['location']), scene.user);
      expect(url).toContain('code=');
    });
    it('is checked as a GET is', async () => {
      expect((await post('')).status).toBe(400);
      const [, query = ''] = request({ response_type: 'token' }).split('?');
      expect(String((await post(query)).headers['location'])).toContain('error=unsupported_response_type');
    });
    it('reads no parameter from its query', async () => {
      expect((await new Browser(scene.app).send('POST', request(), '')).status).toBe(400);
    });
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'] as const)('rejects %s', async (method) => {
    const reply = await scene.app.inject({ method, url: request() });
    expect(reply.statusCode).toBe(405);
    expect(reply.headers['allow']).toBe('GET, POST');
  });

  it('protects every answer: no store, no framing, no referrer, no sniffing, no script', async () => {
    const signIn = await new Browser(scene.app).get(request());
    const consent = await scene.browser.get(request({}, await makeClient(scene)));
    const problem = await send('/oauth/authorize');
    const redirect = await send(request({ scope: 'fly' }));
    expect([signIn.status, consent.status, problem.status, redirect.status]).toEqual([200, 200, 400, 303]);
    for (const { headers, body } of [signIn, consent, problem, redirect]) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'strict-transport-security': 'max-age=31536000',
      });
      const policy = policyWithoutScripts({ headers, body });
      expect(policy).toMatch(
        /^default-src 'none'; (style-src 'sha256-[^' ]+'; img-src 'self'; base-uri 'none'; )?frame-ancestors 'none'$/,
      );
      expect(policy).not.toMatch(/unsafe|\*/);
    }
  });

  it('turns no input of others into markup', async () => {
    const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&lt;{{x}}\`\${x}`;
    const client = await makeClient(scene, { clientName: evil, scope: ['read', '<b>bold</b>'] });
    const user = await makeUser(scene, evil);
    /** A script of ours is in the policy by its hash. */
    const OURS = /<script>[^<]*<\/script>/g;
    const expectPlain = (body: string) => {
      expect(body.match(OURS)?.join() ?? '').not.toContain('alert(');
      expect(body.replace(OURS, '')).not.toMatch(/<script|<img|<b>/i);
      expect(body).not.toContain('onerror=alert(1)>');
    };
    const browser = new Browser(scene.app);
    const url = request({ scope: 'read <b>bold</b>', state: evil }, client);
    const signIn = await browser.get(url);
    expect(signIn.body).toContain('&#60;script');
    expectPlain(signIn.body);
    const failed = await browser.submit(signIn, { username: evil, password: evil });
    expect(failed.body).toContain('is wrong');
    expectPlain(failed.body);
    const consent = await browser.submit(signIn, { username: user.username, password: PASSWORD });
    expect(consent.body).toContain('name="decision"');
    expectPlain(consent.body);
    for (const change of [{ redirect_uri: evil }, { client_id: evil }, { redirect_uri: `https://evil.test/${evil}` }]) {
      const page = await browser.send('GET', request(change, client), null);
      expect(page.status).toBe(400);
      expectPlain(page.body);
    }
    const error = await browser.send('GET', request({ state: evil, response_type: evil }, client), null);
    expect(String(error.headers['location'])).not.toMatch(/[<>"' ]/);
    expectPlain(error.body);
  });
});

const ORDER = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
];
const byOrder = ([one]: [string, string], [other]: [string, string]) => ORDER.indexOf(one) - ORDER.indexOf(other);

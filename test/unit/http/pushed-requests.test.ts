/** Pushed authorization requests (RFC 9126): POST /oauth/par, and the link that a browser opens with its `request_uri`. */
import { randomBytes } from 'node:crypto';
import { notInArray, sql } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { grants, interactions, pushedRequests, transitions } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  PASSWORD,
  REDIRECT_URI,
  type TestClient,
  token,
} from '../../support/actors.ts';
import { deleteClient, saveClient } from '../../support/administration.ts';
import { ISSUER, shippedConfiguration, withEveryPolicy } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { macProofOf, type ProofKey, type ProofSaid, proofKey, proofOf } from '../../support/dpop.ts';
import { testMacs } from '../../support/macs.ts';
import { basicOf, formOfRequest, linkOf, type Pushed, push } from '../../support/pushing.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const REQUEST_URI = /^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{43}$/;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(anyDatabase);
});
afterAll(() => scene.close());

const db = () => scene.database.drizzle;
const rows = async () => db().select().from(pushedRequests);
const stored = async () => (await rows()).length;
const answerIn = (url: string) => new URL(url).searchParams;
const aPublicClient = () => makeClient(scene, { tokenEndpointAuthMethod: 'none' });

describe('POST /oauth/par', () => {
  it('stores the request of a confidential and of a public client, with a hash of the link alone', async () => {
    for (const client of [scene.client, await aPublicClient()]) {
      const { status, headers, json } = await push(scene, client, { state: 'a-secret-state', login_hint: 'alice' });
      expect(status).toBe(201);
      expect(json.request_uri).toMatch(REQUEST_URI);
      expect(json.expires_in).toBe(60);
      expect(Object.keys(json).sort()).toEqual(['expires_in', 'request_uri']);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-type']).toContain('application/json');
      const ofClient = (await rows()).filter(({ clientId }) => clientId === client.clientId);
      expect(ofClient).toMatchObject([{ state: 'pushed' }]);
      const dump = JSON.stringify(await db().execute(sql`select pushed_requests::text as row from pushed_requests`));
      expect(dump).not.toContain(json.request_uri?.split(':').at(-1));
      expect(dump).not.toContain('a-secret-state');
      expect(dump).not.toContain('alice');
    }
  });

  it('names another request each time', async () => {
    const body = formOfRequest(scene.client, makePkce());
    const [one, other] = [await push(scene, scene.client, {}, { body }), await push(scene, scene.client, {}, { body })];
    expect(one.json.request_uri).not.toBe(other.json.request_uri);
  });

  it('has the client_id of the header where the body has none', async () => {
    const pushed = await push(scene, scene.client, { client_id: undefined });
    expect(pushed.status).toBe(201);
    expect(answerIn((await goThrough(scene.browser, pushed.link, scene.user)).url).get('code')).not.toBeNull();
  });

  it.each<[string, (client: TestClient, other: TestClient) => Readonly<Record<string, string>>]>([
    ['without credentials', () => ({})],
    ['with a wrong secret', ({ clientId }) => basicOf({ clientId, secret: 'wrong' } as TestClient)],
    ['with malformed credentials', () => ({ authorization: 'Basic %%%' })],
    ['with a Bearer token', () => ({ authorization: 'Bearer token' })],
  ])('rejects a confidential client %s', async (_, headers) => {
    const before = await stored();
    const pushed = await push(scene, scene.client, {}, { headers: headers(scene.client, scene.other) });
    expect(pushed.status).toBe(401);
    expect(pushed.json.error).toBe('invalid_client');
    expect(pushed.headers['www-authenticate']).toContain('Basic');
    expect(await stored()).toBe(before);
  });

  it('rejects another client in the body than in the header, two authentications, and an unknown client', async () => {
    const before = await stored();
    const another = await push(scene, scene.client, { client_id: scene.other.clientId });
    expect(another).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    const twice = await push(scene, scene.client, { client_secret: scene.client.secret ?? '' });
    expect(twice).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    const unknown = await push(scene, { ...scene.client, clientId: 'unknown', secret: null });
    expect(unknown).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    const withSecret = await push(scene, await aPublicClient(), { client_secret: 'a secret' });
    expect(withSecret).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    expect(await stored()).toBe(before);
  });

  it('refuses a request_uri in the pushed request, its own too', async () => {
    const { json } = await push(scene, scene.client);
    const before = await stored();
    for (const uri of ['https://client.test/request', json.request_uri ?? '', 'urn:ietf:params:oauth:request_uri:x']) {
      const pushed = await push(scene, scene.client, { request_uri: uri });
      expect(pushed, uri).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    }
    expect(await stored()).toBe(before);
  });

  /** The same changes, at the authorization endpoint: the error of the redirect is that of the push. */
  it.each<[string, Record<string, string | undefined>, string]>([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['no method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge that is too short', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['an unknown scope', { scope: 'read fly' }, 'invalid_scope'],
    ['an unknown resource', { resource: 'https://elsewhere.test' }, 'invalid_target'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a registration', { registration: '{}' }, 'registration_not_supported'],
    ['an unsupported response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['a prompt that contradicts itself', { prompt: 'none login' }, 'invalid_request'],
    ['a max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
    ['a hint that this server did not make', { id_token_hint: 'no ID Token' }, 'invalid_request'],
  ])('rejects %s, as the authorization endpoint does', async (_, change, error) => {
    const before = await stored();
    const pushed = await push(scene, scene.client, change);
    expect(pushed.status).toBe(400);
    expect(pushed.json.error).toBe(error);
    expect(pushed.json.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(await stored()).toBe(before);
    const plain = await new Browser(scene.app).send('GET', authorizeUrl(scene.client, makePkce(), change), null);
    const redirect = answerIn(String(plain.headers['location']));
    expect(redirect.get('error')).toBe(error);
    expect(redirect.get('error_description')).toBe(pushed.json.error_description);
  });

  it('rejects parameters that are too long together, as the authorization endpoint does', async () => {
    const random = (bytes: number) => randomBytes(bytes).toString('base64url');
    const redirectUri = `${REDIRECT_URI}?${random(1400)}`;
    const client = await makeClient(scene, { redirectUris: [redirectUri] });
    const change = { state: random(3000), nonce: random(750), login_hint: random(750) };
    const pushed = await push(scene, client, change);
    expect(pushed).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    expect(pushed.json.error_description).toContain('too long together');
    expect((await push(scene, client, { ...change, nonce: undefined, login_hint: undefined })).status).toBe(201);
  });

  it('rejects a redirect URI that is missing, or not registered', async () => {
    for (const uri of [undefined, '', 'https://evil.test/', `${REDIRECT_URI}/`, `${REDIRECT_URI}?a=b`]) {
      const pushed = await push(scene, scene.client, { redirect_uri: uri });
      expect(pushed, String(uri)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    }
  });

  it('rejects a client without the grant type', async () => {
    const service = await makeClient(scene, { grantTypes: ['client_credentials'] });
    expect(await push(scene, service)).toMatchObject({ status: 400, json: { error: 'unauthorized_client' } });
  });

  it('rejects repeated, malformed and too many parameters, and a value that is too long', async () => {
    const valid = formOfRequest(scene.client, makePkce());
    const bodies = [
      `${valid}&state=again`,
      `${valid}&scope=read&scope=read`,
      `${valid}&nonce=%ff`,
      `${valid}&nonce=%00`,
      `${valid}&nonce=\u00e9`,
      `${valid}&request_uri=a&request_uri=b`,
      `${valid}&${'a=b&'.repeat(100)}`,
      `${valid}&login_hint=${'x'.repeat(1025)}`,
    ];
    const before = await stored();
    for (const body of bodies) {
      const pushed = await push(scene, scene.client, {}, { body });
      expect(pushed, body.slice(-80)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    }
    expect(await stored()).toBe(before);
  });

  it('rejects other methods, content types, parameters in the query, an empty body and a huge one', async () => {
    const valid = formOfRequest(scene.client, makePkce());
    const before = await stored();
    const got = await scene.app.inject({ method: 'GET', url: `/oauth/par?${valid}`, headers: basicOf(scene.client) });
    expect([got.statusCode, got.headers['allow']]).toEqual([405, 'POST']);
    const json = await scene.app.inject({
      method: 'POST',
      url: '/oauth/par',
      headers: { ...basicOf(scene.client), 'content-type': 'application/json' },
      payload: JSON.stringify(Object.fromEntries(new URLSearchParams(valid))),
    });
    expect([json.statusCode, json.json().error]).toEqual([400, 'invalid_request']);
    const inQuery = await push(scene, scene.client, {}, { url: `/oauth/par?${valid}`, body: '' });
    expect(inQuery).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    const halfInQuery = await push(scene, scene.client, { code_challenge: undefined }, { url: `/oauth/par?${valid}` });
    expect(halfInQuery).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    const huge = await push(scene, scene.client, {}, { body: `${valid}&state2=${'x'.repeat(33_000)}` });
    expect(huge).toMatchObject({ status: 413, json: { error: 'invalid_request' } });
    expect(await stored()).toBe(before);
  });
});

describe('the link of a pushed request', () => {
  it('leads to a code, which the client exchanges; the request is used then, and its parameters are erased', async () => {
    const earlier = new Set((await rows()).map(({ id }) => id));
    const { link, pkce, json } = await push(scene, scene.client, { nonce: 'a-nonce', scope: 'openid read' });
    const answer = answerIn((await goThrough(new Browser(scene.app), link, scene.user)).url);
    expect(answer.get('state')).toBe('a-state');
    expect(answer.get('iss')).toBe(ISSUER);
    const code = answer.get('code') ?? '';
    const [row] = (await rows()).filter(({ id }) => !earlier.has(id));
    expect(row).toMatchObject({ state: 'used', sealed: '' });
    const entries = await db()
      .select()
      .from(transitions)
      .where(sql`${transitions.interactionId} = ${row?.id ?? ''}`);
    const about = (machine: string) =>
      entries
        .filter((one) => one.machine === machine)
        .map(({ event, toState, clientId }) => [event, toState, clientId]);
    expect(about('pushedRequest')).toEqual([
      ['received', 'pushed', scene.client.clientId],
      ['answered', 'used', scene.client.clientId],
    ]);
    expect(JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
      json.request_uri?.split(':').at(-1),
    );
    const tokens = await exchange(scene, scene.client, { code, verifier: pkce.verifier });
    expect(tokens.status).toBe(200);
    const [, payload = ''] = (tokens.json.id_token ?? '').split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ nonce: 'a-nonce' });
  });

  it('reads client_id and request_uri alone: every other parameter of the browser is ignored', async () => {
    const { link } = await push(scene, scene.client, { state: 'pushed', scope: 'read' });
    const earlier = (await db().select().from(grants)).map(({ id }) => id);
    const beside =
      '&state=hostile&redirect_uri=https://evil.test/&scope=write&response_type=token&prompt=none&prompt=x';
    const { url } = await goThrough(new Browser(scene.app), `${link}${beside}`, scene.user);
    expect(url.startsWith(REDIRECT_URI)).toBe(true);
    expect(answerIn(url).get('state')).toBe('pushed');
    expect(answerIn(url).get('code')).not.toBeNull();
    const [grant] = await db().select().from(grants).where(notInArray(grants.id, earlier));
    expect(grant?.scope).toEqual(['read']);
  });

  it('opens again in a second tab and at a reload, and the answer is one', async () => {
    const { link } = await push(scene, scene.client, { prompt: 'consent' });
    const browser = new Browser(scene.app);
    const first = await browser.get(link);
    const reloaded = await browser.get(link);
    expect([first.status, reloaded.status]).toEqual([200, 200]);
    const consent = await browser.submit(first, { username: scene.user.username, password: PASSWORD });
    const tab = await browser.get(link);
    expect(tab.body).toContain('name="decision"');
    const answered = await browser.submit(consent, { decision: 'approve' });
    const repeated = await browser.submit(tab, { decision: 'approve' });
    expect(answerIn(repeated.url).get('code')).toBe(answerIn(answered.url).get('code'));
    const denied = await browser.submit(tab, { decision: 'deny' });
    expect(denied.status).toBe(400);
    const again = await browser.get(link);
    expect(again.status).toBe(400);
    expect(again.body).toContain('pushed_request_used');
  });

  it('is spent by a refusal', async () => {
    const { link } = await push(scene, scene.client, { prompt: 'consent' });
    const denied = await goThrough(new Browser(scene.app), link, scene.user, 'deny');
    expect(answerIn(denied.url).get('error')).toBe('access_denied');
    expect((await new Browser(scene.app).get(link)).body).toContain('pushed_request_used');
  });

  it('is spent by a silent refusal, and stores no interaction for it', async () => {
    const before = (await db().select().from(interactions)).length;
    const { link } = await push(scene, scene.client, { prompt: 'none' });
    const browser = new Browser(scene.app);
    expect(answerIn((await browser.get(link)).url).get('error')).toBe('login_required');
    expect((await browser.get(link)).body).toContain('pushed_request_used');
    expect((await db().select().from(interactions)).length).toBe(before);
  });

  it('yields a code without a page, once', async () => {
    await goThrough(scene.browser, authorizeUrl(scene.client, makePkce()), scene.user);
    const { link } = await push(scene, scene.client, { prompt: 'none' });
    expect(answerIn((await scene.browser.get(link)).url).get('code')).not.toBeNull();
    expect((await scene.browser.get(link)).body).toContain('pushed_request_used');
  });

  it('of another client is refused, and stays open for its own', async () => {
    const { link, json } = await push(scene, scene.client);
    const stolen = await new Browser(scene.app).get(linkOf(scene.other.clientId, json.request_uri ?? ''));
    expect(stolen.status).toBe(400);
    expect(stolen.body).toContain('pushed_request_of_another_client');
    const nameless = await new Browser(scene.app).get(
      `/oauth/authorize?${new URLSearchParams({ request_uri: json.request_uri ?? '' })}`,
    );
    expect([nameless.status, nameless.body.includes('client_id is missing')]).toEqual([400, true]);
    expect(answerIn((await goThrough(new Browser(scene.app), link, scene.user)).url).get('code')).not.toBeNull();
  });

  it('is refused when it was never made, is malformed, or is that of another server', async () => {
    const open = (uri: string) => new Browser(scene.app).get(linkOf(scene.client.clientId, uri));
    for (const handle of ['A'.repeat(43), 'A'.repeat(42), 'A'.repeat(44), '', `${'A'.repeat(42)}%`]) {
      const page = await open(`urn:ietf:params:oauth:request_uri:${handle}`);
      expect([page.status, page.body.includes('pushed_request_unknown')], handle).toEqual([400, true]);
    }
    const another = await new Browser(scene.app).send(
      'GET',
      authorizeUrl(scene.client, makePkce(), { request_uri: 'https://client.test/request' }),
      null,
    );
    expect(answerIn(String(another.headers['location'])).get('error')).toBe('request_uri_not_supported');
  });

  it('is refused after its end; an interaction that began in time continues', async () => {
    const [late, slow] = [await push(scene, scene.client, { prompt: 'consent' }), await push(scene, scene.client)];
    const browser = new Browser(scene.app);
    const page = await browser.get(late.link);
    scene.clock.advanceSeconds(60);
    const tooLate = await new Browser(scene.app).get(slow.link);
    expect([tooLate.status, tooLate.body.includes('pushed_request_expired')]).toEqual([400, true]);
    const consent = await browser.submit(page, { username: scene.user.username, password: PASSWORD });
    const answer = await browser.submit(consent, { decision: 'approve' });
    expect(answerIn(answer.url).get('code')).not.toBeNull();
  });

  it('works by POST from the site of the client, as the authorization endpoint does', async () => {
    const { link } = await push(scene, scene.client);
    const browser = new Browser(scene.app);
    const answer = await browser.send('POST', '/oauth/authorize', link.split('?')[1] ?? '');
    expect(answer.status).toBe(303);
    expect(answer.headers['location']).toBe(link);
  });

  it('is checked again when it opens: a page says that the client lost its redirect URI', async () => {
    const client = await makeClient(scene);
    const { link } = await push(scene, client);
    const { secret: _, ...registration } = client;
    const changed = { ...registration, redirectUris: ['https://client.test/other'] };
    await saveClient(db(), changed, false, 'operator', testMacs);
    expect((await new Browser(scene.app).get(link)).body).toContain('not registered');
    await deleteClient(db(), client.clientId);
    expect((await new Browser(scene.app).get(link)).body).toContain('No app is registered');
  });

  it('is checked again when it opens: an error is its answer', async () => {
    const client = await makeClient(scene);
    const { link } = await push(scene, client);
    const { secret: _, ...registration } = client;
    await saveClient(db(), { ...registration, grantTypes: ['client_credentials'] }, false, 'operator', testMacs);
    const refused = await new Browser(scene.app).send('GET', link, null);
    expect(answerIn(String(refused.headers['location'])).get('error')).toBe('unauthorized_client');
    expect((await new Browser(scene.app).get(link)).body).toContain('pushed_request_used');
  });

  it('leaves another tab no second answer, when an error was the first', async () => {
    const client = await makeClient(scene);
    const { link } = await push(scene, client, { prompt: 'consent' });
    const browser = new Browser(scene.app);
    const page = await browser.get(link);
    const consent = await browser.submit(page, { username: scene.user.username, password: PASSWORD });
    await db().execute(
      sql`update pushed_requests set state = 'used', sealed = '' where client_id = ${client.clientId}`,
    );
    const answer = await browser.submit(consent, { decision: 'approve' });
    expect([answer.status, answer.body.includes('Already answered')]).toEqual([400, true]);
    expect((await db().select().from(grants)).filter(({ clientId }) => clientId === client.clientId)).toEqual([]);
  });
});

describe('a client that has to push', () => {
  const REQUIRED = 'pushed_request_required';
  const shown = async (app: Scene['app'], client: TestClient, change: Record<string, string | undefined> = {}) => {
    const page = await new Browser(app).send('GET', authorizeUrl(client, makePkce(), change), null);
    return [page.status, page.headers['location'], page.body.includes(REQUIRED)];
  };
  const ON_A_PAGE = [400, undefined, true];

  it('gets no answer to parameters that a browser brings, and a code for those that it pushed', async () => {
    const client = await makeClient(scene, { requirePushedAuthorizationRequests: true });
    for (const change of [
      {},
      { state: 'hostile', prompt: 'none' },
      { response_type: 'token' },
      { code_challenge: undefined },
      { request_uri: 'https://client.test/request' },
    ])
      expect(await shown(scene.app, client, change), JSON.stringify(change)).toEqual(ON_A_PAGE);
    const form = formOfRequest(client, makePkce());
    const posted = await new Browser(scene.app).send('POST', '/oauth/authorize', form);
    expect([posted.status, posted.headers['location'], posted.body.includes(REQUIRED)]).toEqual(ON_A_PAGE);
    const { link } = await push(scene, client);
    expect(answerIn((await goThrough(new Browser(scene.app), link, scene.user)).url).get('code')).not.toBeNull();
  });

  it('keeps a link that it pushed before, and leaves every other client as it was', async () => {
    const client = await makeClient(scene);
    const { link } = await push(scene, client);
    const { secret: _, ...registration } = client;
    const changed = { ...registration, requirePushedAuthorizationRequests: true };
    await saveClient(db(), changed, false, 'operator', testMacs);
    expect(await shown(scene.app, client)).toEqual(ON_A_PAGE);
    expect(answerIn((await goThrough(new Browser(scene.app), link, scene.user)).url).get('code')).not.toBeNull();
    expect((await shown(scene.app, scene.client))[0]).toBe(303);
  });

  it('is every client, where sign-in.yaml says so, and the metadata tell it', async () => {
    const signIn = { ...shippedConfiguration.signIn, requirePushedAuthorizationRequests: true };
    const strict = await openScene(anyDatabase, { configuration: { ...shippedConfiguration, signIn } });
    onTestFinished(strict.close);
    expect(await shown(strict.app, strict.client)).toEqual(ON_A_PAGE);
    const { link } = await push(strict, strict.client);
    expect(answerIn((await goThrough(strict.browser, link, strict.user)).url).get('code')).not.toBeNull();
    const metadata = await strict.app.inject({ url: '/.well-known/oauth-authorization-server' });
    expect(metadata.json()).toMatchObject({ require_pushed_authorization_requests: true });
  });
});

describe('a DPoP proof at the push', () => {
  const PAR = `${ISSUER}/oauth/par`;
  let key: ProofKey;
  let thief: ProofKey;
  beforeAll(async () => {
    [key, thief] = [await proofKey(), await proofKey()];
  });
  const proof = (change: Partial<ProofSaid> = {}, by = key, at = scene) =>
    proofOf(by, { url: PAR, now: at.clock.now(), ...change });
  const pushWith = (dpop: string, change: Fields = {}, client: TestClient = scene.client, at = scene) =>
    push(at, client, change, { headers: { ...basicOf(client), dpop } });
  type Fields = Readonly<Record<string, string | undefined>>;
  const redeem = async ({ link, pkce }: Pushed, client: TestClient, by: ProofKey | null) => {
    const code = answerIn((await goThrough(new Browser(scene.app), link, scene.user)).url).get('code') ?? '';
    const fields = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
    const ask = (signer: ProofKey | null) =>
      token(scene, client, fields, signer ? { dpop: proof({ url: `${ISSUER}/oauth/token` }, signer) } : {});
    return { first: await ask(by), last: await ask(key) };
  };

  it('binds the code to its key, with dpop_jkt beside it or without', async () => {
    for (const client of [scene.client, await aPublicClient()])
      for (const change of [{}, { dpop_jkt: key.jkt }])
        for (const wrong of [null, thief]) {
          const pushed = await pushWith(proof(), change, client);
          expect(pushed.status).toBe(201);
          const { first, last } = await redeem(pushed, client, wrong);
          expect([first.status, first.json.error]).toEqual([400, 'invalid_grant']);
          expect([last.status, last.json.token_type]).toEqual([200, 'DPoP']);
          expect(decodeJwt(last.json.access_token ?? '')['cnf']).toEqual({ jkt: key.jkt });
        }
  });

  it('is not needed: without it, no key binds the code', async () => {
    const { first } = await redeem(await push(scene, scene.client), scene.client, null);
    expect([first.status, first.json.token_type]).toEqual([200, 'Bearer']);
  });

  it.each<[string, () => string]>([
    ['of another dpop_jkt', () => thief.jkt],
    ['of a dpop_jkt that is no thumbprint', () => 'short'],
  ])('%s is refused', async (_, named) => {
    const before = await stored();
    const pushed = await pushWith(proof(), { dpop_jkt: named() });
    expect(pushed).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    expect(pushed.json.error_description).toContain('dpop_jkt');
    expect(await stored()).toBe(before);
  });

  it.each<[string, () => string]>([
    ['two headers', () => `${proof()}, ${proof()}`],
    ['no JWT', () => 'a proof'],
    ['an empty header', () => ''],
    ['another method', () => proof({ method: 'GET' })],
    ['the URL of the token endpoint', () => proof({ url: `${ISSUER}/oauth/token` })],
    ['the URL of the authorization endpoint', () => proof({ url: `${ISSUER}/oauth/authorize` })],
    ['another host', () => proof({ url: 'https://evil.test/oauth/par' })],
    ['an old time', () => proof({ now: new Date(scene.clock.now().getTime() - 120_000) })],
    ['a later time', () => proof({ now: new Date(scene.clock.now().getTime() + 120_000) })],
    ['alg none', () => proof({ header: { alg: 'none' } })],
    ['HS256', () => macProofOf(key, { url: PAR, now: scene.clock.now() })],
    ['the key of another proof', () => proof({ header: { jwk: thief.jwk } })],
    ['a private key', () => proof({ header: { jwk: key.privateKey.export({ format: 'jwk' }) } })],
    ['a key of 4 KB', () => proof({ header: { jwk: { ...key.jwk, note: 'x'.repeat(4096) } } })],
    ['no jti', () => proof({ claims: { jti: undefined } })],
  ])('with %s is refused, and nothing is stored', async (_, sent) => {
    const before = await stored();
    const pushed = await pushWith(sent());
    expect(pushed).toMatchObject({ status: 400, json: { error: 'invalid_dpop_proof' } });
    expect(pushed.headers['cache-control']).toBe('no-store');
    expect(await stored()).toBe(before);
  });

  it('passes once, at the push and at the token endpoint together', async () => {
    const sent = proof();
    expect((await pushWith(sent)).status).toBe(201);
    expect((await pushWith(sent)).json.error).toBe('invalid_dpop_proof');
    const spent = proof({ url: `${ISSUER}/oauth/token` });
    expect((await token(scene, scene.client, { grant_type: 'client_credentials' }, { dpop: spent })).status).toBe(200);
    expect((await pushWith(spent)).json.error).toBe('invalid_dpop_proof');
  });

  it('of a client that is not authenticated is not remembered', async () => {
    const sent = proof();
    const stranger = { ...scene.client, secret: 'wrong' };
    expect((await pushWith(sent, {}, stranger)).json.error).toBe('invalid_client');
    expect((await pushWith(sent)).status).toBe(201);
  });

  it('is not logged, and its problem is', async () => {
    const sent = proof({ method: 'GET' });
    const before = scene.logs().length;
    await pushWith(sent);
    const lines = scene.logs().slice(before);
    expect(lines).toContain('"reason":"dpop_proof_invalid"');
    expect(lines).toContain('"proof":"');
    expect(lines).not.toContain(sent);
  });

  it('needs a nonce where the policy of the client demands one', async () => {
    const strict = await openScene(anyDatabase, { configuration: withEveryPolicy({ dpopNonceRequired: true }) });
    onTestFinished(strict.close);
    const send = (nonce?: string) =>
      pushWith(proof(nonce === undefined ? {} : { nonce }, key, strict), {}, strict.client, strict);
    const first = await send();
    expect([first.status, first.json.error]).toEqual([400, 'use_dpop_nonce']);
    const nonce = String(first.headers['dpop-nonce']);
    const next = await send(nonce);
    expect([next.status, next.headers['dpop-nonce']]).toEqual([201, nonce]);
    const wrong = await send(`${nonce.slice(0, -1)}${nonce.endsWith('A') ? 'E' : 'A'}`);
    expect([wrong.json.error, wrong.headers['dpop-nonce']]).toEqual(['use_dpop_nonce', nonce]);
    const invalid = await pushWith(proof({ nonce }, key, strict), { scope: 'fly' }, strict.client, strict);
    expect([invalid.json.error, invalid.headers['dpop-nonce']]).toEqual(['invalid_scope', nonce]);
    strict.clock.advanceSeconds(180);
    expect((await send(nonce)).json.error).toBe('use_dpop_nonce');
    expect((await push(strict, strict.client)).status).toBe(201);
  });
});

describe('the bounds of pushed requests', () => {
  const MOST = 240;
  const opened = async (lifetimeSeconds?: number, most = 10) => {
    const lifetime = lifetimeSeconds !== undefined && { pushedRequestLifetimeSeconds: lifetimeSeconds };
    const limits = { ...shippedConfiguration.limits, pushedRequestsByClient: most };
    const own = await openScene(anyDatabase, { configuration: { ...withEveryPolicy({ ...lifetime }), limits } });
    onTestFinished(own.close);
    return own;
  };
  const TOO_MANY = { status: 429, json: { error: 'temporarily_unavailable' } };

  it('count the open requests of a client: an answer or an end makes room', async () => {
    const own = await opened();
    const { client, other } = own;
    const first = await push(own, client);
    own.clock.advanceSeconds(20);
    for (let n = 1; n < 10; n++) expect((await push(own, client)).status).toBe(201);
    const refused = await push(own, client);
    expect(refused).toMatchObject(TOO_MANY);
    // Until the first of them ends.
    expect(refused.headers['retry-after']).toBe('40');
    expect((await push(own, other)).status).toBe(201);
    const count = async () => (await own.database.drizzle.select().from(pushedRequests)).length;
    expect(await count()).toBe(11);

    await goThrough(own.browser, first.link, own.user);
    const last = await push(own, client);
    expect(last.status).toBe(201);
    expect((await push(own, client)).headers['retry-after']).toBe('60');
    own.clock.advanceSeconds(59);
    expect(await push(own, client)).toMatchObject(TOO_MANY);
    own.clock.advanceSeconds(1);
    for (let n = 0; n < 10; n++) expect((await push(own, client)).status).toBe(201);
    expect(await push(own, client)).toMatchObject(TOO_MANY);
    expect((await goThrough(own.browser, last.link, own.user)).status).toBe(400);
  });

  it('give an address a quarter of the requests of a public client, and leave the others to other addresses', async () => {
    const own = await opened(undefined, MOST);
    const client = await makeClient(own, { tokenEndpointAuthMethod: 'none' });
    const from = async (address: string, times: number) => {
      const statuses: number[] = [];
      for (let n = 0; n < times; n++) statuses.push((await push(own, client, {}, { address })).status);
      return statuses.filter((status) => status === 201).length;
    };
    // A quarter of 240 within the lifetime of a minute: 10 within 10 seconds.
    expect(await from('198.51.100.8', 12)).toBe(10);
    const refused = await push(own, client, {}, { address: '198.51.100.8' });
    expect(refused).toMatchObject(TOO_MANY);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await from('198.51.100.9', 12)).toBe(10);
    own.clock.advanceSeconds(10);
    expect(await from('198.51.100.8', 1)).toBe(1);
  });

  it('have no address for a confidential client', async () => {
    const own = await opened(undefined, MOST);
    for (let n = 0; n < 25; n++) expect((await push(own, own.client)).status).toBe(201);
  });

  it.each([10, 600])('are in time for the %i seconds of the policy', async (lifetimeSeconds) => {
    const own = await opened(lifetimeSeconds);
    const [one, another] = [await push(own, own.client), await push(own, own.client)];
    expect(one.json.expires_in).toBe(lifetimeSeconds);
    own.clock.advanceSeconds(lifetimeSeconds - 1);
    expect(answerIn((await goThrough(own.browser, one.link, own.user)).url).get('code')).not.toBeNull();
    own.clock.advanceSeconds(1);
    const late = await own.browser.get(another.link);
    expect([late.status, late.body.includes('pushed_request_expired')]).toEqual([400, true]);
  });
});

/** openid-client as an OpenID Connect client: its own checks are the judgement. */
import { createHash } from 'node:crypto';
import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  REDIRECT_URI,
  type TestClient,
} from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { Browser } from '../support/browser.ts';
import { formPosted, judged } from '../support/interop.ts';

const API = 'https://api.example.com';
const BYE = 'https://client.test/bye';

describe('openid-client, OpenID Connect', () => {
  const { signingKeys } = shippedConfiguration;
  const judging = judged({
    configuration: {
      ...shippedConfiguration,
      signingKeys: { ...signingKeys, algorithms: ['ES256', 'RS256', 'EdDSA'] },
    },
  });

  const discover = (
    { clientId, secret, idTokenSignedResponseAlg }: TestClient,
    algorithm: 'oidc' | 'oauth2' = 'oidc',
  ) =>
    client.discovery(
      new URL(judging.current.test.issuer),
      clientId,
      { id_token_signed_response_alg: idTokenSignedResponseAlg, [client.clockTolerance]: 5 },
      secret === null ? client.None() : client.ClientSecretBasic(secret),
      { algorithm, execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
    );

  async function begin(config: client.Configuration, more: Readonly<Record<string, string>> = {}) {
    const checks = {
      pkceCodeVerifier: client.randomPKCECodeVerifier(),
      expectedState: client.randomState(),
      expectedNonce: client.randomNonce(),
    };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      ...more,
    });
    return { url, checks };
  }

  async function signIn(config: client.Configuration, more: Readonly<Record<string, string>> = {}) {
    const { url, checks } = await begin(config, more);
    return client.authorizationCodeGrant(config, await judging.current.approve(url), checks);
  }

  const refused = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'not refused',
      (error: { error?: string; code?: string }) => error.error ?? error.code ?? String(error),
    );

  it.each(['oidc', 'oauth2'] as const)('finds the same server at the well-known address of %s', async (algorithm) => {
    const server = (await discover(judging.current.confidential, algorithm)).serverMetadata();
    expect(server.issuer).toBe(judging.current.test.issuer);
    expect(server.userinfo_endpoint).toBe(`${judging.current.test.issuer}/oauth/userinfo`);
    expect(server.end_session_endpoint).toBe(`${judging.current.test.issuer}/oauth/logout`);
  });

  it.each([
    ['RS256', 'sha256'],
    ['ES256', 'sha256'],
    ['EdDSA', 'sha512'],
  ] as const)(
    'accepts an ID Token signed with %s, and the same subject from the UserInfo Endpoint',
    async (idTokenSignedResponseAlg, hash) => {
      const { test, user } = judging.current;
      const registered = await makeClient(test, { idTokenSignedResponseAlg });
      const config = await discover(registered);
      const tokens = await signIn(config, { max_age: '3600' });
      const claims = tokens.claims();
      expect(claims).toMatchObject({ iss: test.issuer, sub: user.id, aud: registered.clientId });
      expect(claims?.auth_time).toBeTypeOf('number');
      // Core §3.1.3.8: the client may check it. This one does not, others do.
      const digest = createHash(hash).update(tokens.access_token).digest();
      expect(claims?.['at_hash']).toBe(digest.subarray(0, digest.length / 2).toString('base64url'));
      const info = await client.fetchUserInfo(config, tokens.access_token, user.id);
      expect(info.sub).toBe(user.id);
      // Its behaviour if the two did not belong together.
      expect(await refused(client.fetchUserInfo(config, tokens.access_token, 'another user'))).not.toBe('not refused');
    },
  );

  it('gets the claims of the requested scope', async () => {
    const { test } = judging.current;
    const ada = await makeUser(test, 'ada', {
      name: 'Ada',
      email: 'ada@example.com',
      email_verified: true,
      gender: 'f',
    });
    const registered = await makeClient(test);
    const config = await discover(registered);
    const { url, checks } = await begin(config, { scope: 'openid email' });
    const { url: back } = await goThrough(new Browser(test.app), `${url.pathname}${url.search}`, ada);
    const tokens = await client.authorizationCodeGrant(config, new URL(back), checks);
    expect(await client.fetchUserInfo(config, tokens.access_token, ada.id)).toEqual({
      sub: ada.id,
      email: 'ada@example.com',
      email_verified: true,
    });
  });

  it('works as a public client too', async () => {
    const config = await discover(judging.current.publicClient);
    expect((await signIn(config)).claims()?.sub).toBe(judging.current.user.id);
  });

  it('rejects an ID Token of another sign-in, and an answer of another server', async () => {
    const config = await discover(judging.current.confidential);
    const one = await begin(config);
    const back = await judging.current.approve(one.url);
    const wrongNonce = { ...one.checks, expectedNonce: client.randomNonce() };
    expect(await refused(client.authorizationCodeGrant(config, back, wrongNonce))).not.toBe('not refused');
    const two = await begin(config);
    const mixed = await judging.current.approve(two.url);
    expect(mixed.searchParams.get('iss')).toBe(judging.current.test.issuer);
    mixed.searchParams.set('iss', 'https://another.example');
    expect(await refused(client.authorizationCodeGrant(config, mixed, two.checks))).not.toBe('not refused');
    // RFC 9207 §2.4: metadata promises `iss`, so that an answer without it is refused too.
    const three = await begin(config);
    const bare = await judging.current.approve(three.url);
    bare.searchParams.delete('iss');
    expect(await refused(client.authorizationCodeGrant(config, bare, three.checks))).not.toBe('not refused');
  });

  it('gets a new ID Token of the same sign-in at a refresh', async () => {
    const config = await discover(judging.current.confidential);
    const first = await signIn(config);
    judging.current.test.clock.advanceSeconds(2);
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(second.id_token).not.toBe(first.id_token);
    const same = ({ sub, aud, auth_time, sid }: client.IDToken) => ({ sub, aud, auth_time, sid });
    const [before, after] = [first.claims(), second.claims()];
    if (!before || !after) throw new Error('no ID Token came');
    expect(same(after)).toEqual(same(before));
    expect(after).not.toHaveProperty('nonce');
  });

  it('reads a form_post answer', async () => {
    const { test, user, confidential } = judging.current;
    const config = await discover(confidential);
    const { url, checks } = await begin(config, { response_mode: 'form_post' });
    const page = await goThrough(new Browser(test.app), `${url.pathname}${url.search}`, user);
    const tokens = await client.authorizationCodeGrant(config, formPosted(page.body), checks);
    expect(tokens.claims()?.sub).toBe(user.id);
  });

  it('reads a form_post error', async () => {
    const { test } = judging.current;
    const config = await discover(judging.current.confidential);
    const { url, checks } = await begin(config, { response_mode: 'form_post', prompt: 'none' });
    const page = await new Browser(test.app).get(`${url.pathname}${url.search}`);
    expect(await refused(client.authorizationCodeGrant(config, formPosted(page.body), checks))).toBe('login_required');
  });

  it('receives login_required without a session, and signs in silently with one', async () => {
    const { test, user, confidential } = judging.current;
    const config = await discover(confidential);
    const silently = async (browser: Browser) => {
      const { url, checks } = await begin(config, { prompt: 'none' });
      const { url: back } = await browser.get(`${url.pathname}${url.search}`);
      return client.authorizationCodeGrant(config, new URL(back), checks);
    };
    const browser = new Browser(test.app);
    expect(await refused(silently(browser))).toBe('login_required');
    await goThrough(browser, authorizeUrl(confidential, makePkce(), { scope: 'openid profile email' }), user);
    expect((await silently(browser)).claims()?.sub).toBe(user.id);
  });

  it('revokes tokens', async () => {
    const config = await discover(judging.current.confidential);
    const tokens = await signIn(config);
    await client.tokenRevocation(config, tokens.refresh_token ?? '', { token_type_hint: 'refresh_token' });
    expect(await refused(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_grant');
    // The UserInfo Endpoint answers 401 immediately.
    const info = client.fetchUserInfo(config, tokens.access_token, judging.current.user.id);
    await expect(info).rejects.toMatchObject({ status: 401 });
    // RFC 7009 §2.2: an unknown or already revoked token is no error.
    await client.tokenRevocation(config, tokens.refresh_token ?? '');
    await client.tokenRevocation(config, 'never a token');
  });

  it('requests one of several resources', async () => {
    const config = await discover(judging.current.confidential);
    const tokens = await signIn(config, { resource: API, scope: 'openid read write' });
    const narrowed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource: API });
    expect(audienceOf(narrowed.access_token)).toBe(API);
    // For the API alone: the token reveals no identity.
    const info = client.fetchUserInfo(config, narrowed.access_token, judging.current.user.id);
    await expect(info).rejects.toMatchObject({ status: 403 });
    // The UserInfo Endpoint is named for a token of its own.
    const { userinfo_endpoint: userInfo = '' } = config.serverMetadata();
    const identity = await client.refreshTokenGrant(config, narrowed.refresh_token ?? '', { resource: userInfo });
    expect(audienceOf(identity.access_token)).toBe(userInfo);
    expect((await client.fetchUserInfo(config, identity.access_token, judging.current.user.id)).sub).toBe(
      judging.current.user.id,
    );
    const unknown = client.refreshTokenGrant(config, identity.refresh_token ?? '', {
      resource: 'https://other.example',
    });
    expect(await refused(unknown)).toBe('invalid_target');
  });

  it('acts for itself, and gets no identity then', async () => {
    const config = await discover(judging.current.confidential);
    const tokens = await client.clientCredentialsGrant(config, { scope: 'read', resource: API });
    expect(audienceOf(tokens.access_token)).toBe(API);
    expect(tokens.id_token).toBeUndefined();
    expect(await refused(client.clientCredentialsGrant(config, { scope: 'openid' }))).toBe('invalid_scope');
  });

  it('signs the user out, and gets the browser back', async () => {
    const { test, user } = judging.current;
    const registered = await makeClient(test, { postLogoutRedirectUris: [BYE] });
    const config = await discover(registered);
    const browser = new Browser(test.app);
    const { url, checks } = await begin(config);
    const { url: back } = await goThrough(browser, `${url.pathname}${url.search}`, user);
    const tokens = await client.authorizationCodeGrant(config, new URL(back), checks);
    const leave = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: BYE,
      state: 'gone',
    });
    expect((await browser.get(`${leave.pathname}${leave.search}`)).url).toBe(`${BYE}?state=gone`);
    const again = await begin(config, { prompt: 'none' });
    const { url: answer } = await browser.get(`${again.url.pathname}${again.url.search}`);
    expect(new URL(answer).searchParams.get('error')).toBe('login_required');
  });
});

const audienceOf = (accessToken: string): unknown =>
  JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).aud;

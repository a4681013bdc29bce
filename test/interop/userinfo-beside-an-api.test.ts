/**
 * Libraries as their users configure them: `openid`, claims and a scope of an API in one request, no `resource`, and UserInfo with the
 * access token that comes. The API accepts the same token.
 */
import type { Server } from 'node:http';
import express from 'express';
import openidConnect from 'express-openid-connect';
import session from 'express-session';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import { createGuard } from 'statehouse/guard';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Visitor } from '../docs/visitor.ts';
import { goThrough, makeClient, makeUser, PASSWORD, REDIRECT_URI, type TestUser } from '../support/actors.ts';
import { Browser } from '../support/browser.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { openSinglePageApp } from './single-page-app.ts';

const API = 'https://api.example.com';
const SCOPE = 'openid profile email read';

describe('a client that requests openid and an API scope gets UserInfo', () => {
  const judging = judged();
  let ada: TestUser;
  let person: object;
  beforeAll(async () => {
    ada = await makeUser(judging.current.test, 'ada', { name: 'Ada', email: 'ada@example.com', email_verified: true });
    person = {
      sub: ada.id,
      name: 'Ada',
      preferred_username: ada.username,
      email: 'ada@example.com',
      email_verified: true,
    };
  });

  const approve = async (url: URL) =>
    new URL((await goThrough(new Browser(judging.current.test.app), `${url.pathname}${url.search}`, ada)).url);
  const acceptedByTheApi = async (accessToken: string) => {
    const guard = createGuard({ issuer: judging.current.test.issuer, resource: API });
    const request = new Request('https://api.example.com/photos', {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const outcome = await guard.check(request, { scopes: ['read'] });
    return outcome.kind;
  };
  const listening = async (app: express.Express, port: number) => {
    const server: Server = await new Promise((resolve) => {
      const opening: Server = app.listen(port, 'localhost', () => resolve(opening));
    });
    onTestFinished(() => void server.close());
  };

  it('openid-client', async () => {
    const { test, confidential } = judging.current;
    const config = await client.discovery(
      new URL(test.issuer),
      confidential.clientId,
      confidential.secret ?? '',
      undefined,
      {
        execute: [client.allowInsecureRequests],
      },
    );
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const tokens = await client.authorizationCodeGrant(config, await approve(url), { pkceCodeVerifier: verifier });
    expect(tokens.scope).toBe(SCOPE);
    expect(await client.fetchUserInfo(config, tokens.access_token, ada.id)).toMatchObject(person);
    expect(await acceptedByTheApi(tokens.access_token)).toBe('granted');
    const again = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(await client.fetchUserInfo(config, again.access_token, ada.id)).toMatchObject(person);
  });

  it('oauth4webapi, as a public client', async () => {
    const { test, publicClient } = judging.current;
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(test.issuer);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const registered = { client_id: publicClient.clientId };
    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: registered.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: SCOPE,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const answer = oauth.validateAuthResponse(as, registered, await approve(url));
    const asked = await oauth.authorizationCodeGrantRequest(
      as,
      registered,
      oauth.None(),
      answer,
      REDIRECT_URI,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, registered, asked, { requireIdToken: true });
    const response = await oauth.userInfoRequest(as, registered, tokens.access_token, insecure);
    expect(await oauth.processUserInfoResponse(as, registered, ada.id, response)).toMatchObject(person);
    expect(await acceptedByTheApi(tokens.access_token)).toBe('granted');
  });

  it('express-openid-connect', async () => {
    const { test } = judging.current;
    const port = await freePort();
    const base = `http://localhost:${port}`;
    const registered = await makeClient(test, { redirectUris: [`${base}/callback`] });
    const app = express();
    app.use(
      openidConnect.auth({
        issuerBaseURL: test.issuer,
        baseURL: base,
        clientID: registered.clientId,
        clientSecret: registered.secret ?? '',
        secret: 'a secret of the app, long enough',
        authorizationParams: { response_type: 'code', scope: SCOPE },
        enableTelemetry: false,
      }),
    );
    app.get('/profile', async ({ oidc }, response) => {
      response.json({ person: await oidc.fetchUserInfo(), token: oidc.accessToken?.access_token });
    });
    await listening(app, port);
    const visitor = new Visitor();
    const { location } = await visitor.get(`${base}/profile`);
    await visitor.get((await approve(new URL(location))).href);
    const profile = JSON.parse((await visitor.get(`${base}/profile`)).body);
    expect(profile.person).toMatchObject(person);
    expect(await acceptedByTheApi(profile.token)).toBe('granted');
  });

  it('passport-oauth2', async () => {
    const { test } = judging.current;
    const port = await freePort();
    const base = `http://localhost:${port}`;
    const registered = await makeClient(test, { redirectUris: [`${base}/callback`] });
    const strategy = new OAuth2Strategy(
      {
        authorizationURL: `${test.issuer}/oauth/authorize`,
        tokenURL: `${test.issuer}/oauth/token`,
        clientID: registered.clientId,
        clientSecret: registered.secret ?? '',
        callbackURL: `${base}/callback`,
        scope: SCOPE.split(' '),
        pkce: true,
        state: true,
      },
      (accessToken: string, _refreshToken: string, profile: object, done: OAuth2Strategy.VerifyCallback) =>
        done(null, { accessToken, profile }),
    );
    strategy.userProfile = (accessToken, done) => {
      fetch(`${test.issuer}/oauth/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
        .then((response) => (response.ok ? response.json() : Promise.reject(new Error(`UserInfo: ${response.status}`))))
        .then((profile) => done(null, profile), done);
    };
    const own = new passport.Passport();
    own.use('statehouse', strategy);
    const app = express();
    app.use(session({ secret: 'a secret of the app', resave: false, saveUninitialized: false }));
    app.get('/login', own.authenticate('statehouse', { session: false }));
    app.get(
      '/callback',
      own.authenticate('statehouse', { session: false }),
      ({ user }, response) => void response.json(user),
    );
    await listening(app, port);
    const visitor = new Visitor();
    const { location } = await visitor.get(`${base}/login`);
    const { body } = await visitor.get((await approve(new URL(location))).href);
    const { accessToken, profile } = JSON.parse(body);
    expect(profile).toMatchObject(person);
    expect(await acceptedByTheApi(accessToken)).toBe('granted');
  });

  it.skipIf(chromiumPath === null)('oidc-client-ts with loadUserInfo, in a browser', async () => {
    const { test } = judging.current;
    const port = await freePort();
    const registered = await makeClient(test, {
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [`http://127.0.0.1:${port}/callback`],
    });
    const app = await openSinglePageApp(port, test.issuer, registered.clientId, SCOPE);
    onTestFinished(app.close);
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await (await newContext(browser)).newPage();
    await page.goto(app.origin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Username').fill(ada.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.or(page.locator('output')).first().waitFor();
    if (await allow.isVisible()) await allow.click();
    const shown = JSON.parse(await page.locator('output').filter({ hasText: /^\{/ }).innerText());
    expect(shown.profile).toMatchObject(person);
    expect(await acceptedByTheApi(shown.access_token)).toBe('granted');
  });
});

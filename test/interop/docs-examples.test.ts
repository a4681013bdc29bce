/** The very files that docs/connecting-a-client.md shows, each against the server on its port: sign in, identity, refresh, sign out. */
import type { Server } from 'node:http';
import { inspect } from 'node:util';
import type { Token } from '@fastify/oauth2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type * as PassportOauth2 from '../../docs/examples/passport-oauth2.ts';
import { Visitor } from '../docs/visitor.ts';
import { goThrough, makeClient, makeUser, REDIRECT_URI, type TestClient } from '../support/actors.ts';
import { Browser } from '../support/browser.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { loadedByNode } from '../support/plain-node.ts';

const expressOpenidConnect = loadedByNode<typeof import('../../docs/examples/express-openid-connect.ts')>(
  'docs/examples/express-openid-connect.ts',
);
const fastifyOauth2 = loadedByNode<typeof import('../../docs/examples/fastify-oauth2.ts')>(
  'docs/examples/fastify-oauth2.ts',
);
const oauth4webapi = loadedByNode<typeof import('../../docs/examples/oauth4webapi.ts')>(
  'docs/examples/oauth4webapi.ts',
);
const openidClient = loadedByNode<typeof import('../../docs/examples/openid-client.ts')>(
  'docs/examples/openid-client.ts',
);
const passportOauth2 = loadedByNode<typeof import('../../docs/examples/passport-oauth2.ts')>(
  'docs/examples/passport-oauth2.ts',
);

/** The libraries' errors for `invalid_grant`; each throws an error of its own shape. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'not refused',
    (error: object) => inspect(error, { depth: 5 }),
  );

describe('the examples of docs/connecting-a-client.md', () => {
  const judging = judged();

  it('openid-client', async () => {
    const { clientId, secret } = judging.current.confidential;
    const config = await openidClient.connect(judging.current.test.issuer, clientId, secret ?? '');
    const { url, checks } = await openidClient.begin(config, REDIRECT_URI);
    const { tokens: first, person } = await openidClient.finish(config, await judging.current.approve(url), checks);
    expect(first).toMatchObject({ scope: 'openid email', expires_in: 900 });
    expect(person.sub).toBe(judging.current.user.id);
    const second = await openidClient.refresh(config, first.refresh_token ?? '');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await refusal(openidClient.refresh(config, first.refresh_token ?? ''))).toContain('invalid_grant');
    expect((await openidClient.serviceToken(config)).scope).toBe('read');
    const bye = openidClient.signOutUrl(config, second.id_token ?? '', 'https://client.test/bye');
    expect(`${bye.origin}${bye.pathname}`).toBe(`${judging.current.test.issuer}/oauth/logout`);
  });

  it('openid-client rejects an answer with another state or nonce, or from another issuer', async () => {
    const { clientId, secret } = judging.current.confidential;
    const config = await openidClient.connect(judging.current.test.issuer, clientId, secret ?? '');
    const { url, checks } = await openidClient.begin(config, REDIRECT_URI);
    const back = await judging.current.approve(url);
    for (const wrong of ['expectedState', 'expectedNonce']) {
      const { url: again, checks: mine } = await openidClient.begin(config, REDIRECT_URI);
      const answer = await judging.current.approve(again);
      await expect(openidClient.finish(config, answer, { ...mine, [wrong]: 'another' })).rejects.toThrow();
    }
    back.searchParams.set('iss', 'https://another.example');
    await expect(openidClient.finish(config, back, checks)).rejects.toThrow();
  });

  it('oauth4webapi, as a public client', async () => {
    const { clientId } = judging.current.publicClient;
    const server = await oauth4webapi.discover(judging.current.test.issuer);
    const { url, verifier, state } = await oauth4webapi.begin(server, clientId, REDIRECT_URI);
    const back = await judging.current.approve(url);
    const first = await oauth4webapi.finish(server, clientId, REDIRECT_URI, back, { verifier, state });
    expect(first).toMatchObject({ scope: 'read', expires_in: 900 });
    const second = await oauth4webapi.refresh(server, clientId, first.refresh_token ?? '');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await refusal(oauth4webapi.refresh(server, clientId, first.refresh_token ?? ''))).toContain('invalid_grant');
  });

  /** A client whose redirect URI is this web app's, on a port of its own. */
  async function webClient(): Promise<{ base: string; port: number; client: TestClient }> {
    const port = await freePort();
    const base = `http://localhost:${port}`;
    return { base, port, client: await makeClient(judging.current.test, { redirectUris: [`${base}/callback`] }) };
  }

  /** Log in, approve, and come back, as the person's browser does. */
  async function signInAt(visitor: Visitor, base: string, decision: 'approve' | 'deny' = 'approve') {
    const { location } = await visitor.get(`${base}/login`);
    return visitor.get(await judging.current.approve(new URL(location), decision));
  }

  it('passport-oauth2, in an Express app', async () => {
    const { base, port, client } = await webClient();
    const kept: (PassportOauth2.Tokens & { person: PassportOauth2.Person })[] = [];
    const statehouse = new passportOauth2.Statehouse({
      issuer: judging.current.test.issuer,
      clientId: client.clientId,
      clientSecret: client.secret ?? '',
      redirectUri: `${base}/callback`,
      keep: async (tokens, person) => String(kept.push({ ...tokens, person })),
    });
    const app = passportOauth2.buildApp(statehouse, 'a secret of the app', false);
    const server: Server = await new Promise((resolve) => {
      const opening: Server = app.listen(port, 'localhost', () => resolve(opening));
    });
    onTestFinished(() => void server.close());

    const visitor = new Visitor();
    expect((await signInAt(visitor, base)).location).toBe('/');
    expect((await visitor.get(`${base}/`)).body).toBe('Signed in.');
    expect((await new Visitor().get(`${base}/`)).body).toBe('Not signed in.');

    expect(kept[0]?.person).toEqual({ sub: judging.current.user.id });
    const first = kept[0]?.refreshToken ?? '';
    const second = await statehouse.refresh(first);
    expect(second.refreshToken).not.toBe(first);
    expect(await refusal(statehouse.refresh(first))).toContain('invalid_grant');

    // Another browser sends the answer that belongs to the first one.
    const { location } = await new Visitor().get(`${base}/login`);
    expect((await new Visitor().get(await judging.current.approve(new URL(location)))).location).toBe('/login-failed');
  });

  it('@fastify/oauth2, in a Fastify app', async () => {
    const { base, port, client } = await webClient();
    const kept: Token[] = [];
    const people: string[] = [];
    const keep = async (token: Token, sub?: string) => {
      kept.push(token);
      if (sub !== undefined) people.push(sub);
    };
    const app = await fastifyOauth2.buildApp({
      issuer: judging.current.test.issuer,
      clientId: client.clientId,
      clientSecret: client.secret ?? '',
      redirectUri: `${base}/callback`,
      keep,
    });
    await app.listen({ host: 'localhost', port });
    onTestFinished(() => app.close());

    expect((await signInAt(new Visitor(), base)).body).toBe('Signed in.');
    expect(people).toEqual([judging.current.user.id]);
    const [first] = kept;
    if (!first) throw new Error('no tokens were kept');
    await fastifyOauth2.refresh(app, first, keep);
    expect(kept[1]?.refresh_token).not.toBe(first.refresh_token);
    expect(await refusal(fastifyOauth2.refresh(app, first, keep))).toContain('invalid_grant');

    const { location } = await new Visitor().get(`${base}/login`);
    expect((await new Visitor().get(await judging.current.approve(new URL(location)))).status).toBe(500);
    expect(kept).toHaveLength(2);
  });

  it('express-openid-connect, in an Express app', async () => {
    const { test } = judging.current;
    const port = await freePort();
    const base = `http://localhost:${port}`;
    const client = await makeClient(test, {
      grantTypes: ['authorization_code'],
      redirectUris: [`${base}/callback`],
      postLogoutRedirectUris: [base],
    });
    const ada = await makeUser(test, 'ada', { email: 'ada@example.com', email_verified: true });
    const app = expressOpenidConnect.buildApp({
      issuer: test.issuer,
      clientId: client.clientId,
      clientSecret: client.secret ?? '',
      baseUrl: base,
      sessionSecret: 'a secret of the app, long enough',
    });
    const server: Server = await new Promise((resolve) => {
      const opening: Server = app.listen(port, 'localhost', () => resolve(opening));
    });
    onTestFinished(() => void server.close());

    // One person's browser: its cookies for the app, and its cookies for the server.
    const [visitor, browser] = [new Visitor(), new Browser(test.app)];
    const atServer = async (location: string) => {
      const { origin, pathname, search } = new URL(location);
      expect(origin).toBe(test.issuer);
      return (await goThrough(browser, `${pathname}${search}`, ada)).url;
    };
    // The app redirects a user without a session to sign-in, and back to the requested page.
    const { location } = await visitor.get(`${base}/profile`);
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email',
    });
    const { location: wanted } = await visitor.get(await atServer(location));
    expect(wanted).toBe('/profile');
    const profile = await visitor.get(`${base}/profile`);
    expect(JSON.parse(profile.body)).toEqual({ sub: ada.id, email: 'ada@example.com', email_verified: true });
    expect((await visitor.get(`${base}/`)).body).toBe('Signed in.');
    expect((await new Visitor().get(`${base}/`)).body).toBe('Not signed in.');

    const { location: leaving } = await visitor.get(`${base}/logout`);
    // No confirmation on the way: the ID Token proves that the request comes from this session's own app.
    expect((await browser.get(leaving.slice(test.issuer.length))).url).toBe(base);
    expect((await visitor.get(`${base}/`)).body).toBe('Not signed in.');
    // At the server too: it requires the password again.
    const { location: again } = await visitor.get(`${base}/login`);
    const { pathname, search } = new URL(again);
    expect((await browser.get(`${pathname}${search}`)).body).toContain('name="password"');

    // Another browser sends the answer that belongs to the first one.
    const stolen = await atServer((await visitor.get(`${base}/login`)).location);
    expect((await new Visitor().get(stolen)).status).toBe(400);
  });
});

/** Resource servers, most of them by other authors: they accept the tokens that the server issues for them, and reject lookalikes. */
import { createHmac } from 'node:crypto';
import type { Server } from 'node:http';
import express from 'express';
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer';
import fastify from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastifyGuard } from '../../src/guard/fastify.ts';
import { exchange, obtainCode, obtainTokens, token } from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { claimsOf, forgeriesOf, signedByUs } from '../support/forging.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';

const API = 'https://api.example.com';

/** Signed by our own key, or another spelling of a valid token: their errors are no concern of an API. */
const ONLY_WE_CAN_TELL = ['no kid', 'a jti of another length', 'a space in the signature', 'padding'];

type Verdict = 'in' | 'out';
type ResourceServer = {
  readonly ask: (accessToken: string) => Promise<Verdict>;
  readonly close: () => Promise<void>;
};

/** Everything from discovery: which keys, which issuer, which algorithms. */
async function expressOauth2JwtBearer(
  issuer: string,
  options: { readonly tokenSigningAlg?: string } = {},
): Promise<ResourceServer> {
  const app = express();
  app.use(auth({ issuerBaseURL: issuer, audience: API, strict: true, ...options }));
  app.get('/', requiredScopes('read'), (_request, response) => void response.json({}));
  // Express prints errors; this test reads the responses.
  app.set('env', 'test');
  const port = await freePort();
  const server: Server = await new Promise((resolve) => {
    const opening: Server = app.listen(port, 'localhost', () => resolve(opening));
  });
  return {
    ask: async (accessToken) => {
      const headers = { authorization: `Bearer ${accessToken}` };
      const { status } = await fetch(`http://localhost:${port}/`, { headers });
      // 400: a text without the form of a token.
      expect([200, 400, 401]).toContain(status);
      return status === 200 ? 'in' : 'out';
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function jose(issuer: string): Promise<ResourceServer> {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  // No list of algorithms: the published keys must suffice.
  const options = { issuer, audience: API, typ: 'at+jwt', requiredClaims: ['exp', 'jti', 'client_id', 'scope'] };
  return {
    ask: (accessToken) =>
      jwtVerify(accessToken, keys, options).then(
        () => 'in',
        (error: { code?: string }) => {
          expect(error.code).toMatch(/^ERR_J/);
          return 'out';
        },
      ),
    close: async () => undefined,
  };
}

/** As an API has it, in Fastify. */
async function statehouseGuard(issuer: string): Promise<ResourceServer> {
  const app = fastify();
  await app.register(fastifyGuard, { issuer, resource: API });
  app.get('/', { config: { scopes: ['read'] } }, async () => ({}));
  return {
    ask: async (accessToken) => {
      const { statusCode } = await app.inject({ url: '/', headers: { authorization: `Bearer ${accessToken}` } });
      // 400: a text without the form of a token.
      expect([200, 400, 401]).toContain(statusCode);
      return statusCode === 200 ? 'in' : 'out';
    },
    close: () => app.close(),
  };
}

describe.each<[string, (issuer: string) => Promise<ResourceServer>, readonly string[]]>([
  ['express-oauth2-jwt-bearer', expressOauth2JwtBearer, ONLY_WE_CAN_TELL],
  ['jose', jose, ONLY_WE_CAN_TELL],
  ['statehouse/guard', statehouseGuard, ['a jti of another length']],
])('%s', (_name, open, cannotTell) => {
  const judging = judged();
  let api: ResourceServer;
  let good: string;
  beforeAll(async () => {
    const { test, confidential, user } = judging.current;
    api = await open(test.issuer);
    good = (await obtainTokens(test, confidential, user, { scope: 'read' })).accessToken;
  });
  afterAll(() => api?.close());

  it('accepts the token of an end-user', async () => {
    expect(await api.ask(good)).toBe('in');
  });

  it('accepts the token of a client with identity scopes, whose audience is a list', async () => {
    const { test, confidential, user } = judging.current;
    const { accessToken } = await obtainTokens(test, confidential, user, { scope: 'openid email read' });
    const aud = [API, `${test.issuer}/oauth/userinfo`];
    expect(claimsOf(accessToken)).toMatchObject({ aud, scope: 'openid email read' });
    expect(await api.ask(accessToken)).toBe('in');
  });

  it('accepts the token of a service', async () => {
    const { test, confidential } = judging.current;
    const { json } = await token(test, confidential, { grant_type: 'client_credentials', scope: 'read' });
    expect(await api.ask(json.access_token ?? '')).toBe('in');
  });

  it('rejects a forgery', async () => {
    const forgeries = await forgeriesOf(judging.current.test, good);
    for (const name of cannotTell) expect(forgeries.delete(name), name).toBe(true);
    expect(forgeries.size).toBeGreaterThan(15);
    const verdicts = await Promise.all([...forgeries].map(async ([name, one]) => [name, await api.ask(one)] as const));
    expect(verdicts.filter(([, verdict]) => verdict === 'in')).toEqual([]);
  });

  it('rejects a token signed with a published key as a shared secret', async () => {
    const { test } = judging.current;
    const published = test.deps.keyRing.published();
    const payload = good.split('.')[1] ?? '';
    for (const jwk of published) {
      const secrets = [
        JSON.stringify(jwk),
        String(jwk['x'] ?? jwk['n']),
        Buffer.from(String(jwk['x'] ?? jwk['n']), 'base64url'),
      ];
      for (const secret of secrets) {
        const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid: jwk['kid'] })).toString(
          'base64url',
        );
        const mac = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
        expect(await api.ask(`${header}.${payload}.${mac}`)).toBe('out');
      }
    }
  });

  it('rejects an ID Token, whatever its audience', async () => {
    const { test, confidential, user } = judging.current;
    const code = await obtainCode(test, confidential, user, { scope: 'openid read' });
    const { id_token: idToken = '' } = (await exchange(test, confidential, code)).json;
    expect(claimsOf(idToken).aud).toBe(confidential.clientId);
    expect(await api.ask(idToken)).toBe('out');
    // By its typ alone: everything else is as in an access token.
    expect(await api.ask(signedByUs(test, {}, claimsOf(good)))).toBe('in');
    expect(await api.ask(signedByUs(test, { typ: 'JWT' }, claimsOf(good)))).toBe('out');
  });

  it('rejects a token with another audience, from another issuer, or past its expiry', async () => {
    const { test, confidential, user } = judging.current;
    const claims = claimsOf(good);
    const elsewhere = await obtainTokens(test, confidential, user, { scope: 'openid email' });
    const past = claims.exp - 100_000;
    for (const one of [
      elsewhere.accessToken,
      elsewhere.refreshToken,
      signedByUs(test, {}, { ...claims, aud: 'https://other.example' }),
      signedByUs(test, {}, { ...claims, iss: 'https://other.example' }),
      signedByUs(test, {}, { ...claims, iss: `${test.issuer}/` }),
      signedByUs(test, {}, { ...claims, exp: past, iat: past - 900 }),
      'garbage',
    ]) {
      expect(await api.ask(one)).toBe('out');
    }
  });
});

describe('a resource whose access tokens are signed with RS256', () => {
  const resources = shippedConfiguration.resources.map((one) => ({
    ...one,
    accessTokenSigningAlgorithm: 'RS256' as const,
  }));
  const judging = judged({ configuration: { ...shippedConfiguration, resources } });

  it('is accepted by a library that supports RS256 alone; its earlier tokens are not', async () => {
    const { test, confidential, user } = judging.current;
    const api = await expressOauth2JwtBearer(test.issuer, { tokenSigningAlg: 'RS256' });
    const { accessToken } = await obtainTokens(test, confidential, user, { scope: 'openid read' });
    expect(await api.ask(accessToken)).toBe('in');
    expect(await api.ask(signedByUs(test, {}, claimsOf(accessToken)))).toBe('out');
    const { json } = await token(test, confidential, { grant_type: 'client_credentials', scope: 'read' });
    expect(await api.ask(json.access_token ?? '')).toBe('in');
    await api.close();
  });
});

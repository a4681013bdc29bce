/** RFC 8414, RFC 7517, RFC 9068: the server's metadata, and its tokens that match them. */
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidFromBytes } from '../../../src/crypto/uuid-bytes.ts';
import { exchange, refresh, token } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { grantIdOfCode } from '../../support/stored.ts';

describe('metadata and keys', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  it('list what works, and nothing else', async () => {
    const reply = await scene.app.inject('/.well-known/oauth-authorization-server');
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
    });
    expect(reply.json()).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
      userinfo_endpoint: `${ISSUER}/oauth/userinfo`,
      pushed_authorization_request_endpoint: `${ISSUER}/oauth/par`,
      require_pushed_authorization_requests: false,
      revocation_endpoint: `${ISSUER}/oauth/revoke`,
      introspection_endpoint: `${ISSUER}/oauth/introspect`,
      end_session_endpoint: `${ISSUER}/oauth/logout`,
      revocation_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
        'none',
      ],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'],
      revocation_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'],
      introspection_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'],
      scopes_supported: ['openid', 'profile', 'email', 'address', 'phone', 'read', 'write', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'],
      authorization_signing_alg_values_supported: expect.toSatisfy(
        (algs: string[]) => algs.toSorted().join() === 'ES256,RS256',
      ),
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      code_challenge_methods_supported: ['S256'],
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256'],
      authorization_response_iss_parameter_supported: true,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: expect.toSatisfy(
        (algs: string[]) => algs.toSorted().join() === 'ES256,RS256',
      ),
      claims_supported: expect.arrayContaining(['sub', 'name', 'email', 'email_verified', 'address', 'phone_number']),
      acr_values_supported: [
        'urn:statehouse:acr:password',
        'urn:statehouse:acr:multi-factor',
        'urn:statehouse:acr:phishing-resistant',
      ],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      ui_locales_supported: ['ar', 'de', 'en', 'es', 'fr'],
      claims_parameter_supported: false,
      request_parameter_supported: true,
      request_object_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'],
      require_signed_request_object: false,
      request_uri_parameter_supported: false,
    });
  });

  it('are the same as OpenID Connect configuration', async () => {
    const [oauth, openid] = await Promise.all(
      ['oauth-authorization-server', 'openid-configuration'].map((name) => scene.app.inject(`/.well-known/${name}`)),
    );
    expect(openid?.body).toBe(oauth?.body);
  });

  it('describe the one resource that the server itself protects (RFC 9728)', async () => {
    const reply = await scene.app.inject('/.well-known/oauth-protected-resource/oauth/userinfo');
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(reply.json()).toEqual({
      resource: `${ISSUER}/oauth/userinfo`,
      authorization_servers: [ISSUER],
      scopes_supported: ['openid', 'profile', 'email', 'address', 'phone'],
      bearer_methods_supported: ['header', 'body'],
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256'],
      resource_name: 'Your identity',
    });
  });

  it('list existing endpoints', async () => {
    const listed: Record<string, string> = (await scene.app.inject('/.well-known/oauth-authorization-server')).json();
    const names = Object.keys(listed).filter((name) => /_endpoint$|_uri$/.test(name));
    expect(names).toEqual(expect.arrayContaining(['authorization_endpoint', 'token_endpoint', 'jwks_uri']));
    for (const url of names.map((name) => listed[name] ?? '')) {
      const reply = await scene.app.inject(url.slice(ISSUER.length));
      expect(reply.statusCode, url).not.toBe(404);
    }
  });

  it('publish public keys only', async () => {
    const reply = await scene.app.inject('/.well-known/jwks.json');
    expect(reply.headers['content-type']).toMatch(/^application\/jwk-set\+json/);
    const { keys } = reply.json();
    expect(keys.toSorted((one: { alg: string }, other: { alg: string }) => one.alg.localeCompare(other.alg))).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
      },
      {
        kty: 'RSA',
        n: expect.any(String),
        e: 'AQAB',
        kid: expect.any(String),
        alg: 'RS256',
        use: 'sig',
      },
    ]);
  });

  it.each(['/.well-known/oauth-authorization-server', '/.well-known/jwks.json'])(
    '%s answers HEAD, and rejects POST',
    async (url) => {
      expect((await scene.app.inject({ method: 'HEAD', url })).statusCode).toBe(200);
      expect((await scene.app.inject({ method: 'POST', url })).statusCode).toBe(404);
    },
  );

  describe('an access token (RFC 9068)', () => {
    async function verified(accessToken: string | undefined) {
      const jwks = (await scene.app.inject('/.well-known/jwks.json')).json() as JSONWebKeySet;
      const { payload, protectedHeader } = await jwtVerify(accessToken ?? '', createLocalJWKSet(jwks), {
        issuer: ISSUER,
        audience: 'https://api.example.com',
        typ: 'at+jwt',
        algorithms: ['ES256'],
        currentDate: scene.clock.now(),
      });
      const { kid } = jwks.keys.find((one) => one.alg === 'ES256') ?? {};
      expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid });
      return payload;
    }
    const now = () => Math.floor(scene.clock.now().getTime() / 1000);
    const grantIdIn = (jti: string | undefined) => uuidFromBytes(Buffer.from(jti ?? '', 'base64url').subarray(0, 16));

    it('of a user: signed, typed, for its audience, with the id of its grant', async () => {
      const code = await scene.code();
      const first = await exchange(scene, scene.client, code);
      const claims = await verified(first.json.access_token);
      expect(claims).toEqual({
        iss: ISSUER,
        sub: scene.user.id,
        aud: 'https://api.example.com',
        client_id: scene.client.clientId,
        scope: 'read write',
        jti: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        iat: now(),
        exp: now() + 900,
        // RFC 9470 §6.1.
        acr: 'urn:statehouse:acr:password',
        auth_time: now(),
      });
      expect(grantIdIn(claims.jti)).toBe(grantIdOfCode(code.code));
      const second = await verified(
        (await refresh(scene, scene.client, first.json.refresh_token ?? '')).json.access_token,
      );
      expect(grantIdIn(second.jti)).toBe(grantIdOfCode(code.code));
      expect(second.jti).not.toBe(claims.jti);
    });

    it('of a service: its subject is the client, and its id names no grant', async () => {
      const ids = new Set<unknown>();
      for (let n = 0; n < 3; n++) {
        const { json } = await token(scene, scene.client, { grant_type: 'client_credentials', scope: 'read' });
        const claims = await verified(json.access_token);
        expect(claims).toMatchObject({ sub: scene.client.clientId, client_id: scene.client.clientId, scope: 'read' });
        ids.add(claims.jti);
      }
      expect(ids.size).toBe(3);
    });

    it('reveals no username', async () => {
      const { json } = await exchange(scene, scene.client, await scene.code());
      expect(Buffer.from(json.access_token?.split('.')[1] ?? '', 'base64url').toString()).not.toContain(
        scene.user.username,
      );
    });

    it('is invalid after any change', async () => {
      const { json } = await token(scene, scene.client, { grant_type: 'client_credentials' });
      const [header = '', , signature = ''] = (json.access_token ?? '').split('.');
      const forged = Buffer.from(JSON.stringify({ ...(await verified(json.access_token)), sub: 'root' })).toString(
        'base64url',
      );
      await expect(verified(`${header}.${forged}.${signature}`)).rejects.toThrow();
      expect(decodeProtectedHeader(json.access_token ?? '').alg).toBe('ES256');
    });
  });
});

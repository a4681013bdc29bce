/** A guard with wrong options does not start, and reports the expected values; it repeats no secret. */
import { describe, expect, it } from 'vitest';
import { createGuard, type GuardOptions } from '../../../src/guard/index.ts';
import { introspection } from '../../../src/guard/introspection.ts';
import { rulesOf } from '../../../src/guard/options.ts';
import { FAKE_ISSUER, FAKE_RESOURCE } from '../../support/fake-issuer.ts';

const good = { issuer: FAKE_ISSUER, resource: FAKE_RESOURCE };
const asking = { clientId: 'photos-api', clientSecret: 'hidden' };

describe('the options of a guard', () => {
  it.each<[string, unknown]>([
    ['issuer', { issuer: undefined }],
    ['issuer', { issuer: 'as.example' }],
    ['issuer', { issuer: `${FAKE_ISSUER}?a=b` }],
    ['issuer', { issuer: `${FAKE_ISSUER}#a` }],
    ['resource', { resource: '' }],
    ['resource', { resource: '/photos' }],
    ['resource', { resource: 'https://api.example/#photos' }],
    ['resource', { resource: 'https://api.example/?a="b' }],
    ['resource', { resource: 'https://api.example/?a=\\' }],
    ['jwksUri', { jwksUri: 'keys.json' }],
    ['algorithms', { algorithms: [] }],
    ['algorithms', { algorithms: ['ES256', 'HS256'] }],
    ['algorithms', { algorithms: ['none'] }],
    ['scopes', { scopes: ['two words'] }],
    ['scopes', { scopes: 'read' }],
    ['clockToleranceSeconds', { clockToleranceSeconds: -1 }],
    ['clockToleranceSeconds', { clockToleranceSeconds: 301 }],
    ['clockToleranceSeconds', { clockToleranceSeconds: Number.NaN }],
    ['maxTokenLength', { maxTokenLength: 1e9 }],
    ['keys.maxAgeSeconds', { keys: { maxAgeSeconds: 0 } }],
    ['keys.cooldownSeconds', { keys: { cooldownSeconds: -1 } }],
    ['keys.staleSeconds', { keys: { staleSeconds: Number.POSITIVE_INFINITY } }],
    ['keys.timeoutMilliseconds', { keys: { timeoutMilliseconds: '5000' } }],
    ['introspection.clientId', { introspection: { ...asking, clientId: '' } }],
    ['introspection.clientSecret', { introspection: { ...asking, clientSecret: '' } }],
    ['introspection.authentication', { introspection: { ...asking, authentication: 'none' } }],
    ['introspection.endpoint', { introspection: { ...asking, endpoint: '/oauth/introspect' } }],
    ['introspection.cacheSeconds', { introspection: { ...asking, cacheSeconds: 61 } }],
    ['introspection.timeoutMilliseconds', { introspection: { ...asking, timeoutMilliseconds: 0 } }],
  ])('have bounds for %s: %j', (name, change) => {
    const make = () => createGuard({ ...good, ...(change as Partial<GuardOptions>) });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`The guard needs ${name}: `);
    expect(make).not.toThrow(/hidden/);
  });

  it.each<[string, number, number, (value: unknown) => object]>([
    ['clockToleranceSeconds', 0, 300, (value) => ({ clockToleranceSeconds: value })],
    ['maxTokenLength', 256, 65_536, (value) => ({ maxTokenLength: value })],
    ['keys.maxAgeSeconds', 1, 86_400, (value) => ({ keys: { maxAgeSeconds: value } })],
    ['keys.cooldownSeconds', 0, 3600, (value) => ({ keys: { cooldownSeconds: value } })],
    ['keys.staleSeconds', 0, 86_400, (value) => ({ keys: { staleSeconds: value } })],
    ['keys.timeoutMilliseconds', 1, 60_000, (value) => ({ keys: { timeoutMilliseconds: value } })],
    [
      'introspection.timeoutMilliseconds',
      1,
      60_000,
      (value) => ({ introspection: { ...asking, timeoutMilliseconds: value } }),
    ],
    ['introspection.cacheSeconds', 0, 60, (value) => ({ introspection: { ...asking, cacheSeconds: value } })],
  ])('accept %s from %i to %i alone', (name, from, to, change) => {
    const make = (value: unknown) => () => createGuard({ ...good, ...change(value) });
    expect(make(from)).not.toThrow();
    expect(make(to)).not.toThrow();
    const words = `The guard needs ${name}: a number from ${from} to ${to}. Found: `;
    expect(make(from - 1)).toThrow(new TypeError(`${words}${from - 1}.`));
    expect(make(to + 1)).toThrow(new TypeError(`${words}${to + 1}.`));
    expect(make(String(to))).toThrow(new TypeError(`${words}"${to}".`));
  });

  it('have defaults', () => {
    expect(rulesOf(good)).toEqual({
      ...good,
      scopes: null,
      algorithms: ['ES256', 'RS256', 'EdDSA'],
      clockToleranceSeconds: 5,
      maxTokenLength: 8192,
      keys: { maxAgeSeconds: 600, cooldownSeconds: 10, staleSeconds: 3600, timeoutMilliseconds: 5000 },
      introspection: null,
      dpop: null,
      certificate: null,
    });
    expect(rulesOf({ ...good, introspection: asking }).introspection).toEqual({
      ...asking,
      authentication: 'client_secret_basic',
      timeoutMilliseconds: 3000,
      cacheSeconds: 0,
    });
  });

  it.each([...'ES256 ES384 ES512 RS256 RS384 RS512 PS256 PS384 PS512 EdDSA Ed25519'.split(' ')])(
    'accept the algorithm %s',
    (alg) => {
      expect(rulesOf({ ...good, algorithms: [alg] }).algorithms).toEqual([alg]);
    },
  );

  it.each<[object, string]>([
    [{ issuer: undefined }, 'issuer: the URL of the authorization server. Found: nothing.'],
    [{ resource: '/photos' }, 'resource: an absolute URI without a fragment. Found: "/photos".'],
    [{ jwksUri: 'keys.json' }, 'jwksUri: a URL. Found: "keys.json".'],
    [
      { algorithms: ['none'] },
      'algorithms: a list of ES256, ES384, ES512, RS256, RS384, RS512, PS256, PS384, PS512, EdDSA, Ed25519. Found: ["none"].',
    ],
    [{ scopes: 'read' }, 'scopes: a list of scopes. Found: "read".'],
    [{ introspection: { ...asking, clientId: '' } }, 'introspection.clientId: the client_id of this API. Found: "".'],
    [{ introspection: { ...asking, clientSecret: '' } }, 'introspection.clientSecret: the secret of its client.'],
    [
      { introspection: { ...asking, authentication: 'none' } },
      'introspection.authentication: client_secret_basic or client_secret_post. Found: "none".',
    ],
    [{ introspection: { ...asking, endpoint: '/x' } }, 'introspection.endpoint: a URL. Found: "/x".'],
  ])('report the expected and the actual value: %j', (change, words) => {
    expect(() => createGuard({ ...good, ...(change as object) })).toThrow(new TypeError(`The guard needs ${words}`));
  });

  it.each<[string, object]>([
    ['an issuer without TLS', { issuer: 'http://localhost:3000' }],
    ['an issuer with a path', { issuer: 'https://example.com/tenant' }],
    ['a resource that is a URN', { resource: 'urn:example:photos' }],
    ['a resource with every character that it may have', { resource: "https://a.example/!$%&'()*+,-./:;=?@[]^_`{|}~" }],
    ['keys elsewhere', { jwksUri: 'https://keys.example/jwks' }],
    ['the scopes of RFC 6749', { scopes: ['!#$', 'A[', ']~', 'https://a.example/read'] }],
    ['no scope at all', { scopes: [] }],
    ['an introspection endpoint elsewhere', { introspection: { ...asking, endpoint: 'http://10.0.0.1/introspect' } }],
    ['a secret in the body', { introspection: { ...asking, authentication: 'client_secret_post' } }],
  ])('accept %s', (_, change) => {
    expect(() => createGuard({ ...good, ...change })).not.toThrow();
  });

  it.each([' ', '"', '#', '\\', '\u007f', 'ü'])('reject a resource with %j', (character) => {
    expect(() => createGuard({ ...good, resource: `https://a.example/a${character}b` })).toThrow(TypeError);
  });

  it.each(['', ' ', 'a b', '"', '\\', '\u007f', 'ü', 7])('reject the scope %j', (scope) => {
    expect(() => createGuard({ ...good, scopes: ['read', scope as string] })).toThrow(TypeError);
  });

  it.each<[string, string | null, string | null]>([
    [
      'https://api.example.com',
      'https://api.example.com/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource',
    ],
    [
      'https://api.example.com/',
      'https://api.example.com/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource',
    ],
    [
      'http://localhost:4000/mcp',
      'http://localhost:4000/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource/mcp',
    ],
    [
      'https://a.example/b?c=d',
      'https://a.example/.well-known/oauth-protected-resource/b?c=d',
      '/.well-known/oauth-protected-resource/b',
    ],
    ['urn:example:photos', null, null],
  ])('publish the metadata of %s at %s', (resource, url, path) => {
    const { metadata } = createGuard({ ...good, resource, scopes: ['read'] });
    expect(metadata).toMatchObject({ url, path, document: { resource, authorization_servers: [FAKE_ISSUER] } });
    expect(metadata.document.scopes_supported).toEqual(['read']);
  });
});

describe('the cache of introspection', () => {
  it('has room for ten thousand tokens, and drops the oldest first', async () => {
    let questions = 0;
    const ask = async () => {
      questions += 1;
      return { kind: 'json' as const, value: { active: true } };
    };
    const found = async () => ({ kind: 'found' as const, url: 'https://as.example/introspect' });
    const rules = {
      ...asking,
      authentication: 'client_secret_basic' as const,
      timeoutMilliseconds: 1000,
      cacheSeconds: 60,
    };
    const server = introspection(ask, { ask: found, known: found }, rules, () => 0);
    for (let index = 0; index <= 10_000; index += 1) await server.ask('token', `jti-${index}`);
    expect(questions).toBe(10_001);
    await server.ask('token', 'jti-1');
    expect(questions).toBe(10_001);
    await server.ask('token', 'jti-0');
    expect(questions).toBe(10_002);
  });
});

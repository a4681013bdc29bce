/** A guard that was set up wrongly does not start, and says what was expected; it repeats no secret. */
import { describe, expect, it } from 'vitest';
import { createGuard, type GuardOptions } from '../../../src/guard/index.ts';
import { introspection } from '../../../src/guard/introspection.ts';
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
    ['keys.cooldownSeconds', { keys: { cooldownSeconds: 0 } }],
    ['keys.staleSeconds', { keys: { staleSeconds: Number.POSITIVE_INFINITY } }],
    ['keys.timeoutMilliseconds', { keys: { timeoutMilliseconds: '5000' } }],
    ['introspection.clientId', { introspection: { ...asking, clientId: '' } }],
    ['introspection.clientSecret', { introspection: { ...asking, clientSecret: '' } }],
    ['introspection.authentication', { introspection: { ...asking, authentication: 'none' } }],
    ['introspection.endpoint', { introspection: { ...asking, endpoint: '/oauth/introspect' } }],
    ['introspection.cacheSeconds', { introspection: { ...asking, cacheSeconds: 61 } }],
    ['introspection.timeoutMilliseconds', { introspection: { ...asking, timeoutMilliseconds: 0 } }],
  ])('%s has bounds: %j', (name, change) => {
    const make = () => createGuard({ ...good, ...(change as Partial<GuardOptions>) });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`The guard needs ${name}: `);
    expect(make).not.toThrow(/hidden/);
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
  ])('%s has its metadata at %s', (resource, url, path) => {
    const { metadata } = createGuard({ ...good, resource, scopes: ['read'] });
    expect(metadata).toMatchObject({ url, path, document: { resource, authorization_servers: [FAKE_ISSUER] } });
    expect(metadata.document.scopes_supported).toEqual(['read']);
  });
});

describe('the cache of introspection', () => {
  it('has room for ten thousand tokens; the oldest goes first', async () => {
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

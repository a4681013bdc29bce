/** The bounds of every value of a policy file, and the rules between values. Both sides of each bound are written down here. */
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { claimsSchema, NO_FURTHER_CLAIMS } from '../../../policies/claims-schema.ts';
import { clientsSchema } from '../../../policies/client-schema.ts';
import { isPlainText } from '../../../policies/plain-text.ts';
import {
  DEFAULT_SIGNING_KEYS,
  KEY_POLL_SECONDS,
  MAX_TOKEN_SECONDS,
  policySchema,
  resourcesSchema,
  signInSchema,
  signingKeysSchema,
} from '../../../policies/schema.ts';
import { schemaProblems } from '../../../src/config/schema-problems.ts';

const DAY = 86_400;

/** The schema's problems with a value: none, or the key and the words of each. */
const problemsOf = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
const keysOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, code, ...rest }) => ('keys' in rest ? rest.keys : path).join('.'));

/** @param expected the key, with the words where they are ours. */
function expectOneProblem(schema: z.ZodType, value: unknown, expected: string): void {
  const [problem = 'none', ...more] = problemsOf(schema, value);
  expect(more).toEqual([]);
  expect(expected.includes(':') ? problem : problem.split(':')[0]).toBe(expected);
}

const policy = {
  accessTokenLifetimeSeconds: 900,
  authorizationCodeLifetimeSeconds: 60,
  refreshIdleLifetimeSeconds: 3600,
  refreshAbsoluteLifetimeSeconds: 7200,
};
const signIn = {
  sessionLifetimeSeconds: 3600,
  interactionLifetimeSeconds: 600,
  failureWindowSeconds: 900,
  failuresPerAccountAndAddress: 10,
  failuresPerAddress: 100,
};
const signingKeys = {
  algorithms: ['ES256', 'RS256'],
  publishedBeforeSigningSeconds: 86_410,
  signingLifetimeSeconds: 200 * DAY,
  jwksMaxAgeSeconds: 300,
};
const scope = { name: 'read', description: 'see your data' };
const resource = { identifier: 'https://api.test', name: 'API', default: true, scopes: [scope] };
const resources = (...changes: object[]) => ({ resources: changes.map((change) => ({ ...resource, ...change })) });

describe.each<[file: string, schema: z.ZodType, valid: object, key: string, min: number, max: number, beside?: object]>(
  [
    ['a policy', policySchema, policy, 'accessTokenLifetimeSeconds', 60, 3600],
    ['a policy', policySchema, policy, 'authorizationCodeLifetimeSeconds', 10, 600],
    [
      'a policy',
      policySchema,
      policy,
      'refreshIdleLifetimeSeconds',
      300,
      400 * DAY,
      { refreshAbsoluteLifetimeSeconds: 1200 * DAY },
    ],
    [
      'a policy',
      policySchema,
      policy,
      'refreshAbsoluteLifetimeSeconds',
      300,
      1200 * DAY,
      { refreshIdleLifetimeSeconds: 300 },
    ],
    ['sign-in.yaml', signInSchema, signIn, 'sessionLifetimeSeconds', 300, 30 * DAY],
    ['sign-in.yaml', signInSchema, signIn, 'sessionIdleLifetimeSeconds', 60, 30 * DAY],
    ['sign-in.yaml', signInSchema, signIn, 'interactionLifetimeSeconds', 60, 3600],
    ['sign-in.yaml', signInSchema, signIn, 'failureWindowSeconds', 60, DAY],
    ['sign-in.yaml', signInSchema, signIn, 'failuresPerAccountAndAddress', 3, 100],
    ['sign-in.yaml', signInSchema, signIn, 'failuresPerAccount', 10, 100_000],
    ['sign-in.yaml', signInSchema, signIn, 'failuresPerAddress', 10, 100_000],
    ['signing-keys.yaml', signingKeysSchema, signingKeys, 'publishedBeforeSigningSeconds', 600, 30 * DAY],
    [
      'signing-keys.yaml',
      signingKeysSchema,
      signingKeys,
      'signingLifetimeSeconds',
      3600,
      400 * DAY,
      { publishedBeforeSigningSeconds: 600 },
    ],
    ['signing-keys.yaml', signingKeysSchema, signingKeys, 'jwksMaxAgeSeconds', 10, DAY],
  ],
)('%s', (_, schema, valid, key, min, max, beside = {}) => {
  it(`bounds ${key} by ${min} and ${max}`, () => {
    const having = (value: unknown) => keysOf(schema, { ...valid, ...beside, [key]: value });
    expect(having(min)).toBeUndefined();
    expect(having(max)).toBeUndefined();
    for (const value of [min - 1, max + 1, min + 0.5, String(min), null])
      expect(having(value), `${value}`).toContain(key);
  });
});

it('a missing file yields the defaults of this test', () => {
  expect(NO_FURTHER_CLAIMS).toEqual({ scopes: [] });
  expect(DEFAULT_SIGNING_KEYS).toEqual({
    algorithms: ['ES256', 'RS256'],
    publishedBeforeSigningSeconds: 86_400,
    signingLifetimeSeconds: 7_776_000,
    jwksMaxAgeSeconds: 300,
  });
  expect([KEY_POLL_SECONDS, MAX_TOKEN_SECONDS]).toEqual([10, 3600]);
});

describe('a policy', () => {
  it('has an idle lifetime of at most the absolute one', () => {
    const lifetimes = (refreshIdleLifetimeSeconds: number) =>
      problemsOf(policySchema, { ...policy, refreshIdleLifetimeSeconds });
    expect(lifetimes(7200)).toEqual([]);
    expect(lifetimes(7201)).toEqual(['refreshIdleLifetimeSeconds: at most refreshAbsoluteLifetimeSeconds']);
  });
  it('may need offline_access for refresh tokens, and has no other keys', () => {
    expect(problemsOf(policySchema, { ...policy, refreshTokensNeedOfflineAccess: true })).toEqual([]);
    expect(keysOf(policySchema, { ...policy, refreshTokensNeedOfflineAccess: 'yes' })).toEqual([
      'refreshTokensNeedOfflineAccess',
    ]);
    expect(keysOf(policySchema, { ...policy, requirePkce: false })).toEqual(['requirePkce']);
  });
});

describe('sign-in.yaml', () => {
  it('counts the failures of an account from all addresses up to 100 by default', () => {
    expect(signInSchema.parse(signIn).failuresPerAccount).toBe(100);
  });
  it('limits the failures of an account from all addresses to no less than those from one', () => {
    const failures = (failuresPerAccount: number) =>
      problemsOf(signInSchema, { ...signIn, failuresPerAccountAndAddress: 20, failuresPerAccount });
    expect(failures(20)).toEqual([]);
    expect(failures(19)).toEqual(['failuresPerAccount: at least failuresPerAccountAndAddress']);
  });
  it('has no other keys', () => {
    expect(keysOf(signInSchema, { ...signIn, throttle: false })).toEqual(['throttle']);
  });
});

describe('signing-keys.yaml', () => {
  it.each([
    [
      { jwksMaxAgeSeconds: 3600, publishedBeforeSigningSeconds: 3609 },
      'publishedBeforeSigningSeconds: at least jwksMaxAgeSeconds + 10, the time that nodes take to publish a key',
    ],
    [
      { publishedBeforeSigningSeconds: 7200, signingLifetimeSeconds: 14_399 },
      'signingLifetimeSeconds: at least twice publishedBeforeSigningSeconds, for the next key to be published in time',
    ],
    [{ algorithms: ['ES256', 'RS256', 'RS256'] }, 'algorithms: each algorithm once'],
    [
      { algorithms: ['ES256', 'EdDSA'] },
      'algorithms: ES256 (access tokens) and RS256 (the default of ID Tokens) are always among them',
    ],
    [
      { algorithms: ['RS256', 'EdDSA'] },
      'algorithms: ES256 (access tokens) and RS256 (the default of ID Tokens) are always among them',
    ],
  ])('with %j is rejected, with the reason', (change, problem) => {
    expect(problemsOf(signingKeysSchema, { ...signingKeys, ...change })).toEqual([problem]);
  });
  it('has no other keys', () => {
    expect(keysOf(signingKeysSchema, { ...signingKeys, retiringSeconds: 60 })).toEqual(['retiringSeconds']);
  });
});

describe('signing-keys.yaml at its bounds', () => {
  it('lets a key sign for exactly twice as long as it is published before', () => {
    const change = { publishedBeforeSigningSeconds: 7200, signingLifetimeSeconds: 14_400 };
    expect(problemsOf(signingKeysSchema, { ...signingKeys, ...change })).toEqual([]);
  });
});

describe('resources.yaml', () => {
  const second = { identifier: 'https://second.test', default: false };
  it('has a resource', () => {
    expect(problemsOf(resourcesSchema, resources())).toContain(
      'resources: Too small: expected array to have >=1 items',
    );
  });
  it.each<[string, object]>([
    ['two resources, one of them the default', resources({}, second)],
    ['the same scope at two resources', resources({}, { ...second, scopes: [scope] })],
    ['an identifier of 512 characters', resources({ identifier: `https://${'a'.repeat(504)}` })],
    ['an identifier that is no web address', resources({ identifier: 'urn:example:api' })],
    ['a name of 100 characters', resources({ name: 'x'.repeat(100) })],
    ['a scope name of 128 characters', resources({ scopes: [{ ...scope, name: 'x'.repeat(128) }] })],
    ['words for consent of 200 characters', resources({ scopes: [{ ...scope, description: 'x'.repeat(200) }] })],
    ['tokens of a minute', resources({ accessTokenLifetimeSeconds: 60 })],
    ['tokens of an hour', resources({ accessTokenLifetimeSeconds: 3600 })],
    ['an introspecting client of any printable characters', resources({ introspectedBy: [`~ ${'x'.repeat(253)}`] })],
  ])('accepts %s', (_, value) => {
    expect(problemsOf(resourcesSchema, value)).toEqual([]);
  });
  it.each<[string, object, string]>([
    ['no default', resources({ default: false }), 'resources: exactly one resource with `default: true`'],
    [
      'two defaults',
      resources({}, { ...second, default: true }),
      'resources: exactly one resource with `default: true`',
    ],
    ['an identifier twice', resources({}, { default: false }), 'resources: each identifier once'],
    ['a scope twice', resources({}, { ...second, scopes: [scope, scope] }), 'resources: each scope once per resource'],
    [
      'an identifier of 513 characters',
      resources({ identifier: `https://${'a'.repeat(505)}` }),
      'resources.0.identifier',
    ],
    [
      'a relative identifier',
      resources({ identifier: '/api' }),
      'resources.0.identifier: an absolute URI without a fragment (RFC 8707 §2)',
    ],
    [
      'a fragment',
      resources({ identifier: 'https://api.test#x' }),
      'resources.0.identifier: an absolute URI without a fragment (RFC 8707 §2)',
    ],
    ['no name', resources({ name: '' }), 'resources.0.name'],
    ['a name of 101 characters', resources({ name: 'x'.repeat(101) }), 'resources.0.name'],
    ['no scope', resources({ scopes: [] }), 'resources.0.scopes'],
    [
      'a scope name of 129 characters',
      resources({ scopes: [{ ...scope, name: 'x'.repeat(129) }] }),
      'resources.0.scopes.0.name',
    ],
    [
      'an empty scope name',
      resources({ scopes: [{ ...scope, name: '' }] }),
      'resources.0.scopes.0.name: a scope token (RFC 6749 §3.3)',
    ],
    [
      'a space before a scope name',
      resources({ scopes: [{ ...scope, name: ' read' }] }),
      'resources.0.scopes.0.name: a scope token (RFC 6749 §3.3)',
    ],
    [
      'a space after a scope name',
      resources({ scopes: [{ ...scope, name: 'read ' }] }),
      'resources.0.scopes.0.name: a scope token (RFC 6749 §3.3)',
    ],
    [
      'no words for consent',
      resources({ scopes: [{ ...scope, description: '' }] }),
      'resources.0.scopes.0.description',
    ],
    [
      'words for consent of 201 characters',
      resources({ scopes: [{ ...scope, description: 'x'.repeat(201) }] }),
      'resources.0.scopes.0.description',
    ],
    [
      'tokens of less than a minute',
      resources({ accessTokenLifetimeSeconds: 59 }),
      'resources.0.accessTokenLifetimeSeconds',
    ],
    [
      'tokens of more than an hour',
      resources({ accessTokenLifetimeSeconds: 3601 }),
      'resources.0.accessTokenLifetimeSeconds',
    ],
    [
      'tokens without a signature',
      resources({ accessTokenSigningAlgorithm: 'none' }),
      'resources.0.accessTokenSigningAlgorithm',
    ],
    ['a list of no introspectors', resources({ introspectedBy: [] }), 'resources.0.introspectedBy'],
    [
      'an introspecting client without a name',
      resources({ introspectedBy: [''] }),
      'resources.0.introspectedBy.0: 1 to 255 characters of %x20-7E',
    ],
    [
      'an introspecting client of 256 characters',
      resources({ introspectedBy: ['x'.repeat(256)] }),
      'resources.0.introspectedBy.0: 1 to 255 characters of %x20-7E',
    ],
    [
      'an introspecting client with a line break',
      resources({ introspectedBy: ['api\n'] }),
      'resources.0.introspectedBy.0: 1 to 255 characters of %x20-7E',
    ],
    ['an unknown key', { ...resources({}), more: 1 }, ''],
    ['an unknown key of a resource', resources({ more: 1 }), 'resources.0'],
    ['an unknown key of a scope', resources({ scopes: [{ ...scope, more: 1 }] }), 'resources.0.scopes.0'],
  ])('rejects %s', (_, value, problem) => {
    expectOneProblem(resourcesSchema, value, problem);
  });
});

describe('claims.yaml', () => {
  const claim = { name: 'groups', in: ['userinfo'] };
  const claims = (...changes: object[]) => ({
    scopes: changes.map((change) => ({ name: 'teams', claims: [claim], ...change })),
  });
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ ...claim, name: `c${index}` }));
  const scopes = (count: number) => claims(...Array.from({ length: count }, (_, index) => ({ name: `s${index}` })));
  it.each<[string, object]>([
    ['no scope', claims()],
    ['words for consent of 200 characters', claims({ description: 'x'.repeat(200) })],
    ['50 claims', claims({ claims: many(50) })],
    ['100 scopes', scopes(100)],
    ['every place', claims({ claims: [{ ...claim, in: ['userinfo', 'id_token', 'access_token'] }] })],
  ])('accepts %s', (_, value) => {
    expect(problemsOf(claimsSchema, value)).toEqual([]);
  });
  it.each<[string, object, string]>([
    ['empty words for consent', claims({ description: '' }), 'scopes.0.description'],
    ['words for consent of 201 characters', claims({ description: 'x'.repeat(201) }), 'scopes.0.description'],
    ['a scope without claims', claims({ claims: [] }), 'scopes.0.claims'],
    ['51 claims', claims({ claims: many(51) }), 'scopes.0.claims'],
    ['101 scopes', scopes(101), 'scopes'],
    ['a claim twice', claims({ claims: [claim, claim] }), 'scopes.0.claims: each claim once'],
    ['a scope twice', claims({}, {}), 'scopes: each scope once'],
    ['a claim without a place', claims({ claims: [{ ...claim, in: [] }] }), 'scopes.0.claims.0.in'],
    [
      'a place twice',
      claims({ claims: [{ ...claim, in: ['userinfo', 'userinfo'] }] }),
      'scopes.0.claims.0.in: each place once',
    ],
    [
      'a claim with another meaning',
      claims({ claims: [{ ...claim, name: 'aud' }] }),
      'scopes.0.claims.0.name: a name without another meaning in tokens (such as sub, aud, scope)',
    ],
    ['an unknown key', { ...claims(), more: 1 }, ''],
    ['an unknown key of a scope', claims({ more: 1 }), 'scopes.0'],
    ['an unknown key of a claim', claims({ claims: [{ ...claim, more: 1 }] }), 'scopes.0.claims.0'],
  ])('rejects %s', (_, value, problem) => {
    expectOneProblem(claimsSchema, value, problem);
  });
});

describe('clients.yaml', () => {
  const client = { client_id: 'shop', redirect_uris: ['https://shop.example/cb'] };
  const clients = (...changes: object[]) => ({ clients: changes.map((change) => ({ ...client, ...change })) });
  const HASH = 'ab'.repeat(32);
  it.each<[string, object]>([
    ['no client', clients()],
    ['two secrets, while one is being rotated', clients({ client_secret_environment: ['OLD', '_new_1'] })],
    ['two hashes', clients({ client_secret_sha256: [HASH, '0'.repeat(64)] })],
    ['ids that differ', clients({}, { client_id: 'other' })],
    ['an id of 255 printable characters', clients({ client_id: `~ ${'x'.repeat(253)}` })],
    ['a name of 200 characters', clients({ client_name: 'x'.repeat(200) })],
    ['a redirect URI of 2048 characters', clients({ redirect_uris: ['x'.repeat(2048)] })],
    ['a scope of 4096 characters', clients({ scope: 'x'.repeat(4096) })],
    ['spaces around scope tokens', clients({ scope: '  read   write  ' })],
    ['a default resource of 512 characters', clients({ default_resource: 'x'.repeat(512) })],
  ])('accepts %s', (_, value) => {
    expect(problemsOf(clientsSchema, value)).toEqual([]);
  });
  it.each<[string, object, string]>([
    ['a client without an id', clients({ client_id: undefined }), 'clients.0.client_id'],
    ['an id twice', clients({}, {}), 'clients: each client_id once'],
    ['a secret in the file', clients({ client_secret: 'x'.repeat(40) }), 'clients.0.client_secret'],
    [
      'no secret in a list of secrets',
      clients({ client_secret_environment: [] }),
      'clients.0.client_secret_environment',
    ],
    ['three secrets', clients({ client_secret_environment: ['A', 'B', 'C'] }), 'clients.0.client_secret_environment'],
    [
      'a variable that begins with a digit',
      clients({ client_secret_environment: ['1A'] }),
      'clients.0.client_secret_environment.0: the name of an environment variable',
    ],
    [
      'a variable with a hyphen',
      clients({ client_secret_environment: ['A-B'] }),
      'clients.0.client_secret_environment.0: the name of an environment variable',
    ],
    [
      'a variable with a space',
      clients({ client_secret_environment: [' A'] }),
      'clients.0.client_secret_environment.0: the name of an environment variable',
    ],
    ['no hash in a list of hashes', clients({ client_secret_sha256: [] }), 'clients.0.client_secret_sha256'],
    ['three hashes', clients({ client_secret_sha256: [HASH, HASH, HASH] }), 'clients.0.client_secret_sha256'],
    [
      'a hash that is too short',
      clients({ client_secret_sha256: [HASH.slice(1)] }),
      'clients.0.client_secret_sha256.0: 64 lower-case hexadecimal digits',
    ],
    [
      'a hash that is too long',
      clients({ client_secret_sha256: [`${HASH}0`] }),
      'clients.0.client_secret_sha256.0: 64 lower-case hexadecimal digits',
    ],
    [
      'a hash in capitals',
      clients({ client_secret_sha256: [HASH.toUpperCase()] }),
      'clients.0.client_secret_sha256.0: 64 lower-case hexadecimal digits',
    ],
    ['a name of 201 characters', clients({ client_name: 'x'.repeat(201) }), 'clients.0.client_name'],
    ['a redirect URI of 2049 characters', clients({ redirect_uris: ['x'.repeat(2049)] }), 'clients.0.redirect_uris.0'],
    ['a scope of 4097 characters', clients({ scope: 'x'.repeat(4097) }), 'clients.0.scope'],
    ['a scope without a token', clients({ scope: '  ' }), 'clients.0.scope'],
    ['a tab between scope tokens', clients({ scope: 'read\twrite' }), 'clients.0.scope'],
    ['a line break after a scope', clients({ scope: 'read\n' }), 'clients.0.scope'],
    ['a quote before a scope', clients({ scope: '"read' }), 'clients.0.scope'],
    ['an empty default resource', clients({ default_resource: '' }), 'clients.0.default_resource'],
    [
      'a default resource of 513 characters',
      clients({ default_resource: 'x'.repeat(513) }),
      'clients.0.default_resource',
    ],
    ['an unknown key', { ...clients(), more: 1 }, ''],
    ['an unknown key of a client', clients({ more: 1 }), 'clients.0'],
  ])('rejects %s', (_, value, problem) => {
    expectOneProblem(clientsSchema, value, problem);
  });
});

it('a secret in clients.yaml is rejected without its value, with the alternatives', () => {
  const value = { clients: [{ client_id: 'shop', client_secret: 'hunter2' }] };
  const issues = clientsSchema.safeParse(value).error?.issues ?? [];
  expect(schemaProblems(clientsSchema, value, issues)).toEqual([
    {
      path: ['clients', 0, 'client_secret'],
      found: 'a text of 7 characters (not shown)',
      allowed:
        'no secret in this file: client_secret_environment names the variable that holds it, or client_secret_sha256 has its SHA-256',
      nearest: null,
    },
  ]);
});

describe('human-readable text', () => {
  it.each(['', 'Ångström', '日本', '😀', 'a\u00a0b'])('may be %j', (text) => {
    expect(isPlainText(text)).toBe(true);
  });
  it.each(['a\0', '\u009b', '\n', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069', '\ud800', 'x\udc00'])(
    'cannot be %j',
    (text) => {
      expect(isPlainText(text)).toBe(false);
    },
  );
});

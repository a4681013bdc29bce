/** The token endpoints without HTTP: the issued tokens, their clients and lifetimes, and the later answers about them. */
import { describe, expect, it } from 'vitest';
import { type AccessTokenOrigin, accessTokenId, signAccessToken } from '../../../src/crypto/access-token.ts';
import { accessTokenHash, signIdToken } from '../../../src/crypto/id-token.ts';
import { readRefreshToken } from '../../../src/crypto/refresh-token.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import type { Client } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { NO_PROOF } from '../../../src/model/proof.ts';
import { stateOfCode, stateOfRefreshToken } from '../../../src/protocol/credential-state.ts';
import { handleIntrospectionRequest } from '../../../src/protocol/introspection-request.ts';
import { issueAccessToken, issueTokens } from '../../../src/protocol/issue.ts';
import { handleRevocationRequest } from '../../../src/protocol/revocation-request.ts';
import { GRANT_TYPES, handleTokenRequest } from '../../../src/protocol/token-request.ts';
import { userInfo } from '../../../src/protocol/userinfo.ts';
import {
  claimsIn,
  codeOf,
  headerOf,
  ISSUER,
  keyRing,
  keys,
  refreshTokenOf,
  SECRET,
  secretMacs,
  tokenEndpoints,
  VERIFIER,
  withChain,
  withCode,
} from './memory.ts';
import { API, ARCHIVE, at, BANK, client, configuration, grant, IDENTITY, START, USERINFO } from './ports.ts';

type Given = ReturnType<typeof tokenEndpoints>;
type Fields = Readonly<Record<string, string>>;

const ALL_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'];
const shop = client({ idTokenSignedResponseAlg: 'ES256', grantTypes: ALL_GRANTS });
const service = client({
  clientId: 'service',
  tokenEndpointAuthMethod: 'client_secret_post',
  secretMacs,
  grantTypes: ALL_GRANTS,
});
const basic = (id: string, secret: string = SECRET) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const from = (authorization?: string) => ({
  authorization,
  address: () => '192.0.2.1',
  presenter: () => ({ address: '192.0.2.1', userAgent: null }),
  dpop: undefined,
});
const encode = (fields: Fields) => new URLSearchParams(fields).toString();
const now = START / 1000 + 10;

const token = ({ deps }: Given, fields: Fields | string, authorization?: string) =>
  handleTokenRequest(deps, from(authorization), typeof fields === 'string' ? fields : encode(fields));
async function issued(given: Given, fields: Fields, authorization?: string) {
  const { outcome, facts } = await token(given, fields, authorization);
  if (outcome.kind !== 'issued') throw new Error(`refused: ${outcome.reason}`);
  return { ...outcome.response, facts };
}
async function refused(given: Given, fields: Fields | string, authorization?: string) {
  const { outcome, facts } = await token(given, fields, authorization);
  if (outcome.kind !== 'refused') throw new Error(outcome.kind);
  const { kind: _, ...why } = outcome;
  return { ...why, facts };
}

const exchangeOf = (approved: Grant, change: Fields = {}): Fields => ({
  grant_type: 'authorization_code',
  client_id: approved.clientId,
  code: codeOf(approved),
  code_verifier: VERIFIER,
  redirect_uri: approved.redirectUri,
  ...change,
});
const refreshOf = (chain: Grant, change: Fields = {}): Fields => ({
  grant_type: 'refresh_token',
  client_id: chain.clientId,
  refresh_token: refreshTokenOf(chain),
  ...change,
});

describe('the exchange of a code', () => {
  const approved = withCode({ scope: ['read', 'offline_access'] });

  it('issues an access token for the API, and the head of a chain', async () => {
    const given = tokenEndpoints([shop], [approved]);
    const response = await issued(given, exchangeOf(approved));
    expect(response).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      refresh_token: expect.any(String),
      scope: 'read offline_access',
      facts: { grantType: 'authorization_code', clientId: 'shop', grantId: approved.id },
    });
    expect(headerOf(response.access_token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'ES256' });
    expect(claimsIn(response.access_token)).toEqual({
      iss: ISSUER,
      sub: approved.userId,
      aud: API,
      client_id: 'shop',
      scope: 'read offline_access',
      jti: expect.any(String),
      iat: now,
      exp: now + 600,
    });
    expect(readRefreshToken(keys, response.refresh_token ?? '')).toMatchObject({
      kind: 'authentic',
      grantId: approved.id,
      generation: 0n,
      nonce: Buffer.from(given.rows[0]?.refreshNonce ?? []),
    });
    expect(given.done).toEqual(['move to 0']);
    expect(given.rows[0]?.refreshNonce).toHaveLength(16);
  });

  it('has no refresh token for a client that does not refresh', async () => {
    const given = tokenEndpoints([{ ...shop, grantTypes: ['authorization_code'] }], [approved]);
    expect(await issued(given, exchangeOf(approved))).not.toHaveProperty('refresh_token');
  });

  it.each<[string, Fields, object]>([
    ['no code', { code: '' }, { reason: 'missing_parameter', parameter: 'code' }],
    ['no verifier', { code_verifier: '' }, { reason: 'missing_parameter', parameter: 'code_verifier' }],
    ['a code that is none of ours', { code: 'x' }, { reason: 'authorization_code_unknown' }],
    ['another verifier', { code_verifier: 'w'.repeat(43) }, { reason: 'code_verifier_mismatch', revoked: false }],
    ['a verifier that is none', { code_verifier: 'short' }, { reason: 'code_verifier_mismatch', revoked: false }],
    ['another redirect URI', { redirect_uri: 'https://shop.test/cb2' }, { reason: 'redirect_uri_mismatch' }],
  ])('is rejected for %s, before any token is issued', async (_, change, why) => {
    const given = tokenEndpoints([shop], [approved]);
    expect(await refused(given, exchangeOf(approved, change))).toMatchObject(why);
    expect(given.done).toEqual([]);
  });

  it('is rejected for a code whose grant is not stored, or has another secret', async () => {
    const unknown = { reason: 'authorization_code_unknown' };
    expect(await refused(tokenEndpoints([shop]), exchangeOf(approved))).toMatchObject({
      ...unknown,
      facts: { clientId: 'shop', grantId: null },
    });
    const given = tokenEndpoints([shop], [{ ...approved, codeHash: new Uint8Array(32) }]);
    expect(await refused(given, exchangeOf(approved))).toMatchObject(unknown);
    expect(given.done).toEqual([]);
  });

  it('can be narrowed to the resources that it names', async () => {
    const both = withCode({ resources: [BANK, API] });
    const given = tokenEndpoints([shop], [both]);
    const response = await issued(given, exchangeOf(both, { resource: API, scope: 'ignored' }));
    expect(claimsIn(response.access_token)).toMatchObject({ aud: API, scope: 'read' });
    expect(await refused(tokenEndpoints([shop], [both]), exchangeOf(both, { resource: ARCHIVE }))).toMatchObject({
      reason: 'resource_exceeds_grant',
    });
  });
});

describe('a refresh', () => {
  const chain = withChain({ scope: ['read', 'write'] });

  it('issues the next head, and an access token', async () => {
    const given = tokenEndpoints([shop], [chain]);
    const response = await issued(given, refreshOf(chain));
    expect(response).toMatchObject({
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'read write',
      facts: { grantType: 'refresh_token', clientId: 'shop', grantId: chain.id },
    });
    expect(readRefreshToken(keys, response.refresh_token ?? '')).toMatchObject({ generation: 1n });
    expect(given.done).toEqual(['move to 1']);
    expect(given.rows[0]?.refreshNonce).toHaveLength(16);
  });

  it('can be narrowed, for this access token only', async () => {
    const given = tokenEndpoints([shop], [chain]);
    const response = await issued(given, refreshOf(chain, { scope: 'write' }));
    expect([response.scope, claimsIn(response.access_token)['scope']]).toEqual(['write', 'write']);
    expect(given.rows[0]?.scope).toEqual(['read', 'write']);
  });

  const otherKeys = rootKeys(['another root secret, of more than thirty-two bytes']);
  it.each<[string, Fields, object]>([
    ['no token', { refresh_token: '' }, { reason: 'missing_parameter', parameter: 'refresh_token' }],
    ['a scope that is none', { scope: '"' }, { reason: 'scope_malformed', parameter: 'scope' }],
    ['more than was granted', { scope: 'read pay' }, { reason: 'scope_exceeds_grant' }],
    ['a token that is none', { refresh_token: 'x' }, { reason: 'refresh_token_malformed' }],
    ['a token of another root secret', { refresh_token: tokenOfOtherKeys() }, { reason: 'refresh_token_unknown_key' }],
    [
      'a forged token',
      { refresh_token: `${refreshTokenOf(chain).slice(0, -3)}AAA` },
      { reason: 'refresh_token_forged' },
    ],
  ])('is rejected for %s', async (_, change, why) => {
    const given = tokenEndpoints([shop], [chain]);
    expect(await refused(given, refreshOf(chain, change))).toMatchObject(why);
    expect(given.done).toEqual([]);
  });
  function tokenOfOtherKeys() {
    const bytes = Buffer.from(refreshTokenOf(chain).slice('sh_rt_'.length), 'base64url');
    bytes.write(otherKeys.first.id, 1, 'hex');
    return `sh_rt_${bytes.toString('base64url')}`;
  }

  it('is rejected where its grant is not stored', async () => {
    expect(await refused(tokenEndpoints([shop]), refreshOf(chain))).toMatchObject({ reason: 'refresh_token_unknown' });
  });

  it('with a used token ends the chain, and is logged', async () => {
    const given = tokenEndpoints([shop], [withChain({ refreshGeneration: 2n })]);
    expect(await refused(given, refreshOf(chain))).toMatchObject({ revoked: true });
    expect(given.done).toEqual([expect.stringMatching(/^revoke: /)]);
    expect(await refused(given, refreshOf(chain))).toMatchObject({ revoked: false });
  });
});

describe('client credentials', () => {
  const fields = { grant_type: 'client_credentials' };

  it('issue an access token about the client itself, and no other token', async () => {
    const response = await issued(tokenEndpoints([service]), { ...fields, scope: 'read' }, basic('service'));
    expect(response).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'read',
      facts: { grantType: 'client_credentials', clientId: 'service', grantId: null },
    });
    expect(claimsIn(response.access_token)).toMatchObject({ sub: 'service', client_id: 'service', aud: API });
    const post = { ...fields, client_id: 'service', client_secret: SECRET };
    expect(await issued(tokenEndpoints([service]), post)).toMatchObject({ scope: 'read write' });
  });

  it.each<[string, Client, Fields, object]>([
    ['an unknown scope', service, { scope: 'fly' }, { reason: 'scope_unknown', parameter: 'scope', scope: 'fly' }],
    [
      'a scope of an end-user',
      service,
      { scope: 'openid' },
      { reason: 'scope_not_allowed', parameter: 'scope', scope: 'openid' },
    ],
    ['a scope that is none', service, { scope: '"' }, { reason: 'scope_malformed', parameter: 'scope' }],
    ['an unknown resource', service, { resource: 'x:' }, { reason: 'resource_unknown', parameter: 'resource' }],
    [
      'a scope that is as long as a page',
      service,
      { scope: 'x'.repeat(200) },
      { reason: 'scope_unknown', parameter: 'scope', scope: `${'x'.repeat(100)}...` },
    ],
    ['a client that may not', { ...service, grantTypes: ['refresh_token'] }, {}, { reason: 'grant_type_not_allowed' }],
  ])('are rejected for %s', async (_, registered, change, why) => {
    const { facts, ...refusal } = await refused(
      tokenEndpoints([registered]),
      { ...fields, ...change },
      basic('service'),
    );
    expect(refusal).toStrictEqual(why);
    expect(facts).toEqual({ grantType: 'client_credentials', clientId: 'service', grantId: null });
  });

  it.each([ALL_GRANTS, ['authorization_code']])('are not issued to a public client of %j', async (...grantTypes) => {
    const { reason } = await refused(tokenEndpoints([{ ...shop, grantTypes }]), { ...fields, client_id: 'shop' });
    expect(reason).toBe('public_client_credentials');
  });
});

describe('a token request', () => {
  const noClient = { grantType: null, clientId: null, grantId: null };
  const chain = withChain();

  it('supports three grant types', () => {
    expect([...GRANT_TYPES.keys()]).toEqual(ALL_GRANTS);
  });

  it.each<[Fields | string, object]>([
    [{}, { reason: 'missing_parameter', parameter: 'grant_type', facts: noClient }],
    [{ grant_type: 'password' }, { reason: 'unknown_grant_type', parameter: 'grant_type', facts: noClient }],
    ['scope=a&scope=b', { reason: 'repeated_parameter', parameter: 'scope', facts: noClient }],
    ['x=1&'.repeat(101), { reason: 'too_many_parameters', facts: noClient }],
    [
      { grant_type: 'refresh_token' },
      { reason: 'client_authentication_missing', facts: { ...noClient, grantType: 'refresh_token' } },
    ],
  ])('with %j is rejected', async (fields, why) => {
    expect(await refused(tokenEndpoints([shop]), fields)).toEqual(why);
  });

  // Only the authenticated client learns the error in a code or a token.
  it.each<[string, Fields]>([
    ['a refresh token', refreshOf(chain)],
    ['a refresh token that is none', refreshOf(chain, { refresh_token: 'x' })],
    ['no refresh token', refreshOf(chain, { refresh_token: '' })],
    ['a code', exchangeOf(withCode())],
  ])('with %s and a wrong secret reveals no more than that', async (_, { client_id: __, ...fields }) => {
    const given = tokenEndpoints([service], [chain]);
    expect(await refused(given, fields, basic('service', 'wrong'))).toEqual({
      reason: 'client_secret_mismatch',
      claimedClientId: 'service',
      facts: { ...noClient, grantType: fields['grant_type'] },
    });
    expect(given.done).toEqual([]);
  });

  it.each(['authorization_code', 'refresh_token'])('for %s needs its grant type', async (name) => {
    const given = tokenEndpoints([{ ...shop, grantTypes: ALL_GRANTS.filter((one) => one !== name) }], [chain]);
    const fields = name === 'refresh_token' ? refreshOf(chain) : exchangeOf(chain);
    expect(await refused(given, fields)).toEqual({
      reason: 'grant_type_not_allowed',
      facts: { grantType: name, clientId: 'shop', grantId: chain.id },
    });
    expect(given.done).toEqual([]);
  });

  it('that fails for another cause is not rejected as invalid_scope', async () => {
    const given = tokenEndpoints([shop], [chain]);
    const deps = {
      ...given.deps,
      keyRing: {
        ...keyRing,
        signerOf: () => {
          throw new Error('no key');
        },
      },
    };
    await expect(handleTokenRequest(deps, from(), encode(refreshOf(chain)))).rejects.toThrow('no key');
  });
});

describe('an access token', () => {
  const resources = (change: Readonly<Record<string, object>>) =>
    configuration({ resources: configuration().resources.map((one) => ({ ...one, ...change[one.identifier] })) });
  const both = withChain({ resources: [BANK, API], scope: ['read', 'pay'] });
  const refreshed = async (given: Given, change: Fields = {}) => {
    const { access_token, expires_in } = await issued(given, refreshOf(both, change));
    return { ...claimsIn(access_token), alg: headerOf(access_token)['alg'], expires_in } as Record<string, unknown>;
  };

  it('for several resources names them all', async () => {
    expect(await refreshed(tokenEndpoints([shop], [both]))).toMatchObject({ aud: [BANK, API], scope: 'read pay' });
  });

  it('lives for the shortest time that policy and resources allow', async () => {
    const lives = async (change: Readonly<Record<string, object>>, fields: Fields = {}) => {
      const { iat, exp, expires_in } = await refreshed(
        tokenEndpoints([shop], [both], { configuration: resources(change) }),
        fields,
      );
      expect(Number(exp) - Number(iat)).toBe(expires_in);
      return expires_in;
    };
    const seconds = (accessTokenLifetimeSeconds: number) => ({ accessTokenLifetimeSeconds });
    expect(await lives({})).toBe(600);
    expect(await lives({ [BANK]: seconds(60), [API]: seconds(90) })).toBe(60);
    expect(await lives({ [BANK]: seconds(60), [API]: seconds(90) }, { resource: API })).toBe(90);
    expect(await lives({ [API]: seconds(6000) })).toBe(600);
    expect(await lives({ [ARCHIVE]: seconds(60) })).toBe(600);
  });

  it('is signed with the algorithm of its resources, and they have to agree', async () => {
    const edDsa = { accessTokenSigningAlgorithm: 'EdDSA' };
    const algorithm = async (change: Readonly<Record<string, object>>, fields: Fields = {}) =>
      (await refreshed(tokenEndpoints([shop], [both], { configuration: resources(change) }), fields))['alg'];
    expect(await algorithm({ [ARCHIVE]: edDsa })).toBe('ES256');
    expect(await algorithm({ [BANK]: edDsa, [API]: edDsa })).toBe('EdDSA');
    expect(await algorithm({ [BANK]: edDsa }, { resource: BANK })).toBe('EdDSA');
    const given = tokenEndpoints([shop], [both], { configuration: resources({ [BANK]: edDsa }) });
    expect(await refused(given, refreshOf(both))).toMatchObject({ reason: 'resources_differ_in_signature' });
    expect(given.done).toEqual([]);
  });
});

describe('an ID Token', () => {
  const identified = { scope: ['openid', 'read'], identity: { ...IDENTITY, nonce: 'n-1' } };
  const approved = withCode(identified);

  it('comes with the exchange, and says who signed in, when and how', async () => {
    const response = await issued(tokenEndpoints([shop], [approved]), exchangeOf(approved));
    expect(headerOf(response.id_token)).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'ES256' });
    expect(claimsIn(response.id_token)).toEqual({
      iss: ISSUER,
      sub: approved.userId,
      aud: 'shop',
      iat: now,
      exp: now + 600,
      auth_time: START / 1000,
      nonce: 'n-1',
      at_hash: accessTokenHash('ES256', response.access_token),
      acr: 'urn:statehouse:acr:password',
      amr: ['pwd'],
      sid: 'a session',
    });
    expect(response.scope).toBe('openid read');
    expect(claimsIn(response.access_token)).toMatchObject({ aud: API, scope: 'read' });
  });

  it('has no nonce where none was sent, and is signed with the algorithm of its client', async () => {
    const without = withCode({ ...identified, identity: IDENTITY });
    const given = tokenEndpoints([{ ...shop, idTokenSignedResponseAlg: 'EdDSA' }], [without]);
    const { id_token } = await issued(given, exchangeOf(without));
    expect(headerOf(id_token)['alg']).toBe('EdDSA');
    expect(claimsIn(id_token)).not.toHaveProperty('nonce');
  });

  it.each<[string, Partial<Grant>, Partial<Client>, Fields, boolean]>([
    ['with a refresh', identified, {}, {}, true],
    ['with a refresh that asks for openid', identified, {}, { scope: 'openid read' }, true],
    ['not with a refresh that leaves openid out', identified, {}, { scope: 'read' }, false],
    ['not without openid', { scope: ['read'] }, {}, {}, false],
    ['not with openid above the current ceiling', identified, { scope: ['read'] }, {}, false],
  ])('comes %s, never with the nonce again', async (_, change, registered, fields, comes) => {
    const chain = withChain(change);
    const response = await issued(tokenEndpoints([{ ...shop, ...registered }], [chain]), refreshOf(chain, fields));
    expect(response.id_token !== undefined).toBe(comes);
    if (comes) expect(claimsIn(response.id_token)).toMatchObject({ auth_time: START / 1000, iat: now });
    if (comes) expect(claimsIn(response.id_token)).not.toHaveProperty('nonce');
  });
});

const asBearer = (token: string) => ({ scheme: 'bearer' as const, token, dpop: undefined, method: 'GET' });
const UNBOUND = { proof: NO_PROOF, boundTo: null };

describe('an impossible result', () => {
  const { deps } = tokenEndpoints([shop]);
  it('is no access token without an audience', () => {
    const subject = { client: shop, sub: 'x', grantId: null, claims: null, signIn: null, confirmation: null };
    expect(() => issueAccessToken(deps, subject, { scope: ['read'], resources: [] }, at(0))).toThrow(
      new InvariantViolation('an access token without an audience'),
    );
  });

  it('is an ID Token without a sign-in', () => {
    const next = withChain({ scope: ['openid', 'read'], identity: null });
    const today = { scope: ['openid', 'read'], resources: [API], mayRefresh: true };
    const loaded = { now: at(0), client: shop, grant: next, claims: null };
    const issuedTokens = issueTokens(deps, next, today, { scope: null, resources: null }, loaded, UNBOUND);
    expect(issuedTokens).not.toHaveProperty('id_token');
  });

  it.each<[string, Grant]>([
    ['a code', withCode()],
    ['a chain without a nonce', withChain({ refreshNonce: null })],
    ['a chain without a generation', withChain({ refreshGeneration: null })],
  ])('is tokens for the head of %s', (_, next) => {
    const today = { scope: ['read'], resources: [API], mayRefresh: true };
    const loaded = { now: at(0), client: shop, grant: next, claims: null };
    expect(() => issueTokens(deps, next, today, { scope: null, resources: null }, loaded, UNBOUND)).toThrow(
      new InvariantViolation('tokens of a chain that is not started'),
    );
  });
});

describe('claims in tokens', () => {
  const claim = (name: string, place: 'id_token' | 'access_token' | 'userinfo') => ({ name, in: [place] });
  const policy = configuration({
    claims: {
      scopes: [
        { name: 'read', claims: [claim('groups', 'access_token'), claim('level', 'userinfo')] },
        { name: 'openid', claims: [claim('level', 'id_token')] },
      ],
    },
  });
  const chain = withChain({ scope: ['openid', 'read'], identity: IDENTITY });

  it('are those that the scope releases there, of those that the end-user has', async () => {
    const claims = { groups: ['staff'], level: 3, secret: 'never', iss: 'never', exp: 0 };
    const given = tokenEndpoints([shop], [chain], { configuration: policy, claims });
    const response = await issued(given, refreshOf(chain));
    expect(claimsIn(response.access_token)).toMatchObject({ groups: ['staff'], iss: ISSUER });
    expect(claimsIn(response.access_token)).not.toHaveProperty('level');
    expect(claimsIn(response.id_token)).toMatchObject({ level: 3, iss: ISSUER });
    expect(claimsIn(response.id_token)).not.toHaveProperty('groups');
    for (const token of [response.access_token, response.id_token]) {
      expect(claimsIn(token)).not.toHaveProperty('secret');
    }
  });

  it('are none for a client on its own behalf', async () => {
    const given = tokenEndpoints([service], [], { configuration: policy, claims: { groups: ['staff'] } });
    const response = await issued(given, { grant_type: 'client_credentials' }, basic('service'));
    expect(claimsIn(response.access_token)).not.toHaveProperty('groups');
  });
});

const tokenOf = async (given: Given, chain: Grant, change: Fields = {}) =>
  (await issued(given, refreshOf(chain, change))).access_token;
const serviceToken = async (given: Given) =>
  (await issued(given, { grant_type: 'client_credentials' }, basic('service'))).access_token;

describe('introspection', () => {
  const owner = client({ ...service, clientId: 'shop', idTokenSignedResponseAlg: 'ES256' });
  const chain = withChain({ scope: ['read', 'pay'], resources: [BANK, API] });
  const ask = ({ deps }: Given, by: string, sent: string | Fields) =>
    handleIntrospectionRequest(deps, from(basic(by)), encode(typeof sent === 'string' ? { token: sent } : sent));
  const bodyOf = async (...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked);
    return answer.kind === 'answered' ? answer.body : answer.refused.reason;
  };
  const served = (...introspectedBy: readonly [resource: string, by: string][]) =>
    configuration({
      resources: configuration().resources.map((one) => {
        const by = introspectedBy.filter(([resource]) => resource === one.identifier).map(([, clientId]) => clientId);
        return by.length > 0 ? { ...one, introspectedBy: by } : one;
      }),
      claims: { scopes: [{ name: 'pay', claims: [{ name: 'groups', in: ['access_token'] }] }] },
    });
  const authenticated = async (given: Given) => basicRefresh(given, chain);
  async function basicRefresh(given: Given, of: Grant) {
    const { client_id: _, ...fields } = refreshOf(of);
    return issued(given, fields, basic('shop'));
  }

  it('returns to the client of an access token all of its content', async () => {
    const given = tokenEndpoints([owner], [chain]);
    const { access_token: sent } = await authenticated(given);
    expect(await ask(given, 'shop', sent)).toEqual({
      kind: 'answered',
      body: { active: true, token_type: 'Bearer', ...claimsIn(sent) },
      facts: { clientId: 'shop', grantId: chain.id },
    });
  });

  it('loads the grant once, together with the authenticated client', async () => {
    const given = tokenEndpoints([owner], [chain]);
    const { access_token: sent } = await authenticated(given);
    const { load, loadClient } = given.deps.store;
    const loads: string[] = [];
    const store = {
      ...given.deps.store,
      load: (...asked: Parameters<typeof load>) => {
        loads.push('client and grant');
        return load(...asked);
      },
      loadClient: (...asked: Parameters<typeof loadClient>) => {
        loads.push('client');
        return loadClient(...asked);
      },
    };
    const counted = { ...given, deps: { ...given.deps, store } };
    for (const token of [sent, refreshTokenOf(chain)]) await bodyOf(counted, 'shop', token);
    expect(loads).toEqual(['client and grant', 'client and grant']);
  });

  it('returns to an API what concerns it', async () => {
    const api = client({ ...service, clientId: 'the bank' });
    const asked = async (...introspectedBy: readonly [string, string][]) => {
      const given = tokenEndpoints([owner, api], [chain], {
        configuration: served(...introspectedBy),
        claims: { groups: ['staff'] },
      });
      const { access_token: sent } = await authenticated(given);
      return { sent: claimsIn(sent), body: await bodyOf(given, 'the bank', sent) };
    };
    const inactive = { active: false };
    expect((await asked()).body).toEqual(inactive);
    expect((await asked([API, 'another'])).body).toEqual(inactive);
    expect((await asked([ARCHIVE, 'the bank'])).body).toEqual(inactive);

    const { sent, body } = await asked([API, 'the bank']);
    const { iss, sub, client_id, jti, iat, exp } = sent;
    const common = { active: true, token_type: 'Bearer', iss, sub, client_id, jti, iat, exp };
    expect({ ...(body as object), jti }).toEqual({ ...common, scope: 'read', aud: API });
    expect((await asked([BANK, 'the bank'])).body).toMatchObject({ scope: 'read pay', aud: BANK, groups: ['staff'] });
    const atBoth = await asked([BANK, 'the bank'], [API, 'the bank']);
    expect(atBoth.body).toMatchObject({ scope: 'read pay', aud: [BANK, API] });
  });

  it('returns no scope to an API where none of the scope has an effect', async () => {
    const api = client({ ...service, clientId: 'the archive' });
    const wide = withChain({ scope: ['read'], resources: [API, ARCHIVE] });
    const given = tokenEndpoints([owner, api], [wide], { configuration: served([ARCHIVE, 'the archive']) });
    const { access_token: sent } = await basicRefresh(given, wide);
    const body = await bodyOf(given, 'the archive', sent);
    expect(body).toMatchObject({ active: true, aud: ARCHIVE });
    expect(body).not.toHaveProperty('scope');
  });

  it('describes a refresh token to its client, as a token for this server', async () => {
    const given = tokenEndpoints([owner], [chain]);
    expect(await bodyOf(given, 'shop', refreshTokenOf(chain))).toEqual({
      active: true,
      scope: 'read pay',
      client_id: 'shop',
      exp: START / 1000 + 3605,
      iat: START / 1000 + 5,
      sub: chain.userId,
      aud: ISSUER,
      iss: ISSUER,
    });
    const unused = withChain({ lastUsedAt: null, chainEndsAt: at(99.9) });
    expect(await bodyOf(tokenEndpoints([owner], [unused]), 'shop', refreshTokenOf(unused))).toMatchObject({
      iat: START / 1000,
      exp: START / 1000 + 99,
    });
    const narrowed = tokenEndpoints([{ ...owner, scope: ['read'] }], [chain]);
    expect(await bodyOf(narrowed, 'shop', refreshTokenOf(chain))).toMatchObject({ scope: 'read' });
    expect(given.done).toEqual([]);
  });

  it.each<[string, Partial<Client>, Partial<Grant>, string, string | null]>([
    ['was used', {}, { refreshGeneration: 1n }, 'refresh_token_not_active', chain.id],
    ['was revoked', {}, { state: 'revoked', revokedReason: 'x' }, 'refresh_token_not_active', chain.id],
    ['idled out', {}, { chainEndsAt: at(10) }, 'refresh_token_not_active', chain.id],
    ['its client may not use', { grantTypes: [] }, {}, 'grant_type_not_allowed', chain.id],
    ['belongs to another client', {}, { clientId: 'another' }, 'client_mismatch', null],
    ['is of a grant that is gone', {}, { id: 'gone' }, 'refresh_token_unknown', null],
  ])('of a refresh token that %s returns inactive', async (_, registered, change, reason, grantId) => {
    const given = tokenEndpoints([{ ...owner, ...registered }], [{ ...chain, ...change }]);
    expect(await ask(given, 'shop', refreshTokenOf(chain))).toEqual({
      kind: 'answered',
      body: { active: false },
      facts: { clientId: 'shop', grantId, reason },
    });
    expect(given.done).toEqual([]);
  });

  it('of any other string returns inactive alone, and logs the reason', async () => {
    const given = tokenEndpoints([owner, service], [chain]);
    const { access_token: sent } = await authenticated(given);
    const reasonOf = async (text: string, by = 'shop') => {
      const answer = await ask(given, by, text);
      return answer.kind === 'answered' && !answer.body.active ? answer.facts : answer;
    };
    const nothing = { clientId: 'shop', grantId: null };
    expect(await reasonOf('x')).toEqual({ ...nothing, reason: 'refresh_token_malformed' });
    expect(await reasonOf(codeOf(chain))).toEqual({ ...nothing, reason: 'refresh_token_malformed' });
    expect(await reasonOf(`${sent.slice(0, -4)}AAAA`)).toMatchObject({ reason: 'access_token_forged' });
    expect(await reasonOf(sent, 'service')).toEqual({
      clientId: 'service',
      grantId: chain.id,
      reason: 'not_for_this_client',
    });
    const ofService = await serviceToken(given);
    expect(await reasonOf(ofService)).toEqual({ ...nothing, reason: 'not_for_this_client' });
  });

  it('is only for clients that authenticate, and for a token', async () => {
    const given = tokenEndpoints([shop, service]);
    const reading = (body: string, authorization?: string) =>
      handleIntrospectionRequest(given.deps, from(authorization), body);
    const no = (clientId: string | null, refusal: object) => ({
      kind: 'refused',
      refused: { kind: 'refused', ...refusal },
      clientId,
    });
    expect(await reading('token=x&client_id=shop')).toEqual(no('shop', { reason: 'public_client_introspection' }));
    expect(await reading('token=x')).toEqual(no(null, { reason: 'client_authentication_missing' }));
    expect(await reading('token=x', basic('service', 'wrong'))).toEqual(
      no(null, { reason: 'client_secret_mismatch', claimedClientId: 'service' }),
    );
    expect(await reading('', basic('service'))).toEqual(
      no('service', { reason: 'missing_parameter', parameter: 'token' }),
    );
    expect(await reading('token=x&token=y', basic('service'))).toEqual(
      no(null, { reason: 'repeated_parameter', parameter: 'token' }),
    );
    expect(await reading('x=1&'.repeat(101), basic('service'))).toEqual(no(null, { reason: 'too_many_parameters' }));
  });
});

describe('revocation', () => {
  const chain = withChain();
  const revoke = ({ deps }: Given, sent: string, clientId = 'shop', secret?: string) =>
    handleRevocationRequest(
      deps,
      from(),
      encode({ token: sent, client_id: clientId, ...(secret !== undefined && { client_secret: secret }) }),
    );
  const done = (facts: object) => ({ kind: 'done', facts: { clientId: 'shop', ...facts } });

  it.each(['access token', 'refresh token'])('of an %s ends its grant, once', async (what) => {
    const given = tokenEndpoints([shop], [chain]);
    const accessToken = await tokenOf(given, chain);
    const sent = what === 'access token' ? accessToken : refreshTokenOf(chain);
    expect(await revoke(given, sent)).toEqual(done({ grantId: chain.id, ended: 'grant' }));
    expect(given.done).toEqual(['move to 1', expect.stringMatching(/^revoke: /)]);
    const again =
      what === 'access token' ? { reason: 'grant_revoked' } : { grantId: chain.id, reason: 'grant_revoked' };
    expect(await revoke(given, sent)).toEqual(done({ ended: 'nothing', ...again }));
  });

  it('of a token of another client changes nothing, and gets the same answer', async () => {
    const given = tokenEndpoints([shop, service], [chain]);
    const accessToken = await tokenOf(given, chain);
    for (const sent of [accessToken, refreshTokenOf(chain)]) {
      expect(await revoke(given, sent, 'service', SECRET)).toEqual({
        kind: 'done',
        facts: { clientId: 'service', ended: 'nothing', reason: 'client_mismatch' },
      });
    }
    expect(given.rows[0]?.state).toBe('active');
    const ofService = await serviceToken(given);
    expect(await revoke(given, ofService)).toEqual(done({ ended: 'nothing', reason: 'client_mismatch' }));
    expect(given.denied).toEqual([]);
  });

  it('of an access token without a grant denies it until its end', async () => {
    const given = tokenEndpoints([service]);
    const sent = await serviceToken(given);
    const { jti, exp } = claimsIn(sent);
    expect(await revoke(given, sent, 'service', SECRET)).toEqual({
      kind: 'done',
      facts: { clientId: 'service', ended: 'access_token' },
    });
    expect(given.denied).toEqual([{ jti, clientId: 'service', endsAt: new Date(Number(exp) * 1000) }]);
    expect(await revoke(given, sent, 'service', SECRET)).toMatchObject({ facts: { reason: 'access_token_denied' } });
  });

  it('of an invalid token changes nothing, and is no error', async () => {
    const given = tokenEndpoints([shop]);
    expect(await revoke(given, 'x')).toEqual(done({ ended: 'nothing', reason: 'refresh_token_malformed' }));
    expect(await revoke(given, 'x.y.z')).toEqual(done({ ended: 'nothing', reason: 'access_token_malformed' }));
  });

  it('is rejected for an unauthenticated client', async () => {
    const given = tokenEndpoints([service], [chain]);
    expect(await revoke(given, refreshTokenOf(chain), 'service', 'wrong')).toMatchObject({ kind: 'refused' });
    expect(given.done).toEqual([]);
  });
});

describe('a presented access token', () => {
  const chain = withChain({ scope: ['openid'], resources: [USERINFO], identity: IDENTITY });
  const alice = { name: 'Alice', email: 'a@b.test', email_verified: undefined, groups: ['staff'], nickname: null };
  const policy = configuration({
    claims: { scopes: [{ name: 'openid', claims: [{ name: 'groups', in: ['userinfo'] }] }] },
  });
  async function asked(
    change: Partial<Grant>,
    given: { later?: Partial<Grant>; second?: number; claims?: unknown } = {},
  ) {
    const granted = { ...chain, ...change };
    const endpoints = tokenEndpoints([shop, service], [granted], { configuration: policy });
    const sent = await tokenOf(endpoints, granted);
    endpoints.rows[0] = { ...granted, ...given.later };
    endpoints.clock.second = given.second ?? 10;
    const claims = 'claims' in given ? given.claims : alice;
    return userInfo({ ...endpoints.deps, claimsOf: async () => claims as typeof alice }, asBearer(sent));
  }
  const invalid = (reason: string) => ({ kind: 'refused', error: 'invalid_token', reason });
  const insufficient = { kind: 'refused', error: 'insufficient_scope', reason: 'openid_not_granted' };

  it.each<[string, string[], object]>([
    ['the sub, and what the policy adds', ['openid'], { groups: ['staff'] }],
    ['what the scope asks for, where it is known', ['openid', 'email'], { email: 'a@b.test', groups: ['staff'] }],
    [
      'several scopes',
      ['openid', 'email', 'profile'],
      { email: 'a@b.test', name: 'Alice', groups: ['staff'], nickname: null },
    ],
  ])('returns at the UserInfo Endpoint %s', async (_, scope, claims) => {
    expect(await asked({ scope })).toStrictEqual({
      kind: 'claims',
      claims: { sub: chain.userId, ...claims },
      grantId: chain.id,
    });
  });

  it.each<[string, Partial<Grant>, object, Parameters<typeof asked>[1]?]>([
    ['for an API', { scope: ['openid', 'read'], resources: [API] }, insufficient],
    ['of an end-user who is gone', {}, invalid('user_unknown'), { claims: null }],
    ['of a grant that was revoked', {}, invalid('grant_revoked'), { later: { state: 'revoked' } }],
    ['of a grant that is gone', {}, invalid('grant_unknown'), { later: { id: 'gone' } }],
    ['of a grant of another client', {}, invalid('grant_unknown'), { later: { clientId: 'service' } }],
    ['of a client that ended', {}, invalid('client_ended'), { later: { liveClientEpoch: null } }],
    ['of an end-user who ended', {}, invalid('user_ended'), { later: { liveUserEpoch: null } }],
    ['of before a recovery', {}, invalid('server_epoch_raised'), { later: { liveServerEpoch: 2n } }],
    ['whose time is over', {}, invalid('access_token_expired'), { second: 610 }],
  ])('returns no claims at the UserInfo Endpoint %s', async (_, change, refusal, given) => {
    expect(await asked(change, given)).toEqual(refusal);
  });

  // Also where an API has a scope of that name.
  it.each<[string, origin: AccessTokenOrigin, aud: string | string[], scope: string, object]>([
    ['both', { grantId: chain.id }, [API, USERINFO], 'read openid', { kind: 'claims' }],
    ['openid at an API', { grantId: chain.id }, API, 'openid', insufficient],
    ['this server without openid', { grantId: chain.id }, USERINFO, 'read', insufficient],
    ['openid, without an end-user', { clientEpoch: 1n }, USERINFO, 'openid', insufficient],
  ])('at the UserInfo Endpoint, for %s', async (_, origin, aud, scope, expected) => {
    const { deps } = tokenEndpoints([shop], [chain]);
    const jti = accessTokenId(origin, new Uint8Array(16));
    const claims = { iss: ISSUER, sub: chain.userId, aud, client_id: 'shop', scope, jti, iat: now, exp: now + 9 };
    const sent = signAccessToken(keyRing.signerOf('ES256'), claims);
    expect(await userInfo({ ...deps, claimsOf: async () => alice }, asBearer(sent))).toMatchObject(expected);
  });

  it('is valid until the second that it names', async () => {
    expect(await asked({}, { second: 609.999 })).toMatchObject({ kind: 'claims' });
  });

  it('of client credentials yields no end-user, and ends with its client', async () => {
    const given = tokenEndpoints([service]);
    const sent = await serviceToken(given);
    const tell = (clients: readonly Client[], second = 10) => {
      const { deps } = tokenEndpoints(clients, [], { second });
      return userInfo({ ...deps, claimsOf: async () => alice }, asBearer(sent));
    };
    expect(await tell([service])).toEqual(insufficient);
    expect(await tell([])).toEqual(invalid('client_ended'));
    expect(await tell([{ ...service, deletedAt: at(1) }])).toEqual(invalid('client_ended'));
    expect(await tell([{ ...service, epoch: 2n }])).toEqual(invalid('client_ended'));
    expect(await tell([service], 610)).toEqual(invalid('access_token_expired'));
    expect(await tell([service], 609.999)).toEqual(insufficient);
  });

  it('is no ID Token', async () => {
    const { deps } = tokenEndpoints([shop], [chain]);
    const idToken = signIdToken(keyRing.signerOf('ES256'), { iss: ISSUER } as never);
    expect(await userInfo({ ...deps, claimsOf: async () => alice }, asBearer(idToken))).toEqual(
      invalid('access_token_other_typ'),
    );
  });
});

describe('the state of a code or a refresh token', () => {
  const chain = withChain();
  const unused = withCode();
  const { deps } = tokenEndpoints([shop], [chain]);
  const ofUnused = tokenEndpoints([shop], [unused]).deps;

  it('is shown to its holder, without presenting it', async () => {
    expect(await stateOfCode(ofUnused, 'shop', codeOf(unused))).toBe('active');
    expect(await stateOfCode(deps, 'shop', codeOf(chain))).toBe('used');
    expect(await stateOfRefreshToken(deps, 'shop', refreshTokenOf(chain))).toBe('active');
    expect(await stateOfRefreshToken(deps, 'shop', refreshTokenOf(chain, { generation: 1n }))).toBe('ahead');
  });

  it('is unknown for a foreign token, or without its grant', async () => {
    const gone = { ...grant(), id: '00000000-0000-4000-8000-00000000000f' };
    for (const text of ['x', codeOf(gone), refreshTokenOf(chain)]) {
      expect(await stateOfCode(deps, 'shop', text)).toBeNull();
    }
    for (const text of ['x', refreshTokenOf(gone), `${refreshTokenOf(chain).slice(0, -3)}AAA`]) {
      expect(await stateOfRefreshToken(deps, 'shop', text)).toBeNull();
    }
  });
});

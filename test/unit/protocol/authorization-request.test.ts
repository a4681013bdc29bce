/** The checks of the authorization request, in their order: errors shown locally, errors by redirect, and the verified request. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/model/client.ts';
import { parseParameters } from '../../../src/oauth/parameters.ts';
import { supportedPrompts } from '../../../src/oauth/prompt.ts';
import {
  AUTHORIZATION_PARAMETERS,
  checkAuthorizationRequest,
  responseModeOf,
  verifyClientAndRedirectUri,
} from '../../../src/protocol/authorization-request.ts';
import { API, client, configuration } from './ports.ts';

const CALLBACK = 'https://shop.test/cb';
const VALID = {
  response_type: 'code',
  client_id: 'shop',
  redirect_uri: CALLBACK,
  scope: 'read',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};
type Change = Readonly<Record<string, string | undefined>>;
const reading = (query: Change | string) =>
  parseParameters(
    typeof query === 'string'
      ? query
      : new URLSearchParams(
          Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
        ).toString(),
    AUTHORIZATION_PARAMETERS,
  );

describe('before client and redirect URI are verified', () => {
  const shop = client();
  const verify = (query: Change | string) =>
    verifyClientAndRedirectUri(reading(query), async (clientId) => ({ client: clientId === 'shop' ? shop : null }));

  it('the request is verified with both, whatever other error it has', async () => {
    expect(await verify({ client_id: 'shop', redirect_uri: CALLBACK })).toEqual({
      kind: 'verified',
      client: shop,
      redirectUri: CALLBACK,
    });
    expect(await verify(`client_id=shop&redirect_uri=${CALLBACK}&state=a&state=b`)).toMatchObject({ kind: 'verified' });
  });

  it('a deleted client is as unknown as any other', async () => {
    const deleted = async () => ({ client: { ...shop, deletedAt: new Date(0) } });
    const verified = await verifyClientAndRedirectUri(reading({ client_id: 'shop', redirect_uri: CALLBACK }), deleted);
    expect(verified).toEqual({ kind: 'unverified', reason: 'client_unknown', clientId: null });
  });

  it.each<[Change | string, object]>([
    [{}, { reason: 'client_id_missing', clientId: null }],
    ['client_id=shop&client_id=shop', { reason: 'client_id_malformed', clientId: null }],
    [
      { client_id: 'unknown', redirect_uri: CALLBACK },
      { reason: 'client_unknown', clientId: null },
    ],
    [{ client_id: 'shop' }, { reason: 'redirect_uri_missing', clientId: 'shop' }],
    [
      `client_id=shop&redirect_uri=${CALLBACK}&redirect_uri=${CALLBACK}`,
      { reason: 'redirect_uri_malformed', clientId: 'shop' },
    ],
    [
      { client_id: 'shop', redirect_uri: `${CALLBACK}/` },
      { reason: 'redirect_uri_mismatch', clientId: 'shop', registered: [CALLBACK], received: `${CALLBACK}/` },
    ],
    [`client_id=shop&redirect_uri=${CALLBACK}${'&x=1'.repeat(100)}`, { reason: 'too_many_parameters', clientId: null }],
  ])('%j gets a page', async (query, refused) => {
    expect(await verify(query)).toEqual({ kind: 'unverified', ...refused });
  });
});

describe('after client and redirect URI are verified', () => {
  const HINTS: Readonly<Record<string, { userId: string; aud: string }>> = {
    ours: { userId: 'alice', aud: 'shop' },
    theirs: { userId: 'alice', aud: 'other' },
  };
  const check = (change: Change | string, registered: Partial<Client> = {}) =>
    checkAuthorizationRequest(
      reading(typeof change === 'string' ? change : { ...VALID, ...change }),
      client(registered),
      configuration(),
      supportedPrompts(false),
      async (token) => {
        if (typeof token !== 'string') throw new Error('asked for an ID Token that was not sent');
        return HINTS[token] ?? null;
      },
    );

  it('the request contains exactly its own parameters', async () => {
    expect(await check({})).toEqual({
      kind: 'request',
      access: { scope: ['read'], resources: [API] },
      codeChallenge: VALID.code_challenge,
      dpopJkt: null,
      nonce: null,
      prompt: [],
      maxAgeSeconds: null,
      requiredClass: null,
      loginHint: null,
      hintedUserId: null,
    });
    const full = { nonce: 'n', prompt: 'login consent', max_age: '0', login_hint: 'al', id_token_hint: 'ours' };
    expect(await check({ ...full, response_mode: 'form_post' })).toMatchObject({
      nonce: 'n',
      prompt: ['login', 'consent'],
      maxAgeSeconds: 0,
      loginHint: 'al',
      hintedUserId: 'alice',
    });
    expect(await check({ max_age: '999999999' })).toMatchObject({ maxAgeSeconds: 999_999_999 });
  });

  it.each<[Change, error: string, reason: string, description: string, registered?: Partial<Client>]>([
    [{ response_type: undefined }, 'invalid_request', 'response_type_missing', 'response_type is required'],
    [
      { response_type: 'token' },
      'unsupported_response_type',
      'response_type_unsupported',
      'only response_type=code is supported',
    ],
    [
      {},
      'unauthorized_client',
      'grant_type_not_allowed',
      'this client is not registered for the authorization code grant',
      { grantTypes: ['client_credentials'] },
    ],
    [
      { code_challenge: undefined },
      'invalid_request',
      'code_challenge_missing',
      'code_challenge is required from every client (OAuth 2.1 section 7.5.1.1)',
    ],
    [
      { code_challenge_method: undefined },
      'invalid_request',
      'code_challenge_method_missing',
      'code_challenge_method is required and must be S256',
    ],
    [
      { code_challenge_method: 'plain' },
      'invalid_request',
      'code_challenge_method_unsupported',
      'code_challenge_method must be S256',
    ],
    [
      { code_challenge: 'short' },
      'invalid_request',
      'code_challenge_malformed',
      'code_challenge is not the base64url of a SHA-256 hash',
    ],
    [
      { request: 'x' },
      'request_not_supported',
      'request_object',
      'request is not supported for a client without jwks or jwks_uri',
    ],
    [{ request_uri: 'x' }, 'request_uri_not_supported', 'request_uri', 'request_uri is not supported'],
    [{ registration: 'x' }, 'registration_not_supported', 'registration_parameter', 'registration is not supported'],
    [
      { response_mode: 'fragment' },
      'invalid_request',
      'response_mode_unsupported',
      'response_mode must be query, form_post, jwt, query.jwt or form_post.jwt',
    ],
    [
      { prompt: 'none login' },
      'invalid_request',
      'prompt_malformed',
      'prompt must be none alone, or a list of login, consent, select_account and create',
    ],
    [
      { prompt: 'login create' },
      'invalid_request',
      'prompt_unsupported',
      'prompt=create is not supported: this server has no open sign-up',
    ],
    [{ max_age: '-1' }, 'invalid_request', 'max_age_malformed', 'max_age must be a number of seconds'],
    [{ max_age: ' 1' }, 'invalid_request', 'max_age_malformed', 'max_age must be a number of seconds'],
    [{ max_age: '1s' }, 'invalid_request', 'max_age_malformed', 'max_age must be a number of seconds'],
    [{ max_age: '1000000000' }, 'invalid_request', 'max_age_malformed', 'max_age must be a number of seconds'],
    // With prompt=none, another client could learn from a hint which user is signed in.
    [
      { id_token_hint: 'theirs' },
      'invalid_request',
      'id_token_hint_refused',
      'id_token_hint is not an ID Token that this server made for this client',
    ],
    [
      { id_token_hint: 'forged' },
      'invalid_request',
      'id_token_hint_refused',
      'id_token_hint is not an ID Token that this server made for this client',
    ],
    [{ resource: 'https://elsewhere.test' }, 'invalid_target', 'resource_unknown', 'a resource is unknown'],
    [{ scope: '"' }, 'invalid_scope', 'scope_malformed', 'scope is not a list of scope tokens separated by spaces'],
  ])('%j is %s: %s', async (change, error, reason, description, registered = {}) => {
    expect(await check(change, registered)).toEqual({ kind: 'error', error, reason, description });
  });

  it.each<[scope: string, reason: string, named: string, words: string, registered?: Partial<Client>]>([
    ['read fly', 'scope_unknown', 'fly', 'a scope is unknown'],
    ['read write', 'scope_not_allowed', 'write', 'a scope is more than this client may ask for', { scope: ['read'] }],
    ['pay', 'scope_of_other_resource', 'pay', 'a scope is known, but not at the requested resources'],
    [
      'email',
      'openid_missing',
      'email',
      'scopes about the identity of the end-user, such as profile and email, need the scope openid as well',
    ],
    ['x'.repeat(200), 'scope_unknown', `${'x'.repeat(100)}...`, 'a scope is unknown'],
  ])('the scope %s is rejected by name', async (scope, reason, named, words, registered = {}) => {
    expect(await check({ scope }, registered)).toEqual({
      kind: 'error',
      error: 'invalid_scope',
      reason,
      description: `${named}: ${words}`,
      scope: named,
    });
  });

  it('a repeated parameter is the first error', async () => {
    const twice = `${new URLSearchParams({ ...VALID, response_type: 'token' })}&state=a&state=b`;
    expect(await check(twice)).toEqual({
      kind: 'error',
      error: 'invalid_request',
      reason: 'repeated_parameter',
      description: expect.stringMatching(/^state \w/),
    });
  });

  it('too many parameters are reported without a single name', async () => {
    expect(await check('x=1&'.repeat(101))).toMatchObject({
      reason: 'too_many_parameters',
      description: expect.stringMatching(/^the request \w/),
    });
  });

  it('the answer is in the requested response mode, and in the query by default', () => {
    const modeOf = (response_mode?: string) => responseModeOf(reading({ ...VALID, response_mode }).parameters);
    expect([modeOf(), modeOf('query'), modeOf('form_post'), modeOf('fragment')]).toEqual([
      'query',
      'query',
      'form_post',
      'query',
    ]);
  });
});

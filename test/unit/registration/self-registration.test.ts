/** RFC 7591: the metadata that a client registers for itself, and the response. */
import { describe, expect, it } from 'vitest';
import { readSelfRegistration, registeredMetadata } from '../../../src/registration/self-registration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { RULES } from '../../support/client-documents.ts';

const SENT = { client_name: 'Agent', redirect_uris: ['https://agent.test/cb'], token_endpoint_auth_method: 'none' };
const read = (change: object | string, rules: object = {}) =>
  readSelfRegistration(
    typeof change === 'string' ? change : { ...SENT, ...change },
    'an-id',
    { ...RULES, ...rules } as never,
    shippedConfiguration,
  );
const registered = (change: object = {}, rules: object = {}) => {
  const reading = read(change, rules);
  if (!reading.ok) throw new Error(reading.problem);
  return reading.registration;
};
const refused = (error: string, problem: string) => ({ ok: false, error, problem });

describe('a client that registers itself', () => {
  it('gets its metadata, the scope and policy of the rules, and no secret', () => {
    expect(registered()).toMatchObject({
      ...{ clientId: 'an-id', clientName: 'Agent (agent.test)', redirectUris: SENT.redirect_uris, secretMacs: [] },
      ...{ tokenEndpointAuthMethod: 'none', grantTypes: ['authorization_code'], scope: RULES.scopes },
      ...{ policy: RULES.policy, declared: false, registeredBy: 'self', applicationType: 'web' },
    });
  });

  it.each([
    ['none', 'none'],
    ['client_secret_basic', 'client_secret_basic'],
    ['client_secret_post', 'client_secret_post'],
    ['tls_client_auth', 'client_secret_basic'],
    ['unknown', 'client_secret_basic'],
    [undefined, 'client_secret_basic'],
    [null, 'client_secret_basic'],
  ])('with the method %j has %s', (method, expected) => {
    expect(registered({ token_endpoint_auth_method: method }).tokenEndpointAuthMethod).toBe(expected);
  });

  it('may have keys of its own', () => {
    const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://agent.test/keys' };
    expect(registered(keys)).toMatchObject({ tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: keys.jwks_uri });
  });

  it('gets none of the members that only an operator names', () => {
    const change = { policy: 'service', consent: 'skip', logo_uri: 'https://l.test', tos_uri: 'https://t.test' };
    expect(registered(change)).toMatchObject({ policy: RULES.policy, consent: 'ask', logoUri: null, tosUri: null });
  });

  it.each<[object | string, string, string]>([
    ['a text', 'invalid_client_metadata', 'The body is not a JSON object.'],
    [{ token_endpoint_auth_method: 7 }, 'invalid_client_metadata', 'token_endpoint_auth_method is not a string.'],
    [{ response_types: ['token'] }, 'invalid_client_metadata', 'response_types is not a list with code.'],
    [{ response_types: 'code' }, 'invalid_client_metadata', 'response_types is not a list with code.'],
    [{ redirect_uris: undefined }, 'invalid_redirect_uri', 'redirect_uris is not a list of 1 to 20 URIs.'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri', 'redirect_uris is not a list of 1 to 20 URIs.'],
    [
      { redirect_uris: Array(21).fill('https://a.test') },
      'invalid_redirect_uri',
      'redirect_uris is not a list of 1 to 20 URIs.',
    ],
    [{ grant_types: 'authorization_code' }, 'invalid_client_metadata', 'grant_types is not a list.'],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata', 'grant_types lacks authorization_code.'],
    [{ grant_types: ['refresh_token'] }, 'invalid_client_metadata', 'grant_types lacks authorization_code.'],
    [
      { scope: 'fly' },
      'invalid_client_metadata',
      'scope is not a list of scope tokens, or has none that this server allows.',
    ],
    [
      { scope: ['read'] },
      'invalid_client_metadata',
      'scope is not a list of scope tokens, or has none that this server allows.',
    ],
    [
      { scope: '"' },
      'invalid_client_metadata',
      'scope is not a list of scope tokens, or has none that this server allows.',
    ],
  ])('is refused with %j', (change, error, problem) => {
    expect(read(change)).toEqual(refused(error, problem));
  });

  it('is refused with the member and the rule, and none of the content', () => {
    const uri = 'http://evil.test/cb';
    const reading = read({ redirect_uris: [uri] });
    expect(reading).toEqual(
      refused(
        'invalid_redirect_uri',
        'redirect_uris.0: expected https; http for a loopback address alone (RFC 9700 §2.6).',
      ),
    );
    const named = read({ client_name: 7 });
    expect(named).toMatchObject({
      error: 'invalid_client_metadata',
      problem: expect.stringMatching(/^client_name: expected /),
    });
  });

  it('may have twenty redirect URIs, response types beside code, and the grant types of an end-user', () => {
    const redirect_uris = Array.from({ length: 20 }, (_, at) => `https://a.test/${at}`);
    expect(registered({ redirect_uris, response_types: ['code', 'token'] }).redirectUris).toHaveLength(20);
    const grant_types = ['authorization_code', 'refresh_token', 'implicit'];
    expect(registered({ grant_types }).grantTypes).toEqual(['authorization_code', 'refresh_token']);
  });

  it('gets the part of its scope that the rules allow', () => {
    expect(registered({ scope: 'fly read openid' }).scope).toEqual(['openid', 'read']);
    expect(registered({ scope: null }).scope).toEqual(RULES.scopes);
  });

  it.each<[readonly string[], string | undefined, string]>([
    [['http://127.0.0.1/cb'], undefined, 'native'],
    [['https://a.test/cb', 'http://127.0.0.1/cb'], undefined, 'native'],
    [['https://a.test/cb'], undefined, 'web'],
    [['http://127.0.0.1/cb'], 'web', 'web'],
    [['https://a.test/cb'], 'native', 'native'],
  ])('with %j and the type %s is a %s app', (redirect_uris, application_type, expected) => {
    expect(registered({ redirect_uris, application_type }).applicationType).toBe(expected);
  });

  it.each<[string | undefined, readonly string[], string]>([
    ['Agent', ['https://a.test:8443/cb', 'https://b.test/cb', 'https://b.test/x'], 'Agent (a.test:8443, b.test)'],
    ['Agent', ['http://127.0.0.1:8080/cb', 'http://127.0.0.1/cb'], 'Agent (127.0.0.1)'],
    ['Agent', ['com.example.app:/cb', 'http://127.0.0.1/cb'], 'Agent (com.example.app:, 127.0.0.1)'],
    ['Agent (a.test)', ['https://a.test/cb'], 'Agent (a.test)'],
    ['(a.test) Agent', ['https://a.test/cb'], '(a.test) Agent (a.test)'],
    [' (a.test) Agent', ['https://a.test/cb'], ' (a.test) Agent (a.test)'],
    ['x'.repeat(191), ['https://a.test/cb'], `${'x'.repeat(191)} (a.test)`],
    ['x'.repeat(192), ['https://a.test/cb'], 'an-id'],
    [undefined, ['https://a.test/cb'], 'an-id'],
  ])('called %j, with %j, has the name %j', (client_name, redirect_uris, name) => {
    const native = redirect_uris.some((uri) => !uri.startsWith('https:'));
    const change = { client_name, redirect_uris, ...(native && { application_type: 'native' }) };
    expect(registered(change).clientName).toBe(name);
  });

  it('gets all its metadata in the response, and none that do not count', () => {
    const change = {
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'openid read',
      dpop_bound_access_tokens: true,
    };
    const names = registeredMetadata({ ...registered(change), policy: 'native-app' } as never);
    expect(names).toMatchObject({
      ...{
        client_id: 'an-id',
        client_name: 'Agent (agent.test)',
        redirect_uris: SENT.redirect_uris,
        scope: 'openid read',
      },
      ...{ token_endpoint_auth_method: 'none', response_types: ['code'], dpop_bound_access_tokens: true },
      grant_types: change.grant_types,
    });
    for (const name of ['policy', 'consent', 'default_scope', 'jwks']) expect(names).not.toHaveProperty(name);
  });
});

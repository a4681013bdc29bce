/** Near misses: types, schemes, lengths, ages, keys and addresses a step beside what the guard accepts. */
import { beforeEach, describe, expect, it } from 'vitest';
import { isEndpointOf } from '../../../src/guard/discovery.ts';
import type { Needs } from '../../../src/guard/needs.ts';
import { credentialsOf } from '../../../src/guard/request.ts';
import { bearer, type FakeIssuer, fakeIssuer, sharedKey } from '../../support/fake-issuer.ts';

describe('an access token', () => {
  let issuer: FakeIssuer;
  beforeEach(async () => {
    issuer = await fakeIssuer();
  });
  const verdict = async (token: string, needs: Needs = { scopes: ['read'] }, options: object = {}) => {
    const outcome = await issuer.guard(options).check(bearer(token), needs);
    return outcome.kind === 'granted' ? 'granted' : outcome.reason;
  };

  it.each(['x-at+jwt', 'text/at+jwt', 'application/at+jwt;v=1', ' at+jwt', 'application/', 'at jwt'])(
    'is rejected with the typ %s',
    async (typ) => {
      expect(await verdict(await issuer.token({ header: { typ } }))).toBe('other_typ');
    },
  );

  it.each([
    ['is granted', 60, 'granted'],
    ['is refused', 61, 'sign_in_too_old'],
  ])('%s when the sign-in is %i seconds old and may be 60', async (_, age, expected) => {
    const now = new Date('2030-01-01T00:00:00Z');
    const seconds = now.getTime() / 1000;
    const claims = { iat: seconds, exp: seconds + 60, auth_time: seconds - age };
    const needs = { scopes: ['read'], maxAgeSeconds: 60 };
    expect(await verdict(await issuer.token({ claims }), needs, { now: () => now, clockToleranceSeconds: 0 })).toBe(
      expected,
    );
  });

  it.each([
    ['for encryption', { use: 'enc' }, 'unknown_key'],
    ['for signatures', { use: 'sig' }, 'granted'],
    ['for whatever it is used for', { use: undefined }, 'granted'],
    ['of a symmetric kind', { kty: 'oct' }, 'unknown_key'],
  ])('signed with a key %s gets the answer for the use of the key', async (_, change, expected) => {
    const signer = await sharedKey('second');
    issuer.published.push({ ...signer.jwk, ...change });
    expect(await verdict(await issuer.token({ signer }))).toBe(expected);
  });
});

describe('an Authorization header', () => {
  const kindOf = (authorization: string, url = '/things', maxLength = 10) =>
    credentialsOf({ headers: { authorization }, url } as never, new Set(['bearer']), maxLength).kind;

  it.each([
    ['Bearer abc', 'token'],
    ['bearer abc', 'token'],
    ['xBearer abc', 'none'],
    ['Bearerabc', 'none'],
    ['Basic abc', 'none'],
    ['Bearer', 'malformed'],
    [`Bearer ${'a'.repeat(10)}`, 'token'],
    [`Bearer ${'a'.repeat(11)}`, 'too_long'],
  ])('%s is %s', (authorization, expected) => {
    expect(kindOf(authorization)).toBe(expected);
  });

  it.each([
    ['/things?access_token=abc', 'several'],
    ['?access_token=abc', 'several'],
    ['/things?a=b&access_token', 'several'],
    ['/things?access_tokens=abc', 'token'],
    ['/things?a=access_token', 'token'],
    ['/access_token=abc', 'token'],
    ['access_token=abc', 'token'],
  ])('beside the URL %s counts as %s', (url, expected) => {
    expect(kindOf('Bearer abc', url)).toBe(expected);
  });
});

it.each<[string, unknown, boolean]>([
  ['https://login.example', 'https://keys.example/jwks', true],
  ['https://login.example', 'http://keys.example/jwks', false],
  ['http://localhost:3000', 'http://localhost:3000/jwks', true],
  ['http://localhost:3000', 'https://keys.example/jwks', true],
  ['http://localhost:3000', 'ftp://keys.example/jwks', false],
  ['https://login.example', 'file:///etc/passwd', false],
  ['https://login.example', '/jwks', false],
  ['https://login.example', '', false],
  ['https://login.example', null, false],
  ['https://login.example', ['https://keys.example/jwks'], false],
  ['https://login.example/http:', 'http://keys.example/jwks', false],
])('of the issuer %s, the endpoint %j is allowed: %s', (issuer, value, expected) => {
  expect(isEndpointOf(issuer, value)).toBe(expected);
});

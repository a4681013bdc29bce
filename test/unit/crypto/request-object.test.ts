/** RFC 9101: the text of a request object by itself, its parameters, and its times. */
import { describe, expect, it } from 'vitest';
import { readRequestObject, whatIsWrongWithTimes } from '../../../src/crypto/request-object.ts';
import { signedBy, testKey } from '../../support/client-keys.ts';

const ISSUER = 'https://as.test';
const NOW = 1_700_000_000;
const CLAIMS = { iss: 'shop', aud: ISSUER, exp: NOW + 60, nbf: NOW, client_id: 'shop', scope: 'read' };
const key = testKey();
const reading = (claims: object = {}, header: object = {}) =>
  readRequestObject(signedBy(key, { ...CLAIMS, ...claims }, header), ISSUER, 'shop');

describe('a request object', () => {
  it('has its parameters as a form, without the claims of the JWT itself', () => {
    const read = reading({ iat: NOW, jti: 'once', max_age: 60, resource: ['https://a.test', 'https://b.test'] });
    expect(read).toMatchObject({ kind: 'read', exp: NOW + 60, nbf: NOW, iat: NOW });
    expect(read.kind === 'read' && [...new URLSearchParams(read.encoded)]).toEqual([
      ['client_id', 'shop'],
      ['scope', 'read'],
      ['max_age', '60'],
      ['resource', 'https://a.test'],
      ['resource', 'https://b.test'],
    ]);
  });

  it.each([undefined, 'JWT', 'jwt', 'oauth-authz-req+jwt'])('may have the typ %s', (typ) => {
    expect(reading({}, { typ })).toMatchObject({ kind: 'read' });
  });

  it.each<[string, object]>([
    ['a list with another audience', { aud: ['https://else.test', ISSUER] }],
    ['a sub of another', { sub: 'ada' }],
    ['an object that no parameter here is', { claims: { id_token: {} } }],
    ['no nbf and iat', { nbf: undefined }],
  ])('may have %s', (_, claims) => {
    expect(reading(claims)).toMatchObject({ kind: 'read' });
  });

  it.each<[string, string, object, object?]>([
    ['the typ of a DPoP proof', 'type', {}, { typ: 'dpop+jwt' }],
    ['an algorithm that no client signs with', 'algorithm', {}, { alg: 'HS256' }],
    ['the client of another request', 'client', { client_id: 'other' }],
    ['no client', 'client', { client_id: undefined }],
    ['its client as the sub, as a client assertion has', 'subject', { sub: 'shop' }],
    ['another issuer', 'issuer', { iss: 'other' }],
    ['no issuer', 'issuer', { iss: undefined }],
    ['another audience', 'audience', { aud: 'https://else.test' }],
    ['no audience', 'audience', { aud: undefined }],
    ['a request inside', 'nested', { request: 'a.b.c' }],
    ['a request_uri inside', 'nested', { request_uri: 'urn:x' }],
    ['no exp', 'times', { exp: undefined }],
    ['an exp that is no number', 'times', { exp: 'soon' }],
  ])('is refused with %s', (_, problem, claims, header = {}) => {
    expect(reading(claims, header)).toEqual({ kind: `request_object_${problem}` });
  });

  it.each([
    'response_type',
    'redirect_uri',
    'scope',
    'state',
    'nonce',
    'code_challenge',
    'code_challenge_method',
    'resource',
    'response_mode',
    'dpop_jkt',
    'prompt',
    'max_age',
    'acr_values',
    'login_hint',
    'id_token_hint',
  ])('is refused where %s is no text, since its value would be lost', (name) => {
    for (const value of [{}, true, null, ['a', {}]])
      expect(reading({ [name]: value })).toEqual({ kind: 'request_object_parameter' });
  });

  it.each(['', 'a.b', 'a.b.c', signedBy(key, []), `${signedBy(key, CLAIMS)}.d`])('is malformed as %j', (text) => {
    expect(readRequestObject(text, ISSUER, 'shop')).toEqual({ kind: 'request_object_malformed' });
  });
});

it.each<[string, { exp?: number; nbf?: number | null; iat?: number | null }, boolean, string | null]>([
  ['in its time', {}, true, null],
  ['without nbf where none is demanded', { nbf: null }, false, null],
  ['without nbf where it is demanded', { nbf: null }, true, 'without_nbf'],
  ['at its end', { exp: NOW }, true, 'expired'],
  ['a second before its end', { exp: NOW + 1 }, true, null],
  ['of a clock a minute ahead', { nbf: NOW + 60, iat: NOW + 60 }, true, null],
  ['from the future', { nbf: NOW + 61 }, true, 'from_future'],
  ['issued in the future', { iat: NOW + 61 }, true, 'from_future'],
  ['an hour long', { nbf: NOW - 10, exp: NOW + 3590 }, true, null],
  ['longer than an hour', { nbf: NOW - 10, exp: NOW + 3591 }, true, 'lives_too_long'],
  ['longer than an hour since iat', { nbf: null, iat: NOW - 10, exp: NOW + 3591 }, false, 'lives_too_long'],
  ['with an end more than an hour away', { nbf: null, exp: NOW + 3601 }, false, 'lives_too_long'],
])('the times of a request object %s', (_, change, demandsNbf, problem) => {
  const times = { exp: NOW + 60, nbf: NOW, iat: null, ...change };
  const wrong = problem === null ? null : `request_object_${problem}`;
  expect(whatIsWrongWithTimes(times, new Date(NOW * 1000), demandsNbf)).toBe(wrong);
});

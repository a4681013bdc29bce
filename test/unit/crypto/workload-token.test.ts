/** The token of a workload by itself, and its times (docs/decisions/0115). */
import { describe, expect, it } from 'vitest';
import { isSpiffeId, readWorkloadToken, whatIsWrongWithWorkloadTimes } from '../../../src/crypto/workload-token.ts';
import { signedBy, testKey } from '../../support/client-keys.ts';

const ISSUER = 'https://as.test';
const NOW = 1_700_000_000;
const SUBJECT = 'system:serviceaccount:shop:billing';
const CLAIMS = { iss: 'https://cluster.test', sub: SUBJECT, aud: [ISSUER], exp: NOW + 3600 };
const key = testKey();
const reading = (claims: object = {}, header: object = {}, kind: 'any' | 'jwt-svid' = 'any') =>
  readWorkloadToken(signedBy(key, { ...CLAIMS, ...claims }, header), ISSUER, kind);

describe('the token of a workload', () => {
  it('has its issuer, subject and times', () => {
    expect(reading()).toMatchObject({
      kind: 'read',
      issuer: 'https://cluster.test',
      subject: SUBJECT,
      exp: NOW + 3600,
    });
  });

  it.each([undefined, 'JWT', 'jwt', 'JOSE'])('may have the typ %s', (typ) => {
    expect(reading({}, { typ })).toMatchObject({ kind: 'read' });
  });

  it('may have no issuer, and its audience as a text', () => {
    expect(reading({ iss: undefined, aud: ISSUER })).toMatchObject({ kind: 'read', issuer: null });
  });

  it.each<[string, string, object, object?]>([
    ['the typ of an access token', 'client_assertion_malformed', {}, { typ: 'at+jwt' }],
    ['an issuer that is no text', 'client_assertion_malformed', { iss: 7 }],
    ['an algorithm of a MAC', 'client_assertion_algorithm', {}, { alg: 'HS256' }],
    ['no subject', 'workload_token_subject', { sub: undefined }],
    ['an empty subject', 'workload_token_subject', { sub: '' }],
    ['a subject that is no text', 'workload_token_subject', { sub: 7 }],
    ['no audience', 'workload_token_audience', { aud: undefined }],
    ['another audience', 'workload_token_audience', { aud: 'https://else.test' }],
    ['a second audience', 'workload_token_audience', { aud: [ISSUER, 'https://else.test'] }],
    ['another audience in a list', 'workload_token_audience', { aud: ['https://else.test'] }],
    ['no end', 'client_assertion_times', { exp: undefined }],
  ])('is refused with %s', (_, kind, claims, header = {}) => {
    expect(reading(claims, header)).toEqual({ kind });
  });

  it('is of a SPIFFE ID where a JWT-SVID is sent', () => {
    expect(reading({}, {}, 'jwt-svid')).toEqual({ kind: 'workload_token_subject' });
    const sub = 'spiffe://shop.test/billing';
    expect(reading({ sub }, {}, 'jwt-svid')).toMatchObject({ kind: 'read', subject: sub });
    expect([isSpiffeId(sub), isSpiffeId(SUBJECT)]).toEqual([true, false]);
  });

  it.each(['', 'a.b', 'a.b.c', signedBy(key, [])])('is malformed as %j', (text) => {
    expect(readWorkloadToken(text, ISSUER, 'any')).toEqual({ kind: 'client_assertion_malformed' });
  });
});

it.each<[string, { exp?: number; nbf?: number }, string | null]>([
  ['in its time', {}, null],
  ['at its end', { exp: NOW }, 'client_assertion_expired'],
  ['a day before its end', { exp: NOW + 86_400 }, null],
  ['more than a day before its end', { exp: NOW + 86_401 }, 'workload_token_lives_too_long'],
  ['of a clock a minute ahead', { nbf: NOW + 60 }, null],
  ['from the future', { nbf: NOW + 61 }, 'client_assertion_from_future'],
])('the times of a token %s', (_, change, problem) => {
  const times = { exp: NOW + 60, nbf: null, iat: null, ...change };
  expect(whatIsWrongWithWorkloadTimes(times, new Date(NOW * 1000))).toBe(problem);
});

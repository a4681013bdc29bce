/** RFC 7591 §2.3: a software statement by itself, its metadata and its times. */
import { describe, expect, it } from 'vitest';
import { readSoftwareStatement } from '../../../src/crypto/software-statement.ts';
import { signedBy, testKey } from '../../support/client-keys.ts';

const NOW = 1_700_000_000;
const CLAIMS = { iss: 'https://issuer.test', client_name: 'Shop', scope: 'read' };
const key = testKey();
const read = (claims: object = {}, header: object = {}) =>
  readSoftwareStatement(signedBy(key, { ...CLAIMS, ...claims }, header));
const isInTime = (claims: object) => read(claims)?.isInTime(new Date(NOW * 1000));

describe('a software statement', () => {
  it('has its issuer, its key and the metadata that it vouches for', () => {
    expect(read()).toMatchObject({
      issuer: 'https://issuer.test',
      alg: 'ES256',
      kid: key.jwk.kid,
      metadata: { client_name: 'Shop', scope: 'read' },
    });
  });

  it.each([
    ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
    ...['software_statement', 'client_id', 'client_secret'],
  ])('vouches for no metadata by %s', (name) => {
    const value = ['exp', 'nbf', 'iat'].includes(name) ? NOW : 'a text';
    expect(read({ [name]: value })?.metadata).toEqual({ client_name: 'Shop', scope: 'read' });
  });

  it.each([undefined, 'JWT', 'jwt', 'JOSE'])('may have the typ %s', (typ) => {
    expect(read({}, { typ })).not.toBeNull();
  });

  it.each<[string, object, object?]>([
    ['the typ of an access token', {}, { typ: 'at+jwt' }],
    ['an algorithm of a MAC', {}, { alg: 'HS256' }],
    ['a kid that is no text', {}, { kid: 7 }],
    ['no issuer', { iss: undefined }],
    ['an empty issuer', { iss: '' }],
    ['an issuer that is no text', { iss: ['https://issuer.test'] }],
    ['an end that is no instant', { exp: 'soon' }],
    ['a beginning that is no instant', { nbf: -1 }],
  ])('is refused with %s', (_, claims, header) => {
    expect(read(claims, header)).toBeNull();
  });

  it.each(['', 'a.b', 'a.b.c', signedBy(key, [])])('is not %j', (text) => {
    expect(readSoftwareStatement(text)).toBeNull();
  });

  it.each<[string, object, boolean]>([
    ['without an end', {}, true],
    ['a second before its end', { exp: NOW + 1 }, true],
    ['at its end', { exp: NOW }, false],
    ['of a clock a minute ahead', { iat: NOW + 60, nbf: NOW + 60 }, true],
    ['issued in the future', { iat: NOW + 61 }, false],
    ['that begins in the future', { nbf: NOW + 61 }, false],
  ])('%s counts: %s', (_, claims, counts) => {
    expect(isInTime(claims)).toBe(counts);
  });
});

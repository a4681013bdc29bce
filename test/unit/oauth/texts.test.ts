/** Texts for people and clients: URLs under the issuer, error descriptions, the difference of two redirect URIs. */
import { describe, expect, it } from 'vitest';
import {
  CLIENT_METHODS,
  isOneOf,
  KEY_METHODS,
  SECRET_METHODS,
  WITHOUT_SECRET,
} from '../../../src/oauth/client-methods.ts';
import { errorDescription } from '../../../src/oauth/errors.ts';
import { firstDifference } from '../../../src/oauth/first-difference.ts';
import { JWT_BEARER, JWT_SPIFFE } from '../../../src/oauth/parameters.ts';
import {
  CLIENT_SIGNING_ALGORITHMS,
  ONLY_WHERE_REGISTERED,
  SIGNING_ALGORITHMS,
} from '../../../src/oauth/signing-algorithms.ts';
import { pathUnder, resourceMetadataUrl, urlUnder } from '../../../src/oauth/urls.ts';

describe('an address under the issuer', () => {
  it.each([
    ['https://as.test', 'https://as.test/oauth/token', '/oauth/token', 'https://as.test', ''],
    ['https://as.test/', 'https://as.test/oauth/token', '/oauth/token', 'https://as.test', ''],
    ['https://as.test:8443/a', 'https://as.test:8443/a/oauth/token', '/a/oauth/token', 'https://as.test:8443', '/a'],
    ['https://as.test/a/b/', 'https://as.test/a/b/oauth/token', '/a/b/oauth/token', 'https://as.test', '/a/b'],
  ])('%s', (issuer, url, path, origin, under) => {
    expect(urlUnder(issuer, '/oauth/token')).toBe(url);
    expect(pathUnder(issuer, '/oauth/token')).toBe(path);
    expect(resourceMetadataUrl(issuer)).toBe(`${origin}/.well-known/oauth-protected-resource${under}/oauth/userinfo`);
  });
});

describe('an error description', () => {
  it.each([
    ['plain text, !#[]~', 'plain text, !#[]~'],
    ['"a" and "b"', "'a' and 'b'"],
    ['a\\b\r\nc\td', 'a?b??c?d'],
    ['grün \x7f\0', 'gr?n ??'],
  ])('replaces in %j every character outside RFC 6749 §5.2', (text, described) => {
    expect(errorDescription(text)).toBe(described);
  });
});

describe('the first difference', () => {
  it.each([
    [['abc'], 'abd', { same: 'ab', expectedRest: 'c', receivedRest: 'd' }],
    [['abc'], 'abc', { same: 'abc', expectedRest: '', receivedRest: '' }],
    [['abc'], 'ab', { same: 'ab', expectedRest: 'c', receivedRest: '' }],
    [['ab'], 'abc', { same: 'ab', expectedRest: '', receivedRest: 'c' }],
    [['x'], 'abc', { same: '', expectedRest: 'x', receivedRest: 'abc' }],
    [['axc'], 'abc', { same: 'a', expectedRest: 'xc', receivedRest: 'bc' }],
    [['x', 'abz', 'ay'], 'abc', { same: 'ab', expectedRest: 'z', receivedRest: 'c' }],
    [['ay', 'x', 'abz'], 'abc', { same: 'ab', expectedRest: 'z', receivedRest: 'c' }],
    [[], 'abc', null],
  ])('of %j and %j', (expected, received, difference) => {
    expect(firstDifference(expected, received)).toEqual(difference);
  });
});

it('tokens are signed with ES256, RS256 or EdDSA', () => {
  expect(SIGNING_ALGORITHMS).toEqual(['ES256', 'RS256', 'EdDSA']);
});

describe('names of the standards', () => {
  it('are those of client authentication', () => {
    expect(CLIENT_METHODS).toEqual([
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
      'tls_client_auth',
      'self_signed_tls_client_auth',
      'workload_jwt',
      'none',
    ]);
    expect(CLIENT_METHODS.filter((method) => !isOneOf(WITHOUT_SECRET, method))).toEqual([...SECRET_METHODS]);
    expect(CLIENT_METHODS.filter((method) => isOneOf(KEY_METHODS, method))).toEqual(CLIENT_METHODS.slice(2, 5));
    expect(WITHOUT_SECRET).toHaveLength(CLIENT_METHODS.length - SECRET_METHODS.length);
  });
  it('are those of client assertions (RFC 7523 §2.2)', () => {
    expect(JWT_BEARER).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    expect(JWT_SPIFFE).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-spiffe');
  });
  it('are those of algorithms, and RS256 of clients counts only where it is registered', () => {
    expect(CLIENT_SIGNING_ALGORITHMS).toEqual(['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256']);
    expect(ONLY_WHERE_REGISTERED).toEqual(['RS256']);
  });
});

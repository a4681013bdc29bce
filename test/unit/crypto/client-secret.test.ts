import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import {
  makeClientSecret,
  matchesStoredHash,
  matchesStoredSecret,
  secretHash,
  storedHashMac,
  storedSecretMac,
} from '../../../src/crypto/client-secret.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';

const FIRST = 'the first root secret, of at least 32 bytes';
const OTHER = 'the other root secret, of at least 32 bytes';
const keys = rootKeys([FIRST]);
const secrets = fc.string().map(rawSecret);

describe('a client secret', () => {
  propertyTest.prop([secrets])('matches what was stored of it', (secret) => {
    expect(matchesStoredSecret(keys, [storedSecretMac(keys, secret)], secret)).toBe(true);
  });

  propertyTest.prop([secrets, secrets])('does not match what was stored of another', (secret, other) => {
    fc.pre(secret !== other);
    expect(matchesStoredSecret(keys, [storedSecretMac(keys, secret)], other)).toBe(false);
  });

  test.each([' secret', 'secret ', 'Secret', 'secret\0', ''])(
    'is compared untrimmed and byte for byte: %j',
    (other) => {
      const stored = [storedSecretMac(keys, rawSecret('secret'))];
      expect(matchesStoredSecret(keys, stored, rawSecret(other))).toBe(false);
    },
  );

  test('matches any of several that are stored, so that a rotation has no outage', () => {
    const [old, next] = [rawSecret('old'), rawSecret('new')];
    const stored = [storedSecretMac(keys, old), storedSecretMac(keys, next)];
    expect(matchesStoredSecret(keys, stored, old)).toBe(true);
    expect(matchesStoredSecret(keys, stored, next)).toBe(true);
    expect(matchesStoredSecret(keys, stored, rawSecret('none'))).toBe(false);
  });

  test('is 32 random octets in base64url where the server makes it', () => {
    const random = { bytes: (size: number) => Buffer.alloc(size, 0xfb), uuid: () => '' };
    expect(makeClientSecret(random)).toBe(Buffer.alloc(32, 0xfb).toString('base64url'));
  });

  test('matches nothing without a stored value', () => {
    expect(matchesStoredSecret(keys, [], rawSecret('secret'))).toBe(false);
  });

  test('outlives a rotation of the root secret, as long as the old one is listed', () => {
    const secret = rawSecret('secret');
    const stored = [storedSecretMac(keys, secret)];
    expect(matchesStoredSecret(rootKeys([OTHER, FIRST]), stored, secret)).toBe(true);
    expect(matchesStoredSecret(rootKeys([OTHER]), stored, secret)).toBe(false);
  });

  test('is stored as a MAC under the current root secret, which prevents offline guessing', () => {
    const secret = rawSecret('secret');
    const [one, other] = [storedSecretMac(keys, secret), storedSecretMac(rootKeys([OTHER]), secret)];
    expect(one.keyId).toBe(keys.first.id);
    expect(one.mac).not.toBe(other.mac);
  });

  test('may be configured as its SHA-256 instead of itself', () => {
    const secret = rawSecret('secret');
    const hash = Buffer.from('2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b', 'hex');
    expect(secretHash(secret)).toEqual(hash);
    const stored = [storedHashMac(keys, hash)];
    expect(matchesStoredSecret(keys, stored, secret)).toBe(true);
    expect(matchesStoredHash(keys, stored, hash)).toBe(true);
    expect(matchesStoredHash(keys, stored, secretHash(rawSecret('other')))).toBe(false);
  });

  test('is marked as short under 32 characters, without any other detail', () => {
    const { keyId, mac, ...short } = storedSecretMac(keys, rawSecret('x'.repeat(31)));
    expect(short).toEqual({ short: true });
    expect(Object.keys(storedSecretMac(keys, rawSecret('x'.repeat(32))))).toEqual(['keyId', 'mac']);
    expect([keyId, mac]).toEqual([keys.first.id, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test.each(['', 'zz', 'ab'])('an invalid stored value (%j) matches nothing', (mac) => {
    expect(matchesStoredSecret(keys, [{ keyId: keys.first.id, mac }], rawSecret(''))).toBe(false);
  });
});

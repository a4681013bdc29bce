/** Codes that end-users type, and the token of a registration. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/crypto/digest.ts';
import {
  makeRecoveryCode,
  readRecoveryCode,
  recoveryCodeHashes,
  storedRecoveryCode,
} from '../../../src/crypto/recovery-code.ts';
import { makeRegistrationToken, matcherOf } from '../../../src/crypto/registration-token.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import {
  makeSignInCode,
  readSignInCode,
  shownSignInCode,
  signInCodeHashes,
  storedSignInCode,
} from '../../../src/crypto/sign-in-code.ts';
import { earlierTotp, isTotpSecret, totpSecretText, totpStepOf, totpUri } from '../../../src/crypto/totp.ts';

const NEW = 'a root secret for tests, of more than 32 bytes';
const OLD = 'an older root secret for tests, also of 32 bytes';
const random = { bytes: (count: number) => Buffer.alloc(count, 0b111_00001) } as never;

describe('a recovery code', () => {
  it('has twelve characters in groups, five bits of an octet each', () => {
    expect(makeRecoveryCode(random)).toBe('1111-1111-1111');
    const bytes = () => Buffer.from(Array.from({ length: 12 }, (_, place) => 20 + place));
    expect(makeRecoveryCode({ bytes } as never)).toBe('MNPQ-RSTV-WXYZ');
  });

  it.each([
    ['7Q2M-0WXC-93KD', '7Q2M0WXC93KD'],
    [' 7q2m 0wxc\t93kd', '7Q2M0WXC93KD'],
    ['OoLl-Ii00-1111', '001111001111'],
    ['7Q2M-0WXC-93K', null],
    ['7Q2M-0WXC-93KDD', null],
    ['7Q2M-0WXC-93KU', null],
    ['', null],
  ])('is read from %j as %j', (typed, expected) => {
    expect(readRecoveryCode(typed)).toBe(expected);
  });

  it('is known under each listed root secret, for its end-user alone', () => {
    const stored = storedRecoveryCode(rootKeys([OLD]), 'ada', '7Q2M-0WXC-93KD');
    const isKnown = (secrets: string[], userId: string, text: string) =>
      recoveryCodeHashes(rootKeys(secrets), userId, text).some((hash) => hash.equals(stored));
    expect(isKnown([NEW, OLD], 'ada', '7Q2M0WXC93KD')).toBe(true);
    expect(isKnown([NEW], 'ada', '7Q2M0WXC93KD')).toBe(false);
    expect(isKnown([OLD], 'bob', '7Q2M0WXC93KD')).toBe(false);
    expect(isKnown([OLD], 'ada', '7Q2M0WXC93KE')).toBe(false);
  });

  it('of one end-user is never that of another whose id ends where the code begins', () => {
    const keys = rootKeys([NEW]);
    expect(storedRecoveryCode(keys, 'ada', '1X')).not.toEqual(storedRecoveryCode(keys, 'ada1', 'X'));
  });
});

it('the token of a registration has a prefix for scanners, and its hash alone matches', () => {
  const { token, tokenHash } = makeRegistrationToken(random);
  expect(token).toMatch(/^sh_reg_[\w-]{43}$/);
  expect(tokenHash).toEqual(sha256(token));
  expect(matcherOf(token)(tokenHash)).toBe(true);
  expect(matcherOf(`${token}x`)(tokenHash)).toBe(false);
  expect(matcherOf(token)(tokenHash.subarray(1))).toBe(false);
});

describe('a code of an authenticator app', () => {
  // RFC 6238, appendix B: the secret, an instant, and the last six digits of the code.
  const SECRET = totpSecretText(Buffer.from('12345678901234567890'));
  const at = (seconds: number) => new Date(seconds * 1000);

  it('has a secret in base32', () => {
    expect(SECRET).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    expect(isTotpSecret(SECRET)).toBe(true);
  });

  it.each([
    ['A'.repeat(16), true],
    ['7'.repeat(205), true],
    ['A'.repeat(15), false],
    ['A'.repeat(206), false],
    [`${'A'.repeat(16)}=`, false],
    ['a'.repeat(16), false],
    ['1'.repeat(16), false],
  ])('the secret %j of another system is one: %j', (text, expected) => {
    expect(isTotpSecret(text)).toBe(expected);
  });

  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('counts at %d in its step, the one before and the one after', (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect([-30, 0, 30].map((apart) => totpStepOf(SECRET, code, at(seconds + apart)))).toEqual([step, step, step]);
    expect([-60, 60].map((apart) => totpStepOf(SECRET, code, at(seconds + apart)))).toEqual([null, null]);
    expect(earlierTotp(SECRET, at(seconds + 30))).toBe(code);
  });

  it.each(['', '28708', '2870820', '28708a', ' 287082', '２８７０８２'])('is not %j', (code) => {
    expect(totpStepOf(SECRET, code, at(59))).toBeNull();
  });

  it('has a URI for the QR code, with the server and the end-user', () => {
    const uri = new URL(totpUri(SECRET, 'as.test', 'ada'));
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'as.test',
      secret: SECRET,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(decodeURIComponent(uri.href)).toContain('as.test:ada');
  });
});

describe('the code in a mail', () => {
  const drawing = (...numbers: number[]) => ({
    bytes: (size: number) => {
      const octets = Buffer.alloc(size);
      octets.writeUInt32BE(numbers.shift() ?? 0);
      return octets;
    },
  });

  it.each([
    ['its eight last digits', [123_456_789], '23456789'],
    ['zeros in front', [7], '00000007'],
    ['the largest fair number', [4_199_999_999], '99999999'],
    ['the next number after one that is not fair', [4_200_000_000, 4_294_967_295, 42], '00000042'],
  ])('has %s', (_, numbers, code) => {
    expect(makeSignInCode(drawing(...numbers))).toBe(code);
  });

  it('is shown in two groups', () => {
    expect(shownSignInCode('12345678')).toBe('1234 5678');
  });

  it.each([
    ['1234 5678', '12345678'],
    ['\t12-34-56-78\n', '12345678'],
    ['1234567', null],
    ['123456789', null],
    ['1234567a', null],
    ['１２３４５６７８', null],
    ['', null],
  ])('is read from %j as %j', (typed, code) => {
    expect(readSignInCode(typed)).toBe(code);
  });

  it('is stored as a MAC with its id, under the first root secret, and known under each listed one', () => {
    const stored = storedSignInCode(rootKeys([OLD]), 'an id', '12345678');
    const key = rootKeys([OLD]).first.key('sign-in-code');
    expect(stored).toEqual(createHmac('sha256', key).update('code\nan id\n12345678').digest());
    const isKnown = (secrets: string[], id: string, code: string) =>
      signInCodeHashes(rootKeys(secrets), id, code).some((hash) => hash.equals(stored));
    expect(isKnown([NEW, OLD], 'an id', '12345678')).toBe(true);
    expect(isKnown([NEW], 'an id', '12345678')).toBe(false);
    expect(isKnown([OLD], 'another id', '12345678')).toBe(false);
    expect(isKnown([OLD], 'an id', '12345679')).toBe(false);
    expect(storedSignInCode(rootKeys([NEW, OLD]), 'an id', '12345678')).not.toEqual(stored);
  });
});

import { test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import {
  authorizationCodeOf,
  isOwnCode,
  readAuthorizationCode,
  repeatedAuthorizationCode,
} from '../../../src/crypto/authorization-code.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { grantIds, rootSecrets } from '../../support/arbitraries.ts';

const PREFIX = 'sh_ac_';
const keys = rootKeys(['the first root secret, of at least 32 bytes']);
const GRANT_ID = '01234567-89ab-4cde-8f01-23456789abcd';
const { code, secretHash } = authorizationCodeOf(keys, GRANT_ID);

describe('an authorization code', () => {
  propertyTest.prop([grantIds, rootSecrets])(
    'names its grant, and proves its secret by the stored hash',
    (grantId, secret) => {
      const made = authorizationCodeOf(rootKeys([secret]), grantId);
      expect(readAuthorizationCode(made.code)).toEqual({ grantId, secretHash: made.secretHash });
    },
  );

  propertyTest.prop([grantIds])('is the same each time it is made, and only for its grant', (grantId) => {
    expect(authorizationCodeOf(keys, grantId)).toEqual(authorizationCodeOf(keys, grantId));
    if (grantId !== GRANT_ID) expect(authorizationCodeOf(keys, grantId).code).not.toBe(code);
  });

  test('is known as one of this server by the grant and its hash', () => {
    expect(isOwnCode(keys, { grantId: GRANT_ID, secretHash })).toBe(true);
    expect(isOwnCode(keys, { grantId: GRANT_ID.replace('0', '1'), secretHash })).toBe(false);
    expect(isOwnCode(keys, { grantId: GRANT_ID, secretHash: sha256('a forgery') })).toBe(false);
  });

  test('cannot be created without the root secret', () => {
    const others = rootKeys(['the other root secret, of at least 32 bytes']);
    expect(authorizationCodeOf(others, GRANT_ID).secretHash).not.toEqual(secretHash);
  });

  test('is the same after a rotation of the root secret, as long as the creating one is listed', () => {
    const [own, other] = ['the first root secret, of at least 32 bytes', 'the other root secret, of at least 32 bytes'];
    expect(repeatedAuthorizationCode(rootKeys([other, own]), GRANT_ID, secretHash)).toBe(code);
    expect(repeatedAuthorizationCode(rootKeys([other]), GRANT_ID, secretHash)).toBeNull();
    expect(repeatedAuthorizationCode(keys, GRANT_ID, sha256('another code'))).toBeNull();
  });

  test('does not contain the stored value', () => {
    const bytes = Buffer.from(code.slice(PREFIX.length), 'base64url');
    expect(bytes.includes(secretHash)).toBe(false);
    expect(sha256(bytes.subarray(16))).toEqual(secretHash);
  });

  test('with any bit flipped names another grant, or has another secret', () => {
    const bytes = Buffer.from(code.slice(PREFIX.length), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      const byte = Math.floor(bit / 8);
      flipped.writeUInt8(flipped.readUInt8(byte) ^ (1 << (bit % 8)), byte);
      const read = readAuthorizationCode(PREFIX + flipped.toString('base64url'));
      expect(read?.grantId === GRANT_ID && read.secretHash.equals(secretHash)).toBe(false);
    }
  });

  test.each([
    ['without its prefix', code.slice(PREFIX.length)],
    ["with a refresh token's prefix", code.replace(PREFIX, 'sh_rt_')],
    ['with padding', `${code}=`],
    ['with a blank behind it', `${code} `],
    ['too short', code.slice(0, -1)],
    ['too long', `${code}A`],
    ['empty', ''],
    ['only its prefix', PREFIX],
    ['in base64 with + and /', `${PREFIX}${'+/'.repeat(32)}`],
  ])('%s is rejected', (_, spelling) => {
    expect(readAuthorizationCode(spelling)).toBeNull();
  });
});

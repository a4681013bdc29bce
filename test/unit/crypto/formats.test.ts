/**
 * The values of clients and databases outlive an upgrade: these values come from a program that shares no code with the server.
 * A test here that fails means that an upgrade would end every grant, secret or interaction.
 */
import { createCipheriv, createHmac } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { authorizationCodeOf } from '../../../src/crypto/authorization-code.ts';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { readRefreshToken, writeRefreshToken } from '../../../src/crypto/refresh-token.ts';
import { type Purpose, rootKeys } from '../../../src/crypto/root-secret.ts';
import { openText } from '../../../src/crypto/sealed-text.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';

const keys = rootKeys(['the first root secret, of at least 32 bytes']);
const GRANT_ID = '01234567-89ab-4cde-8f01-23456789abcd';
const REFRESH_TOKEN =
  'sh_rt_AdfYRaUBI0VniatM3o8BI0VniavNAAAAAAAAAAUHBwcHBwcHBwcHBwcHBwcHQ7-URxaiwMetgv1QbYO_e6Z2Zic7aaId5smmAAAjISA';

test('the id of a root secret', () => {
  expect(keys.first.id).toBe('d7d845a5');
});

// HKDF-SHA-256 without salt, with "statehouse/" and the purpose as its info.
test.each<[Purpose, string]>([
  ['refresh-token', '640f286d95d68f2af0a5cbb1a39ae224e6cdb9a80318268d92f92bfe5d2288b9'],
  ['authorization-code', 'fb6b9d4640aaefaad55116b4c71d31a8ed947eff291cae8132a0c138e3fb82b0'],
  ['client-secret', '927ba91226acd335c975b723b359fb6d0e368b8aab05553125167764d5133601'],
  ['signing-key', '7dd36541d80ea6ba8b99cb1816561e0ad48b3dffe80d0b94a27827ee2f8b0f65'],
  ['interaction', '8b242176b48bb77279992632ea1f399cabfc7f27d31c821eae8e80d57acec7b4'],
  ['form', 'c7362b870608aa54f07d134b7a09518afd9f7701a9b03572b8553729a6e104e0'],
  ['throttle', '917192bb760891814da2685729521f76afe13edc9a7eb58fce7708e50ada8a54'],
])('the key for %s', (purpose, key) => {
  expect(keys.first.key(purpose).export().toString('hex')).toBe(key);
});

test('an authorization code', () => {
  expect(authorizationCodeOf(keys, GRANT_ID).code).toBe(
    'sh_ac_ASNFZ4mrTN6PASNFZ4mrzc27fqb8zs5hy1qvjdYtNSTyUijs0bbL2igMt6_wA0O7',
  );
});

test('a refresh token', () => {
  const place = { grantId: GRANT_ID, generation: 5n, nonce: Buffer.alloc(16, 7) };
  expect(writeRefreshToken(keys, place)).toBe(REFRESH_TOKEN);
  expect(readRefreshToken(keys, REFRESH_TOKEN)).toEqual({ kind: 'authentic', ...place });
});

test('the stored value of a client secret', () => {
  expect(storedSecretMac(keys, rawSecret('secret')).mac).toBe(
    '4594a607723e0c6c009babc17101ad8e58dcd84e268c2ef814cd3d7c0ba50700',
  );
});

describe('a sealed text', () => {
  const sealedAs = (version: number, text: string) => {
    const header = Buffer.from([version, ...Buffer.from(keys.first.id, 'hex')]);
    const iv = Buffer.alloc(12, 9);
    const key = createHmac('sha256', keys.first.key('form')).update('a name').digest();
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(header);
    const sealed = Buffer.concat([cipher.update(deflateRawSync(text)), cipher.final()]);
    return Buffer.concat([header, iv, sealed, cipher.getAuthTag()]).toString('base64url');
  };
  const open = (sealed: string) => openText(keys, 'form', 'a name', sealed);

  it('of version 1 is opened, and of another version is rejected, however well it is sealed', () => {
    expect(open(sealedAs(1, 'a text'))).toBe('a text');
    expect(open(sealedAs(2, 'a text'))).toBeNull();
    expect(open(sealedAs(0, 'a text'))).toBeNull();
  });

  it('that decompresses to more than 128 KiB is rejected, so that a short one cannot fill the memory', () => {
    const most = 'a'.repeat(131_072);
    expect(open(sealedAs(1, most))).toBe(most);
    expect(open(sealedAs(1, `${most}a`))).toBeNull();
  });
});

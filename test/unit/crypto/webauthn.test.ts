/** WebAuthn §7: registrations and signatures of authenticators, with one lie each. */
import { generateKeyPairSync } from 'node:crypto';
import { decodeAttestationObject, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers';
import { describe, expect, it } from 'vitest';
import { readCredential } from '../../../src/crypto/passkey-challenge.ts';
import {
  algorithmOfKey,
  registrationOptions,
  verifiedCounter,
  verifiedRegistration,
} from '../../../src/crypto/webauthn.ts';
import {
  coseKeyOf,
  type Forged,
  HAS_CREDENTIAL,
  makePasskey,
  signWithPasskey,
  USER_PRESENT,
  USER_VERIFIED,
} from '../../../src/review/simulation/devices/passkey.ts';

const SITE = { id: 'as.test', origin: 'https://as.test' };
const CHALLENGE = Buffer.from('a challenge of this server').toString('base64url');
const OPTIONS = JSON.stringify({ challenge: CHALLENGE, rp: { id: 'as.test' }, user: { id: 'dXNlcg' } });
const BACKUP_ELIGIBLE = 0x08;

const credentialIn = (text: string) => {
  const sent = readCredential(text);
  if (sent === null) throw new Error('no credential');
  return sent;
};

describe('the options of a registration', () => {
  it('ask for a discoverable passkey that verifies its end-user, without attestation', async () => {
    const challenge = new Uint8Array([1, 2, 3]);
    const known = [{ id: 'AQID' }];
    const asked = { site: SITE, challenge, userId: 'a sub', username: 'ada', known };
    expect(await registrationOptions(asked)).toMatchObject({
      rp: { id: 'as.test', name: 'as.test' },
      user: { id: Buffer.from('a sub').toString('base64url'), name: 'ada', displayName: 'ada' },
      challenge: 'AQID',
      attestation: 'none',
      timeout: 600_000,
      excludeCredentials: [{ id: 'AQID' }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  });
});

describe('a registration', () => {
  const register = (forged: Forged = {}, counter = 7, change: (sent: never) => unknown = (sent) => sent) => {
    const { passkey, credential } = makePasskey(OPTIONS, SITE.origin, counter, forged);
    const sent = change(credentialIn(credential) as never) as ReturnType<typeof credentialIn>;
    return { passkey, verified: verifiedRegistration(sent, SITE, CHALLENGE) };
  };

  it('has the id, key, counter and hints of the passkey', async () => {
    const { passkey, verified } = register();
    const registration = await verified;
    expect(registration).toEqual({
      credentialId: Buffer.from(passkey.id, 'base64url'),
      publicKey: expect.any(Buffer),
      counter: 7,
      backupEligible: false,
      transports: ['internal'],
    });
    expect(algorithmOfKey(registration?.publicKey ?? Buffer.alloc(0))).toBe(-7);
  });

  it('of an authenticator that synchronizes its keys says so', async () => {
    const flags = USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL | BACKUP_ELIGIBLE;
    expect((await register({ flags }).verified)?.backupEligible).toBe(true);
  });

  it.each<[string, Forged]>([
    ['another challenge', { challenge: 'AAAA' }],
    ['another origin', { origin: 'https://else.test' }],
    ['another site', { rpId: 'else.test' }],
    ['an end-user who was not verified', { flags: USER_PRESENT | HAS_CREDENTIAL }],
    ['an end-user who was not present', { flags: USER_VERIFIED | HAS_CREDENTIAL }],
    ['the type of a sign-in', { type: 'webauthn.get' }],
  ])('is refused with %s', async (_, forged) => {
    expect(await register(forged).verified).toBeNull();
  });

  it('is refused where its response is unreadable', async () => {
    const change = ({ response, ...rest }: { response: object }) => ({
      ...rest,
      response: { ...response, attestationObject: 'AA' },
    });
    expect(await register({}, 0, change as never).verified).toBeNull();
  });

  it.each<[string, unknown, readonly string[]]>([
    ['no list', 'usb', []],
    [
      'a list with other values',
      ['usb', 7, null, true, 'Usb', 'a b', '', 'x'.repeat(21), 'smart-card'],
      ['usb', 'smart-card'],
    ],
    ['names of up to 20 letters', ['x'.repeat(20)], ['x'.repeat(20)]],
    ['a name with more around it', [' usb', 'usb '], []],
    ['more than ten', Array.from({ length: 12 }, () => 'usb'), Array.from({ length: 10 }, () => 'usb')],
  ])('keeps hints about the transport from %s', async (_, transports, expected) => {
    const change = ({ response, ...rest }: { response: object }) => ({
      ...rest,
      response: { ...response, transports },
    });
    expect((await register({}, 0, change as never).verified)?.transports).toEqual(expected);
  });

  it('is refused with a key that takes long to check', async () => {
    const withKey = (key: Uint8Array) => {
      const change = ({ response, ...rest }: { response: { attestationObject: string } }) => {
        const object = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
        // Behind the hash, the flags, the counter, the model, and an id of 16 octets.
        const data = Buffer.concat([object.get('authData').subarray(0, 71), key]);
        const parts = new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', new Uint8Array(data)],
        ]);
        const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(parts as never));
        return { ...rest, response: { ...response, attestationObject } };
      };
      return register({}, 1, change as never).verified;
    };
    expect(await withKey(coseRsa(4096, 3))).toMatchObject({ counter: 1 });
    expect(await withKey(coseRsa(4104, 3))).toBeNull();
  });

  it('is accepted whatever attestation it has, since none is read', async () => {
    const change = ({ response, ...rest }: { response: { attestationObject: string } }) => {
      const authData = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject)).get('authData');
      const object = new Map<string, unknown>([
        ['fmt', 'packed'],
        ['attStmt', new Map([['sig', new Uint8Array(3)]])],
        ['authData', authData],
      ]);
      const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(object as never));
      return { ...rest, response: { ...response, attestationObject } };
    };
    expect(await register({}, 1, change as never).verified).toMatchObject({ counter: 1 });
  });
});

describe('a signature of a passkey', () => {
  const { passkey } = makePasskey(OPTIONS, SITE.origin, 0);
  const keyOf = (privateKey: typeof passkey.privateKey) => {
    const { d: _, ...jwk } = privateKey.export({ format: 'jwk' });
    return coseKeyOf({ export: () => jwk } as never);
  };
  const counter = (forged: Forged = {}, change: object = {}) =>
    verifiedCounter(credentialIn(signWithPasskey(passkey, OPTIONS, SITE.origin, 42, forged)), {
      ...{ site: SITE, challenge: CHALLENGE, publicKey: keyOf(passkey.privateKey), isSecondFactorOnly: false },
      ...change,
    });

  it('has its counter', async () => {
    expect(await counter()).toBe(42);
  });

  it.each<[string, Forged, object?]>([
    ['another challenge', { challenge: 'AAAA' }],
    ['another origin', { origin: 'https://else.test' }],
    ['another site', { rpId: 'else.test' }],
    ['another key', { signedWith: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
    ['an end-user who was not verified', { flags: USER_PRESENT }],
    ['the type of a registration', { type: 'webauthn.create' }],
    ['a key that the server does not have', {}, { publicKey: null }],
    ['a key that is none', {}, { publicKey: Buffer.from('hello') }],
    ['no end-user, as a second factor', { flags: 0 }, { isSecondFactorOnly: true }],
  ])('is refused with %s', async (_, forged, change) => {
    expect(await counter(forged, change)).toBeNull();
  });

  it('of an end-user who was present suffices for a second factor only', async () => {
    expect(await counter({ flags: USER_PRESENT }, { isSecondFactorOnly: true })).toBe(42);
  });
});

function coseRsa(bits: number, exponentBytes: number): Uint8Array {
  const [n, e] = [new Uint8Array(bits / 8).fill(0xff), new Uint8Array(exponentBytes).fill(1)];
  const parts: readonly (readonly [number, number | Uint8Array])[] = [
    [1, 3],
    [3, -257],
    [-1, n],
    [-2, e],
  ];
  return isoCBOR.encode(new Map(parts) as never);
}

describe('a COSE public key of RSA', () => {
  it.each([
    [4096, 4, -257],
    [4104, 3, null],
    [2048, 5, null],
  ])('with %d bits and an exponent of %d octets has the algorithm %s', (bits, exponentBytes, algorithm) => {
    expect(algorithmOfKey(coseRsa(bits, exponentBytes))).toBe(algorithm);
  });
});

it('a COSE public key on P-256 is refused where its point is not on the curve', () => {
  const point = isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(32).fill(1)],
      [-3, new Uint8Array(32).fill(1)],
    ]) as never,
  );
  expect(algorithmOfKey(point)).toBeNull();
});

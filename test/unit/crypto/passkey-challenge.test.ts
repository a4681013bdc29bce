/** WebAuthn: the challenge that the server knows again, and the parts of a response that it reads before the signature. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  CHALLENGE_SECONDS,
  challengeEndsAt,
  challengeIn,
  makeChallenge,
  readCredential,
  siteOf,
} from '../../../src/crypto/passkey-challenge.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';

const OLD = 'an older root secret for tests, also of 32 bytes';
const NEW = 'a newer root secret for tests, also of 32 bytes';
const keys = rootKeys([OLD]);
const random = { bytes: (size: number) => Buffer.alloc(size, 9), uuid: () => '' };
const NOW = 1_700_000_000_999;
const challenge = makeChallenge(keys, random, 'a purpose', NOW);
const ENDS = new Date(1_700_000_600_000);
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

describe('the challenge of a passkey', () => {
  it('is 16 random octets, its end in ten minutes, and a MAC of both with the purpose', () => {
    const body = Buffer.concat([Buffer.alloc(16, 9), Buffer.from([0, 0, 0, 0, 0x65, 0x53, 0xf3, 0x58])]);
    const mac = createHmac('sha256', keys.first.key('passkey')).update(body).update('a purpose').digest();
    expect(challenge.toString('hex')).toBe(Buffer.concat([body, mac]).toString('hex'));
    expect(CHALLENGE_SECONDS).toBe(600);
  });

  it('tells its end, for its own purpose alone', () => {
    expect(challengeEndsAt(keys, 'a purpose', text(challenge))).toEqual(ENDS);
    expect(challengeEndsAt(keys, 'another purpose', text(challenge))).toBeNull();
  });

  it('depends on each of its octets', () => {
    for (let place = 0; place < challenge.length; place++) {
      const changed = Buffer.from(challenge);
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
      expect(challengeEndsAt(keys, 'a purpose', text(changed)), `octet ${place}`).toBeNull();
    }
  });

  it.each(['', 'x', text(challenge.subarray(1)), `${text(challenge)}AA`, `${text(challenge)}=`])(
    'is not %j',
    (other) => {
      expect(challengeEndsAt(keys, 'a purpose', other)).toBeNull();
    },
  );

  it('stays valid after a rotation of the root secret, and not after its removal', () => {
    expect(challengeEndsAt(rootKeys([NEW, OLD]), 'a purpose', text(challenge))).toEqual(ENDS);
    expect(challengeEndsAt(rootKeys([NEW]), 'a purpose', text(challenge))).toBeNull();
    const made = makeChallenge(rootKeys([NEW, OLD]), random, 'a purpose', NOW);
    expect(challengeEndsAt(rootKeys([NEW]), 'a purpose', text(made))).toEqual(ENDS);
  });
});

it.each([
  ['https://as.test', { id: 'as.test', origin: 'https://as.test' }],
  ['https://as.test:8443/tenant', { id: 'as.test', origin: 'https://as.test:8443' }],
  ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['https://192.0.2.1', null],
  ['https://[2001:db8::1]:8443', null],
])('the issuer %s has the site %j', (issuer, site) => {
  expect(siteOf(issuer)).toEqual(site);
});

describe('the challenge in the data of a browser', () => {
  const read = (said: unknown) => challengeIn({ clientDataJSON: text(Buffer.from(JSON.stringify(said))) });

  it('is the text that the browser names', () => {
    expect(read({ challenge: 'abc' })).toBe('abc');
    expect(read({ challenge: 'abc', crossOrigin: false })).toBe('abc');
  });

  it.each([
    ['a frame of another site', { challenge: 'abc', crossOrigin: true }],
    ['a page on top of another site', { challenge: 'abc', topOrigin: 'https://else.test' }],
    ['a page on top that has no name', { challenge: 'abc', topOrigin: null }],
    ['no challenge', {}],
    ['a challenge that is no text', { challenge: 7 }],
    ['null', null],
    ['a text', 'challenge'],
  ])('is absent with %s', (_, said) => {
    expect(read(said)).toBeNull();
  });

  it('is absent where the data is no JSON', () => {
    expect(challengeIn({ clientDataJSON: text(Buffer.from('{')) })).toBeNull();
  });
});

describe('a credential of a page', () => {
  const CREDENTIAL = { id: 'an id', response: { clientDataJSON: 'e30', userHandle: 'a handle' } };
  const read = (value: unknown) => readCredential(JSON.stringify(value));

  it('is read with a user handle, and without one', () => {
    expect(read(CREDENTIAL)).toEqual(CREDENTIAL);
    const bare = { id: 'an id', response: { clientDataJSON: 'e30' } };
    expect(read(bare)).toEqual(bare);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'a text'],
    ['no id', { ...CREDENTIAL, id: undefined }],
    ['an id that is no text', { ...CREDENTIAL, id: 7 }],
    ['no response', { id: 'an id' }],
    ['a response that is null', { id: 'an id', response: null }],
    ['a response that is a text', { id: 'an id', response: 'a text' }],
    ['no client data', { id: 'an id', response: {} }],
    ['client data that is no text', { id: 'an id', response: { clientDataJSON: {} } }],
    ['a user handle that is null', { id: 'an id', response: { clientDataJSON: 'e30', userHandle: null } }],
    ['a user handle that is a number', { id: 'an id', response: { clientDataJSON: 'e30', userHandle: 7 } }],
  ])('is none with %s', (_, value) => {
    expect(read(value)).toBeNull();
  });

  it.each(['', '{', 'undefined'])('is none as %j', (sent) => {
    expect(readCredential(sent)).toBeNull();
  });
});

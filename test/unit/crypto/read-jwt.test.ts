/** Reading our own JWTs: on this thread, and strictly. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { signJwt } from '../../../src/crypto/jws.ts';
import { type JwtReading, readJwt } from '../../../src/crypto/read-jwt.ts';
import {
  type KeyRing,
  makeSigningKey,
  openSigningKey,
  publicKeyOf,
  type SigningKeyHere,
} from '../../../src/crypto/signing-keys.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../src/oauth/signing-algorithms.ts';
import { testKeys } from '../../support/app.ts';

const CLAIMS = { sub: 'a-person' };
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Runs until no promise is left that needs no I/O. A job of libuv's threads answers later, in another turn of the event loop. */
const thisTurn = () => new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)));

describe('reading a JWT', () => {
  const signers = new Map<SigningAlgorithm, SigningKeyHere>();
  let ring: KeyRing;
  let looks = 0;
  const signer = (alg: SigningAlgorithm): SigningKeyHere => {
    const key = signers.get(alg);
    if (!key) throw new Error(alg);
    return key;
  };
  beforeAll(async () => {
    const stored = await Promise.all(SIGNING_ALGORITHMS.map((alg) => makeSigningKey(testKeys, alg)));
    const verifiers = new Map(
      stored.map(({ kid, alg, publicJwk }) => [kid, { alg, publicKey: publicKeyOf(publicJwk) }]),
    );
    for (const one of stored) signers.set(one.alg, await openSigningKey(testKeys, one));
    ring = {
      signerOf: signer,
      published: () => [],
      verifierOf: (kid) => verifiers.get(kid) ?? null,
      lookAgain: async () => void looks++,
    };
  });
  const read = (token: string) => readJwt(ring, 'JWT', token);
  const made = (alg: SigningAlgorithm) => signJwt(signer(alg), 'JWT', CLAIMS);

  it.each(SIGNING_ALGORITHMS)('%s needs none of the threads that hash passwords', async (alg) => {
    let reading: JwtReading | null = null;
    read(made(alg)).then((done) => {
      reading = done;
    });
    await thisTurn();
    expect(reading).toEqual({ kind: 'authentic', claims: CLAIMS });
    expect(looks).toBe(0);
  });

  it.each(SIGNING_ALGORITHMS)(
    '%s: every changed byte of the signature, and every other length, is a forgery',
    async (alg) => {
      const [header = '', payload = '', signature = ''] = made(alg).split('.');
      const bytes = Buffer.from(signature, 'base64url');
      const withSignature = (changed: Uint8Array) =>
        read(`${header}.${payload}.${Buffer.from(changed).toString('base64url')}`);
      expect(await withSignature(bytes)).toMatchObject({ kind: 'authentic' });
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect(await withSignature(changed), String(at)).toEqual({ kind: 'forged' });
      }
      for (const other of [
        bytes.subarray(1),
        bytes.subarray(0, -1),
        Buffer.concat([bytes, Buffer.alloc(1)]),
        Buffer.concat([Buffer.alloc(1), bytes]),
        Buffer.alloc(bytes.length),
      ]) {
        expect(await withSignature(other)).toEqual({ kind: 'forged' });
      }
    },
  );

  it('rejects a signature in DER, which OpenSSL accepts too, as a forgery', async () => {
    const { kid, privateKey } = signer('ES256');
    const input = `${encoded({ alg: 'ES256', typ: 'JWT', kid })}.${encoded(CLAIMS)}`;
    const der = sign('sha256', Buffer.from(input), privateKey).toString('base64url');
    expect(await read(`${input}.${der}`)).toEqual({ kind: 'forged' });
  });

  it('rejects another spelling of a token: base64url whose last bits are not zero is malformed', async () => {
    const good = made('ES256');
    // 64 bytes are 86 characters, of which the last one carries two bits.
    const other = String.fromCharCode(good.charCodeAt(good.length - 1) + 1);
    expect(await read(good.slice(0, -1) + other)).toEqual({ kind: 'malformed' });
  });

  describe('with a valid signature', () => {
    const signed = (header: unknown, payload: Buffer | string = JSON.stringify(CLAIMS)) => {
      const { kid, privateKey: key } = signer('ES256');
      const whole = typeof header === 'object' && header !== null && !Array.isArray(header);
      const shown = whole ? { alg: 'ES256', typ: 'JWT', kid, ...header } : header;
      const input = `${encoded(shown)}.${Buffer.from(payload).toString('base64url')}`;
      return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    };
    it.each<[string, unknown, JwtReading['kind']]>([
      ['as we write it', {}, 'authentic'],
      ['another alg', { alg: 'RS256' }, 'forged'],
      ['alg none', { alg: 'none' }, 'forged'],
      ['alg in lower case', { alg: 'es256' }, 'forged'],
      ['an alg that is no text', { alg: ['ES256'] }, 'malformed'],
      ['a kid that is no text', { kid: ['x'] }, 'unknown_key'],
      ['another typ', { typ: 'at+jwt' }, 'other_typ'],
      ['typ in lower case', { typ: 'jwt' }, 'other_typ'],
      ['no critical extensions', { crit: [] }, 'malformed'],
      ['a critical extension that we do not know', { crit: ['b64'], b64: false }, 'malformed'],
      ['a header that is a list', ['ES256'], 'malformed'],
      ['a header that is null', null, 'malformed'],
    ])('%s', async (_, header, kind) => {
      expect((await read(signed(header))).kind).toBe(kind);
    });
    it.each([
      ['no JSON', 'x'],
      ['no object', '[]'],
      ['null', 'null'],
      ['a number', '7'],
      ['a text', '"text"'],
      ['no JSON at all', ''],
      ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ])('claims: %s', async (_, payload) => {
      expect(await read(signed({}, payload))).toEqual({ kind: 'malformed' });
    });
  });

  it.each([undefined, 7, ['x'], {}])('does not look up a kid that is no text (%j)', async (kid) => {
    const before = looks;
    const header = encoded({ alg: 'ES256', typ: 'JWT', kid });
    expect(await read(`${header}.${encoded(CLAIMS)}.${made('ES256').split('.')[2]}`)).toEqual({ kind: 'unknown_key' });
    expect(looks).toBe(before);
  });

  it('looks up an unknown kid once, and then accepts its token', async () => {
    const stored = await makeSigningKey(testKeys, 'ES256');
    const key = await openSigningKey(testKeys, stored);
    let known: { alg: 'ES256'; publicKey: KeyObject } | null = null;
    const late: KeyRing = {
      ...ring,
      verifierOf: () => known,
      lookAgain: async () => {
        known = { alg: 'ES256', publicKey: publicKeyOf(stored.publicJwk) };
      },
    };
    expect(await readJwt(late, 'JWT', signJwt(key, 'JWT', CLAIMS))).toEqual({ kind: 'authentic', claims: CLAIMS });
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    known = { alg: 'ES256', publicKey };
    expect(await readJwt(late, 'JWT', signJwt(key, 'JWT', CLAIMS))).toEqual({ kind: 'forged' });
  });
});

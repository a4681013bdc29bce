/** Guessed, garbled, cut or recombined codes and refresh tokens yield no token and change no row, not one byte. */

import { randomBytes } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizationCodeOf } from '../../src/crypto/authorization-code.ts';
import { writeRefreshToken } from '../../src/crypto/refresh-token.ts';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { exchange, refresh } from '../support/actors.ts';
import { rootSecrets } from '../support/arbitraries.ts';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { everything, grantIdOfCode, placeOf } from '../support/stored.ts';

/** A garbling knows the real credential and another one of the same kind. */
type Garbling = (real: string, another: string, seed: number) => string;

const PREFIX_LENGTH = 'sh_rt_'.length;
const partsOf = (text: string) => ({ prefix: text.slice(0, PREFIX_LENGTH), rest: text.slice(PREFIX_LENGTH) });
const bytesOf = (text: string) => Buffer.from(partsOf(text).rest, 'base64url');
const withBytes = (text: string, bytes: Uint8Array) => partsOf(text).prefix + Buffer.from(bytes).toString('base64url');
const change = (text: string, edit: (bytes: Buffer) => unknown) => {
  const bytes = bytesOf(text);
  edit(bytes);
  return withBytes(text, bytes);
};
const characterAt = (text: string, seed: number, to: string) => {
  const index = seed % text.length;
  return text.slice(0, index) + to + text.slice(index + 1);
};
const GRANT_ID_AT = { code: 0, token: 5 } as const;
const swapGrantId = (at: number) => (real: string, another: string) =>
  change(real, (bytes) => bytesOf(another).copy(bytes, at, at, at + 16));

const garblings: Readonly<Record<string, Garbling>> = {
  'one bit flipped': (real, _, seed) =>
    change(real, (bytes) => {
      const bit = seed % (bytes.length * 8);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    }),
  'one character changed': (real, _, seed) => {
    const changed = characterAt(real, seed, 'A');
    return changed === real ? characterAt(real, seed, 'B') : changed;
  },
  'a character that base64url does not have': (real, _, seed) => characterAt(real, seed, '!'),
  'cut short': (real, _, seed) => real.slice(0, seed % real.length) || '-',
  'cut at the front': (real, _, seed) => real.slice((seed % (real.length - 1)) + 1),
  'a byte less': (real) => withBytes(real, bytesOf(real).subarray(0, -1)),
  'a byte more': (real, _, seed) => withBytes(real, Buffer.concat([bytesOf(real), Buffer.from([seed % 256])])),
  'without its prefix': (real) => partsOf(real).rest,
  'with the prefix of the other kind': (real) => (real.startsWith('sh_ac_') ? 'sh_rt_' : 'sh_ac_') + partsOf(real).rest,
  'with the prefix in capitals': (real) => partsOf(real).prefix.toUpperCase() + partsOf(real).rest,
  'with its prefix twice': (real) => partsOf(real).prefix + real,
  'in base64 with +, / and padding': (real) => {
    const spelling = partsOf(real).prefix + bytesOf(real).toString('base64');
    return spelling === real ? `${real}=` : spelling;
  },
  padded: (real) => `${real}==`,
  'with a space inside': (real, _, seed) => `${real.slice(0, seed % real.length)} ${real.slice(seed % real.length)}`,
  'with a line end behind': (real) => `${real}\n`,
  // 77 bytes leave two spare bits in the last character, 48 bytes none: another last character can encode the same bytes.
  'with spare bits set': (real) => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(real.at(-1) ?? '');
    return real.slice(0, -1) + alphabet[last ^ 1];
  },
  'all zeros': (real) => withBytes(real, new Uint8Array(bytesOf(real).length)),
  'random bytes': (real) => withBytes(real, randomBytes(bytesOf(real).length)),
  'the first half of it and the second half of another': (real, another) => {
    const bytes = bytesOf(real);
    return withBytes(real, Buffer.concat([bytes.subarray(0, 20), bytesOf(another).subarray(20)]));
  },
  repeated: (real) => real + real,
};
const ofTokens: Readonly<Record<string, Garbling>> = {
  ...garblings,
  'the grant id of another chain': swapGrantId(GRANT_ID_AT.token),
  'one generation on': (real) => change(real, (bytes) => bytes.writeBigUInt64BE(bytes.readBigUInt64BE(21) + 1n, 21)),
  'the highest generation': (real) => change(real, (bytes) => bytes.writeBigUInt64BE(2n ** 64n - 1n, 21)),
  'another nonce': (real) => change(real, (bytes) => randomBytes(16).copy(bytes, 29)),
  'another version': (real, _, seed) => change(real, (bytes) => bytes.writeUInt8(2 + (seed % 254), 0)),
  'another key id': (real) => change(real, (bytes) => randomBytes(4).copy(bytes, 1)),
  'no MAC': (real) => withBytes(real, bytesOf(real).subarray(0, -32)),
  'the MAC of another token': (real, another) => change(real, (bytes) => bytesOf(another).copy(bytes, 45, 45)),
};
const ofCodes: Readonly<Record<string, Garbling>> = {
  ...garblings,
  'the grant id of another code': swapGrantId(GRANT_ID_AT.code),
  'an unknown grant id': (real) => change(real, (bytes) => randomBytes(16).copy(bytes, 0)),
  'another secret': (real) => change(real, (bytes) => randomBytes(32).copy(bytes, 16)),
};

const namesOf = (of: Readonly<Record<string, Garbling>>) => fc.constantFrom(...Object.keys(of));

describe('forged or garbled credentials are rejected:', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  /** Refused, and not a byte of any grant or of the ledger is another. */
  async function refusedWithoutATrace(present: () => ReturnType<typeof refresh>, why: string) {
    const before = await everything(scene.database.drizzle);
    const { status, json } = await present();
    expect({ status, error: json.error }, why).toEqual({ status: 400, error: 'invalid_grant' });
    expect(json).not.toHaveProperty('access_token');
    expect(await everything(scene.database.drizzle), why).toEqual(before);
  }

  it('refresh tokens', async () => {
    await fc.assert(
      fc.asyncProperty(namesOf(ofTokens), fc.nat(), fc.nat({ max: 2 }), async (name, seed, rotations) => {
        let real = await scene.chain();
        for (let n = 0; n < rotations; n++) real = (await refresh(scene, scene.client, real)).json.refresh_token ?? '';
        const garbled = (ofTokens[name] as Garbling)(real, await scene.chain(), seed);
        expect(garbled).not.toBe(real);
        await refusedWithoutATrace(() => refresh(scene, scene.client, garbled), name);
        expect((await refresh(scene, scene.client, real)).status).toBe(200);
      }),
      { numRuns: 60 },
    );
  });

  it('codes', async () => {
    await fc.assert(
      fc.asyncProperty(namesOf(ofCodes), fc.nat(), fc.boolean(), async (name, seed, isUsed) => {
        const real = await scene.code();
        const another = await scene.code();
        if (isUsed) await exchange(scene, scene.client, real);
        const garbled = (ofCodes[name] as Garbling)(real.code, another.code, seed);
        expect(garbled).not.toBe(real.code);
        await refusedWithoutATrace(() => exchange(scene, scene.client, { ...real, code: garbled }), name);
        if (!isUsed) expect((await exchange(scene, scene.client, real)).status).toBe(200);
      }),
      { numRuns: 60 },
    );
  });

  it('each named garbling, at least once', async () => {
    const [token, anotherToken] = [await scene.chain(), await scene.chain()];
    for (const [name, garble] of Object.entries(ofTokens)) {
      await refusedWithoutATrace(() => refresh(scene, scene.client, garble(token, anotherToken, 400)), name);
    }
    const [code, anotherCode] = [await scene.code(), await scene.code()];
    for (const [name, garble] of Object.entries(ofCodes)) {
      const garbled = garble(code.code, anotherCode.code, 300);
      await refusedWithoutATrace(() => exchange(scene, scene.client, { ...code, code: garbled }), name);
    }
    expect((await refresh(scene, scene.client, token)).status).toBe(200);
    expect((await exchange(scene, scene.client, code)).status).toBe(200);
  });

  it('well-formed tokens under the root secret of another server', async () => {
    await fc.assert(
      fc.asyncProperty(rootSecrets, fc.bigInt({ min: 0n, max: 3n }), async (secret, generation) => {
        const keys = rootKeys([secret]);
        const real = await scene.chain();
        const place = placeOf(scene.keys, real);
        const forged = writeRefreshToken(keys, { ...place, generation });
        await refusedWithoutATrace(() => refresh(scene, scene.client, forged), 'token');

        const code = await scene.code();
        const forgedCode = authorizationCodeOf(keys, grantIdOfCode(code.code)).code;
        await refusedWithoutATrace(() => exchange(scene, scene.client, { ...code, code: forgedCode }), 'code');

        // The same, passed off as made by this server's key.
        const bytes = bytesOf(forged);
        bytes.write(scene.keys.first.id, 1, 'hex');
        await refusedWithoutATrace(() => refresh(scene, scene.client, withBytes(forged, bytes)), 'key id');

        expect((await refresh(scene, scene.client, real)).status).toBe(200);
        expect((await exchange(scene, scene.client, code)).status).toBe(200);
      }),
      { numRuns: 25 },
    );
  });

  it('arbitrary text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), async (text) => {
        const before = await everything(scene.database.drizzle);
        for (const sent of [text, `sh_rt_${text}`, `sh_ac_${text}`]) {
          const asToken = await refresh(scene, scene.client, sent);
          const asCode = await exchange(scene, scene.client, { code: sent, verifier: 'v'.repeat(43) });
          for (const { status, json } of [asToken, asCode]) {
            expect(status).toBe(400);
            expect(json.error).toBe(text.includes('\0') ? 'invalid_request' : 'invalid_grant');
          }
        }
        expect(await everything(scene.database.drizzle)).toEqual(before);
      }),
      { numRuns: 50 },
    );
  });
});

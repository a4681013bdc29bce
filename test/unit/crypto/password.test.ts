import { describe, expect, test } from 'vitest';
import { hashesAtOnce, hashPassword, matchesPassword } from '../../../src/crypto/password.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';

const COMPOSED = rawSecret('pass\u00e9');
const DECOMPOSED = rawSecret('passe\u0301');

describe('a password', () => {
  test('matches its own hash, and no other does', async () => {
    const stored = await hashPassword(rawSecret('correct horse'));
    expect(await matchesPassword(stored, rawSecret('correct horse'))).toBe(true);
    for (const wrong of ['correct horse ', 'Correct horse', '', 'correct']) {
      expect(await matchesPassword(stored, rawSecret(wrong))).toBe(false);
    }
  });

  test('is the same in any Unicode composition', async () => {
    expect(COMPOSED).not.toBe(DECOMPOSED);
    expect(await matchesPassword(await hashPassword(COMPOSED), DECOMPOSED)).toBe(true);
    expect(await matchesPassword(await hashPassword(DECOMPOSED), COMPOSED)).toBe(true);
  });

  test('is not folded: full-width letters are other letters', async () => {
    const stored = await hashPassword(rawSecret('abc'));
    expect(await matchesPassword(stored, rawSecret('ａｂｃ'))).toBe(false);
  });

  test('counts to its last letter, however long it is', async () => {
    const long = 'x'.repeat(200);
    const stored = await hashPassword(rawSecret(`${long}1`));
    expect(await matchesPassword(stored, rawSecret(`${long}2`))).toBe(false);
    expect(await matchesPassword(stored, rawSecret(`${long}1`))).toBe(true);
  });

  test('is hashed with argon2id at the stated cost, and a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword(rawSecret('same')), hashPassword(rawSecret('same'))]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
  });

  test('of an unknown user never matches', async () => {
    expect(await matchesPassword(null, rawSecret('a password that no user has'))).toBe(false);
    expect(await matchesPassword(null, rawSecret(''))).toBe(false);
    // Verified in its place, so that it takes as long; a match opens no account.
    expect(await matchesPassword(null, rawSecret('a password of no account'))).toBe(false);
  });
});

describe('the number of concurrent password hashes', () => {
  test.each([
    // Processors, threads of libuv, hashes.
    [1, 1, 1],
    [1, 4, 1],
    [2, 4, 1],
    [3, 4, 2],
    [4, 4, 3],
    [64, 4, 3],
    [64, 1, 1],
    [64, 128, 63],
    [8, 2, 1],
  ])('%i processors and %i threads: %i', (processors, threads, hashes) => {
    expect(hashesAtOnce(processors, threads)).toBe(hashes);
  });
});

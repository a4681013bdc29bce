import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/crypto/digest.ts';
import { isCodeVerifier, isS256Challenge } from '../../../src/oauth/pkce.ts';

/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test('the example of RFC 7636, appendix B', () => {
  expect(sha256(VERIFIER).toString('base64url')).toBe(CHALLENGE);
  expect(isCodeVerifier(VERIFIER)).toBe(true);
  expect(isS256Challenge(CHALLENGE)).toBe(true);
});

describe('a code verifier', () => {
  test.each(['a'.repeat(43), 'a'.repeat(128), `${'a'.repeat(40)}-._~`])('may be %s', (text) => {
    expect(isCodeVerifier(text)).toBe(true);
  });

  test.each([
    ['empty', ''],
    ['too short', 'a'.repeat(42)],
    ['too long', 'a'.repeat(129)],
    ['holding a blank', `${'a'.repeat(43)} `],
    ['ending in a line break', `${'a'.repeat(43)}\n`],
    ['holding + or /', `${'a'.repeat(42)}+/`],
    ['holding padding', `${'a'.repeat(43)}=`],
    ['holding a letter outside ASCII', `${'a'.repeat(43)}é`],
  ])('is invalid when %s', (_, text) => {
    expect(isCodeVerifier(text)).toBe(false);
  });
});

describe('an S256 challenge', () => {
  test.each([
    ['the verifier itself, as with plain', 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl'],
    ['too short', CHALLENGE.slice(1)],
    ['too long', `A${CHALLENGE}`],
    ['padded', `${CHALLENGE}=`],
    ['followed by a line break', `${CHALLENGE}\n`],
    ['in base64 with +', CHALLENGE.replace('-', '+')],
    ['the hash in hex', sha256(VERIFIER).toString('hex')],
  ])('is invalid when it is %s', (_, text) => {
    expect(isS256Challenge(text)).toBe(false);
  });
});

/** The sealed text in the URL of a page: readable for this server alone, for one interaction, and without loss. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { openText, sealText } from '../../../src/crypto/sealed-text.ts';
import type { RequestedInteraction } from '../../../src/model/interaction.ts';
import {
  MAX_SEALED_CHARACTERS,
  openInteraction,
  sealInteraction,
  surelyFits,
} from '../../../src/protocol/sealed-interaction.ts';
import { keys } from './memory.ts';
import { API, at } from './ports.ts';

const INTERACTION: RequestedInteraction = {
  id: '00000000-0000-4000-8000-000000000002',
  browserHash: Buffer.from([0, 255, 128, 10]),
  clientId: 'shop',
  clientEpoch: 2n ** 60n,
  redirectUri: 'https://shop.test/cb',
  dpopJkt: null,
  codeChallenge: 'x'.repeat(43),
  scope: ['openid', 'read'],
  resources: [API],
  requestState: 'ÿ "quoted"',
  nonce: null,
  prompt: ['login', 'consent'],
  maxAgeSeconds: 0,
  requiredClass: null,
  hintedUserId: null,
  loginHint: 'al',
  uiLocales: ['de-CH', 'en'],
  responseMode: 'form_post',
  createdAt: at(0.001),
  endsAt: at(600),
};
const deps = { keys, random: systemRandom };

describe('a sealed interaction', () => {
  const text = sealInteraction(deps, INTERACTION);

  it('opens unchanged', () => {
    expect(openInteraction(keys, INTERACTION.id, text)).toEqual(INTERACTION);
  });

  it('fits into a URL, and reveals no content', () => {
    expect(text).toMatch(/^[\w-]+$/);
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('shop');
    expect(sealInteraction(deps, INTERACTION)).not.toBe(text);
  });

  it('of a node without ui_locales opens without them', () => {
    const { uiLocales: _, ...before } = JSON.parse(openText(keys, 'interaction', INTERACTION.id, text) ?? '');
    const sealed = sealText(keys, 'interaction', INTERACTION.id, JSON.stringify(before), systemRandom.bytes(12));
    expect(openInteraction(keys, INTERACTION.id, sealed)).toEqual({ ...INTERACTION, uiLocales: [] });
    const none = sealInteraction(deps, { ...INTERACTION, uiLocales: [] });
    expect(openText(keys, 'interaction', INTERACTION.id, none)).not.toContain('uiLocales');
  });

  it('is invalid under another id, another root secret, or after a change', () => {
    const other = rootKeys(['another root secret, of more than thirty-two bytes']);
    expect(openInteraction(keys, '00000000-0000-4000-8000-000000000009', text)).toBeNull();
    expect(openInteraction(other, INTERACTION.id, text)).toBeNull();
    for (const changed of ['', 'x', text.slice(1), `${text}A`, `B${text.slice(1)}`]) {
      expect(openInteraction(keys, INTERACTION.id, changed)).toBeNull();
    }
  });

  it('is no other text that this server sealed', () => {
    const json = JSON.stringify({ browserHash: '', clientEpoch: '1' });
    const sealed = sealText(keys, 'form', INTERACTION.id, json, systemRandom.bytes(12));
    expect(openInteraction(keys, INTERACTION.id, sealed)).toBeNull();
  });
});

describe('the estimate that an interaction fits into a URL', () => {
  const withState = (requestState: string): RequestedInteraction => ({ ...INTERACTION, requestState });
  /** Texts that look random: characters of one octet, of two, of three, and those that JSON escapes. */
  const random = (seed: number, encoding: 'base64url' | 'latin1' | 'utf16le') =>
    createHash('shake256', { outputLength: 16_000 }).update(String(seed)).digest().toString(encoding);
  /** The longest beginning of the text with which the interaction surely fits. */
  function longest(text: string): RequestedInteraction {
    let [fits, tooLong] = [0, text.length];
    while (tooLong - fits > 1) {
      const middle = (fits + tooLong) >> 1;
      if (surelyFits(withState(text.slice(0, middle)))) fits = middle;
      else tooLong = middle;
    }
    return withState(text.slice(0, fits));
  }
  const octetsOf = (interaction: RequestedInteraction, sealed: string) =>
    Buffer.byteLength(openText(keys, 'interaction', interaction.id, sealed) ?? '');

  it('is true only of those that do, even where nothing can be compressed', () => {
    const encodings = fc.constantFrom<'base64url' | 'latin1' | 'utf16le'>('base64url', 'latin1', 'utf16le');
    fc.assert(
      fc.property(fc.nat(), encodings, (seed, encoding) => {
        const interaction = longest(random(seed, encoding));
        const sealed = sealInteraction(deps, interaction);
        expect(sealed.length).toBeLessThanOrEqual(MAX_SEALED_CHARACTERS);
        // A block that deflate leaves uncompressed has five octets more (RFC 1951 §3.2.4). Version, key id, IV and tag: 33.
        const uncompressed = Buffer.alloc(octetsOf(interaction, sealed) + 5 + 33).toString('base64url');
        expect(uncompressed.length).toBeLessThanOrEqual(MAX_SEALED_CHARACTERS);
        // Nearly all fitting ones are recognized: the rest must be sealed to know.
        expect(uncompressed.length).toBeGreaterThan(MAX_SEALED_CHARACTERS - 100);
      }),
    );
  });

  it('counts octets, not characters', () => {
    expect(surelyFits(withState('a'.repeat(4000)))).toBe(true);
    expect(surelyFits(withState('\u{4e00}'.repeat(4000)))).toBe(false);
  });
});

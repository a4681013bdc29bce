/** What travels in the URL of a page: read by this server alone, for one interaction, and without loss. */
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { sealText } from '../../../src/crypto/sealed-text.ts';
import type { RequestedInteraction } from '../../../src/model/interaction.ts';
import { openInteraction, sealInteraction } from '../../../src/protocol/sealed-interaction.ts';
import { keys } from './memory.ts';
import { API, at } from './world.ts';

const INTERACTION: RequestedInteraction = {
  id: '00000000-0000-4000-8000-000000000002',
  browserHash: Buffer.from([0, 255, 128, 10]),
  clientId: 'shop',
  clientEpoch: 2n ** 60n,
  redirectUri: 'https://shop.test/cb',
  codeChallenge: 'x'.repeat(43),
  scope: ['openid', 'read'],
  resources: [API],
  requestState: 'ÿ "quoted"',
  nonce: null,
  prompt: ['login', 'consent'],
  maxAgeSeconds: 0,
  hintedUserId: null,
  loginHint: 'al',
  responseMode: 'form_post',
  createdAt: at(0.001),
  endsAt: at(600),
};
const deps = { keys, random: systemRandom };

describe('a sealed interaction', () => {
  const text = sealInteraction(deps, INTERACTION);

  it('comes back as it was', () => {
    expect(openInteraction(keys, INTERACTION.id, text)).toEqual(INTERACTION);
  });

  it('stands in a URL, and says nothing of what it holds', () => {
    expect(text).toMatch(/^[\w-]+$/);
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('shop');
    expect(sealInteraction(deps, INTERACTION)).not.toBe(text);
  });

  it('is worth nothing under another id, another root secret, or changed', () => {
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

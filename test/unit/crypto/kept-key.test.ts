/** Keys of older root secrets, kept sealed for one purpose. */
import { describe, expect, it } from 'vitest';
import { keepKey, keepOn, openKept } from '../../../src/crypto/kept-key.ts';
import { keptRecoveryCodeHashes, storedRecoveryCode } from '../../../src/crypto/recovery-code.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';

const OLD = 'an older root secret for tests, also of 32 bytes';
const NEW = 'a newer root secret for tests, also of 32 bytes';
const NEWEST = 'the newest root secret for tests, over 32 bytes';
const old = rootKeys([OLD]).first;
const iv = Buffer.alloc(12, 5);
const kept = keepKey(rootKeys([NEW, OLD]), 'recovery-code', old, iv);
const octetsOf = (opened: ReturnType<typeof openKept>) => opened?.export().toString('hex') ?? null;
const own = octetsOf(old.key('recovery-code'));

describe('a kept key', () => {
  it('is that of the older root secret for its purpose, sealed under the first one', () => {
    expect(kept.keyId).toBe(old.id);
    expect(octetsOf(openKept(rootKeys([NEW]), 'recovery-code', kept))).toBe(own);
    expect(openKept(rootKeys([OLD]), 'recovery-code', kept)).toBeNull();
  });

  it('opens for no other purpose, and under no other id', () => {
    const keys = rootKeys([NEW]);
    expect(openKept(keys, 'sign-in-code', kept)).toBeNull();
    expect(openKept(keys, 'recovery-code', { ...kept, keyId: keys.first.id })).toBeNull();
    expect(openKept(keys, 'recovery-code', { ...kept, sealed: 'x' })).toBeNull();
    expect(keepOn(keys, 'recovery-code', { ...kept, sealed: 'x' }, iv)).toBeNull();
  });

  it('is sealed again under a newer root secret, once', () => {
    const rotated = rootKeys([NEWEST, NEW]);
    const again = keepOn(rotated, 'recovery-code', kept, iv);
    if (again === null) throw new Error('not sealed again');
    expect(again).toEqual({ keyId: old.id, sealed: expect.not.stringContaining(kept.sealed) });
    expect(octetsOf(openKept(rootKeys([NEWEST]), 'recovery-code', again))).toBe(own);
    expect(keepOn(rotated, 'recovery-code', again, iv)).toBeNull();
    expect(keepOn(rootKeys([NEW]), 'recovery-code', kept, iv)).toBeNull();
  });

  it('is not sealed again where its sealing root secret is not listed', () => {
    expect(keepOn(rootKeys([NEWEST]), 'recovery-code', kept, iv)).toBeNull();
  });
});

describe('a recovery code under a kept key', () => {
  const stored = storedRecoveryCode(rootKeys([OLD]), 'ada', '7Q2M-0WXC-93KD');
  const hashes = (secrets: string[], userId = 'ada', text = '7Q2M0WXC93KD') =>
    keptRecoveryCodeHashes(rootKeys(secrets), [kept], userId, text);

  it('has the hash that is stored, for its end-user and text alone', () => {
    expect(hashes([NEW])).toEqual([stored]);
    expect(hashes([NEW], 'bob')).not.toEqual([stored]);
    expect(hashes([NEW], 'ada', '7Q2M0WXC93KE')).not.toEqual([stored]);
  });

  it('has no hash while the list has the older root secret, nor without the sealing one', () => {
    expect(hashes([NEW, OLD])).toEqual([]);
    expect(hashes([NEWEST])).toEqual([]);
  });
});

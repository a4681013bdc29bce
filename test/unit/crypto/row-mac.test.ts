/** The MAC of authenticated rows: its form, the facts that it distinguishes, and rotations of the root secret. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { type RowFact, rowMacs } from '../../../src/crypto/row-mac.ts';

const OLD = 'an older root secret for tests, also of 32 bytes';
const NEW = 'a newer root secret for tests, also of 32 bytes';
const keys = rootKeys([OLD]);
const macs = rowMacs(keys);
const FACTS: readonly RowFact[] = ['a text', 7n, true, null, Buffer.from([1, 2]), ['a', 'b']];
const mac = macs.macOf('a kind', FACTS);

describe('the MAC of a row', () => {
  it('is the id of the root secret and an HMAC of the kind and the facts as JSON', () => {
    const json = '["a kind","a text",{"number":"7"},true,null,{"octets":"AQI"},["a","b"]]';
    const hmac = createHmac('sha256', keys.first.key('row')).update(json).digest('hex');
    expect(mac.toString('hex')).toBe(keys.first.id + hmac);
  });

  it('is right for its kind and its facts alone', () => {
    expect(macs.isRight('a kind', FACTS, mac)).toBe(true);
    expect(macs.isRight('another kind', FACTS, mac)).toBe(false);
    FACTS.forEach((_, place) => {
      expect(macs.isRight('a kind', FACTS.with(place, 'another'), mac), `fact ${place}`).toBe(false);
    });
    expect(macs.isRight('a kind', FACTS.slice(1), mac)).toBe(false);
  });

  it.each<[string, RowFact, RowFact]>([
    ['a number and its text', 7n, '7'],
    ['octets and their text', Buffer.from('7'), Buffer.from('7').toString('base64url')],
    ['a number and octets of the same spelling', 7n, Buffer.from('7', 'base64url')],
    ['null and its text', null, 'null'],
    ['true and its text', true, 'true'],
    ['a list and its text', ['a'], '["a"]'],
  ])('differs between %s', (_, one, other) => {
    expect(macs.isRight('a kind', [other], macs.macOf('a kind', [one]))).toBe(false);
  });

  it('depends on each of its octets', () => {
    for (let place = 0; place < mac.length; place++) {
      const changed = Buffer.from(mac);
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
      expect(macs.isRight('a kind', FACTS, changed), `octet ${place}`).toBe(false);
    }
  });

  it.each([
    ['null', null],
    ['nothing', Buffer.alloc(0)],
    ['an octet less', mac.subarray(0, -1)],
    ['an octet more', Buffer.concat([mac, Buffer.alloc(1)])],
  ])('is not %s', (_, other) => {
    expect(macs.isRight('a kind', FACTS, other)).toBe(false);
  });

  it('stays right after a rotation of the root secret, which makes new ones under the first', () => {
    const rotated = rowMacs(rootKeys([NEW, OLD]));
    expect(rotated.isRight('a kind', FACTS, mac)).toBe(true);
    expect(rotated.isOfNewest(mac)).toBe(false);
    expect(rotated.isOfNewest(rotated.macOf('a kind', FACTS))).toBe(true);
    expect(macs.isOfNewest(mac)).toBe(true);
    expect(rowMacs(rootKeys([NEW])).isRight('a kind', FACTS, mac)).toBe(false);
  });
});

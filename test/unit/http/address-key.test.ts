import { describe, expect, it } from 'vitest';
import { addressKey } from '../../../src/http/address-key.ts';

const PEER = '192.0.2.1';

describe('the key of an address', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::FFFF:198.51.100.7', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:DB8:0:1::9', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1::9]:443', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['garbage', PEER],
    ['4711', PEER],
    ['010.0.0.1', PEER],
    ['999.0.0.1', PEER],
    ['', PEER],
    ['1.2.3.4, 5.6.7.8', PEER],
    [' 198.51.100.7\t', '198.51.100.7'],
    ['[2001:db8:0:1::9]', '2001:db8:0:1::/64'],
    // A header that the client sent is ignored.
    ['1.2:80.3.4', PEER],
    ['2001:[db8::1]', PEER],
    ['[2001:db8::]1', PEER],
  ])('of %s is %s', (text, key) => {
    expect(addressKey(text, PEER)).toBe(key);
  });

  it('is shared by all clients with an unknown address', () => {
    expect(addressKey('garbage', '')).toBe('unknown');
    expect(addressKey('', 'garbage')).toBe('unknown');
  });
});

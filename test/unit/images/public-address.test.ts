/** The addresses that a registration may name: never those that only this server can reach. */
import { describe, expect, it } from 'vitest';
import { isPublicAddress, isPublicHost, lookupPublic, NotPublic } from '../../../src/images/public-address.ts';

describe('an address of the public internet', () => {
  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1', '::ffff:8.8.8.8'])('%s is one', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '::a9fe:a9fe',
    '4000::1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
  ])('%s is none', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a host in a URL', () => {
  it.each([
    'http://0x7f000001/',
    'http://2130706433/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
  ])('%s is an address, in any spelling', (url) => {
    expect(isPublicHost(new URL(url).hostname)).toBe(false);
  });
  it('is looked up at the connection when it is a name', () => {
    expect(isPublicHost('localhost')).toBe(true);
  });
});

describe('the lookup of a connection', () => {
  it.each([{}, { all: true }])('rejects a name that leads to this machine: %j', async (options) => {
    const error = await new Promise((resolve) => lookupPublic('localhost', options, (found) => resolve(found)));
    expect(error).toBeInstanceOf(NotPublic);
  });
  it('reports an unknown name', async () => {
    const error = await new Promise((resolve) => lookupPublic('unknown.invalid', {}, (found) => resolve(found)));
    expect(error).toMatchObject({ syscall: 'getaddrinfo' });
  });
});

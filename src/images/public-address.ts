/** The addresses that this server may connect to on behalf of others: the public internet (OWASP: server-side request forgery). */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The range that IANA allocates (RFC 4291 §2.4). Outside are IPv4-compatible addresses such as `::7f00:1`, and unallocated ones. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Neither loopback, private, link-local (where clouds keep credentials), multicast, reserved, nor an IPv6 address that leads to an IPv4
 * address by itself (6to4, Teredo, NAT64), which could be any of these.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4-mapped IPv6 address counts as the IPv4 address.
  const address = ipaddr.process(text);
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST));
}

export class NotPublic extends Error {
  constructor() {
    super('The name leads to an address that is not of the public internet.');
    this.name = 'NotPublic';
  }
}

/** For `lookup` of a connection: the connection goes to the address that was checked. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) return callback(error, '');
    const [first] = found;
    if (first === undefined || !found.every(({ address }) => isPublicAddress(address)))
      return callback(new NotPublic(), '');
    if (options.all) return callback(null, found);
    callback(null, first.address, first.family);
  });
};

/** A connection to an address, and not to a name, asks for no lookup. @param hostname as in a URL. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isPublicAddress(host);
}

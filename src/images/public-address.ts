/** The addresses that this server may connect to on behalf of others: the public internet (OWASP: server-side request forgery). */
import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
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

type Callback = Parameters<LookupFunction>[2];

/** For `lookup` of a connection: the connection goes to the address that was checked. */
function answer(found: readonly LookupAddress[], all: boolean | undefined, callback: Callback): void {
  const [first] = found;
  const isPublic = found.every(({ address }) => isPublicAddress(address));
  if (first === undefined || !isPublic) callback(new NotPublic(), '');
  else if (all) callback(null, [...found]);
  else callback(null, first.address, first.family);
}

/** For a name that an operator chose. It occupies one of the few threads that look up names, until the name server answers. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) callback(error, '');
    else answer(found, options.all, callback);
  });
};

/** Within the time of a fetch. */
const PATIENCE = { timeout: 1500, tries: 2 };

type Asked = Pick<Resolver, 'resolve4' | 'resolve6'>;

/**
 * For a name that a stranger chose: it asks the name servers without a thread. The name server of a stranger may never answer. In
 * `lookup`, a few such names would hold up the names of the database and the mail server.
 * @param resolver reads the configuration of this machine when it is made.
 */
export const resolvingPublic =
  (resolver: () => Asked = () => new Resolver(PATIENCE)): LookupFunction =>
  (hostname, { all }, callback) =>
    void addressesOf(resolver(), hostname).then(
      (found) => answer(found, all, callback),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );

/** These names lead to this machine, so that no name server is asked. */
const OF_THIS_MACHINE = /(?:^|\.)localhost\.?$/i;

/** @throws Error of the DNS: it has neither an IPv4 nor an IPv6 address of the name. NotPublic */
async function addressesOf(resolver: Asked, hostname: string): Promise<readonly LookupAddress[]> {
  if (OF_THIS_MACHINE.test(hostname)) throw new NotPublic();
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  return [
    ...(four.status === 'rejected' ? [] : four.value.map((address) => ({ address, family: 4 }))),
    ...(six.status === 'rejected' ? [] : six.value.map((address) => ({ address, family: 6 }))),
  ];
}

/** A connection to an address, and not to a name, asks for no lookup. @param hostname as in a URL. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isPublicAddress(host);
}

/** One key for all spellings of an address, and for all addresses of one household or one attacker. */
import type { FastifyRequest } from 'fastify';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/**
 * @param forwarded the address from a proxy. Some proxies add a port, some brackets. Text that is no address does not
 * count.
 * @param peer the address of the connection.
 */
export function addressKey(forwarded: string, peer: string): string {
  const address = addressIn(forwarded) ?? addressIn(peer);
  if (address === null) return 'unknown';
  return 'parts' in address ? networkKey(address) : address.toString();
}

/** The whole address, in one spelling. @param forwarded, peer as in `addressKey`. */
export const callerAddress = (forwarded: string, peer: string): string =>
  (addressIn(forwarded) ?? addressIn(peer))?.toString() ?? 'unknown';

/** Reads an IPv4-mapped IPv6 address as the IPv4 address. */
function addressIn(text: string): IPv4 | IPv6 | null {
  const bare = text.trim().replace(/^\[([^\]]*)\](?::\d+)?$/, '$1');
  if (ipaddr.IPv6.isValid(bare)) return ipaddr.process(bare);
  const withoutPort = bare.replace(/:\d+$/, '');
  // The general parser also reads "10" and octal numbers.
  return ipaddr.IPv4.isValidFourPartDecimal(withoutPort) ? ipaddr.IPv4.parse(withoutPort) : null;
}

/** Providers assign IPv6 networks as /64. */
const networkKey = ({ parts }: IPv6) =>
  `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;

/** One site may hold a /48, which has 65,536 of those networks. */
const siteKey = ({ parts }: IPv6) =>
  `${parts
    .slice(0, 3)
    .map((part) => part.toString(16))
    .join(':')}::/48`;

/** The widest network that may be one caller, by the address that is known as soon as the headers are. */
export function networkOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const address = addressIn(ip) ?? addressIn(socket.remoteAddress ?? '');
  if (address === null) return 'unknown';
  return 'parts' in address ? siteKey(address) : address.toString();
}

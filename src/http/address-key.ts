/** One key for all spellings of an address, and for all addresses that one household or one attacker holds. */
import type { FastifyRequest } from 'fastify';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/**
 * @param forwarded as a proxy says it; some add a port, some brackets. Text that is not an address does not count.
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

/** An IPv4-mapped IPv6 address is read as the IPv4 address. */
function addressIn(text: string): IPv4 | IPv6 | null {
  const bare = text.trim().replace(/^\[([^\]]*)\](?::\d+)?$/, '$1');
  if (ipaddr.IPv6.isValid(bare)) return ipaddr.process(bare);
  const withoutPort = bare.replace(/:\d+$/, '');
  // The general parser also reads "10" and octal numbers.
  return ipaddr.IPv4.isValidFourPartDecimal(withoutPort) ? ipaddr.IPv4.parse(withoutPort) : null;
}

/** IPv6 networks are handed out as /64. */
const networkKey = ({ parts }: IPv6) =>
  `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;

/** IPv6 networks that one site holds are up to a /48, which has 65,536 of those. */
const siteKey = ({ parts }: IPv6) =>
  `${parts
    .slice(0, 3)
    .map((part) => part.toString(16))
    .join(':')}::/48`;

/** The widest network that may be one caller: of the address that is known as soon as the headers are. */
export function networkOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const address = addressIn(ip) ?? addressIn(socket.remoteAddress ?? '');
  if (address === null) return 'unknown';
  return 'parts' in address ? siteKey(address) : address.toString();
}

/** One key for all spellings of an address, and for all addresses that one household or one attacker holds. */
import { isIP, isIPv4 } from 'node:net';

/**
 * @param forwarded as a proxy says it; some add a port, some brackets. What is no address at all does not count.
 * @param peer the address of the connection.
 */
export function addressKey(forwarded: string, peer: string): string {
  const address = addressIn(forwarded) ?? addressIn(peer) ?? 'unknown';
  if (isIPv4(address) || address === 'unknown') return address;
  // The WHATWG parser writes every spelling of an IPv6 address in one way (RFC 5952).
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high !== undefined && low !== undefined) return mapped(Number.parseInt(high, 16), Number.parseInt(low, 16));
  return networkOf(canonical);
}

function addressIn(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/%.*$/, '');
  if (isIP(bare)) return bare;
  const withoutPort = bare.replace(/:\d+$/, '');
  return isIPv4(withoutPort) ? withoutPort : null;
}

const mapped = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** IPv6 networks are handed out as /64. */
function networkOf(canonical: string): string {
  const [head = '', tail] = canonical.split('::');
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const groups = tail === undefined ? left : [...left, ...zeros, ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

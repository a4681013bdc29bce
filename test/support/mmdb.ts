/** Writes a small file in MaxMind's format (https://maxmind.github.io/MaxMind-DB/), so that no data of others is in the repository. */
import ipaddr from 'ipaddr.js';

export type Value = string | number | readonly string[] | { readonly [key: string]: Value };

const TYPES = { text: 2, uint16: 5, uint32: 6, map: 7, array: 11 } as const;

function control(type: number, size: number): Buffer {
  const extended = type > 7;
  const [written, more] = size < 29 ? [size, []] : [29, [size - 29]];
  return Buffer.from([((extended ? 0 : type) << 5) | written, ...(extended ? [type - 7] : []), ...more]);
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(TYPES.text, text.length), text]);
  }
  if (typeof value === 'number') {
    const octets = Buffer.alloc(4);
    octets.writeUInt32BE(value);
    return Buffer.concat([control(TYPES.uint32, 4), octets]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(TYPES.array, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([
    control(TYPES.map, entries.length),
    ...entries.flatMap(([key, inner]) => [encode(key), encode(inner)]),
  ]);
}

type Node = [Child, Child];
type Child = Node | Buffer | null;

/** IPv4 networks are in ::/96. */
function bitsOf(network: string): readonly number[] {
  const [address, length] = ipaddr.parseCIDR(network);
  const octets = address.toByteArray();
  const all = [...Array<number>(16 - octets.length).fill(0), ...octets];
  const bits = all.flatMap((octet) => [7, 6, 5, 4, 3, 2, 1, 0].map((at) => (octet >> at) & 1));
  return bits.slice(0, 128 - octets.length * 8 + length);
}

/** @param places by network (CIDR), none inside another. */
export function mmdbOf(places: Readonly<Record<string, Value>>): Buffer {
  const root: Node = [null, null];
  for (const [network, value] of Object.entries(places)) {
    const bits = bitsOf(network);
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      const next = node[bit];
      const inner: Node = Array.isArray(next) ? next : [null, null];
      node[bit] = inner;
      node = inner;
    }
    node[bits.at(-1) ?? 0] = encode(value);
  }
  return written(root);
}

function written(root: Node): Buffer {
  const nodes: Node[] = [root];
  for (const node of nodes) nodes.push(...node.filter((child): child is Node => Array.isArray(child)));
  const data: Buffer[] = [];
  let size = 0;
  const recordOf = (child: Child): number => {
    if (child === null) return nodes.length;
    if (Array.isArray(child)) return nodes.indexOf(child);
    const at = size;
    data.push(child);
    size += child.length;
    return nodes.length + 16 + at;
  };
  const tree = Buffer.alloc(nodes.length * 8);
  nodes.forEach((node, at) => {
    node.forEach((child, side) => {
      tree.writeUInt32BE(recordOf(child), at * 8 + side * 4);
    });
  });
  const metadata = encode({
    node_count: nodes.length,
    record_size: 32,
    ip_version: 6,
    database_type: 'Test-City',
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    description: { en: 'made by a test' },
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata]);
}

import { randomFillSync, randomUUID } from 'node:crypto';

/** Injected, so that tests can make it repeatable. */
export type Random = {
  /** @param size in octets, 256 at most. */
  readonly bytes: (size: number) => Buffer;
  readonly uuid: () => string;
};

const POOL_BYTES = 4096;
const MAX_BYTES = 256;

/**
 * A system call costs as much for 16 octets as for 4096, so this function fetches octets ahead, as `randomUUID` does.
 */
export function pooledRandomBytes(fill: (pool: Buffer) => void = (pool) => void randomFillSync(pool)): Random['bytes'] {
  const pool = Buffer.alloc(POOL_BYTES);
  let next = POOL_BYTES;
  return (size) => {
    if (size > MAX_BYTES) throw new RangeError(`At most ${MAX_BYTES} random octets per call.`);
    if (next + size > POOL_BYTES) {
      fill(pool);
      next = 0;
    }
    const given = Buffer.from(pool.subarray(next, next + size));
    // The pool keeps no octet that a caller received.
    pool.fill(0, next, next + size);
    next += size;
    return given;
  };
}

export const systemRandom: Random = { bytes: pooledRandomBytes(), uuid: () => randomUUID() };

/** RFC 9562 §5.8: a UUID whose other bits are our own. @param octets sixteen */
export function uuidOf(octets: Uint8Array): string {
  const own = Buffer.from(octets);
  own.writeUInt8((own.readUInt8(6) & 0x0f) | 0x80, 6);
  own.writeUInt8((own.readUInt8(8) & 0x3f) | 0x80, 8);
  return own.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

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

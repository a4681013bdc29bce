import { randomFillSync, randomUUID } from 'node:crypto';

/** Injected, so that tests can make it repeatable. */
export type Random = {
  /** @param size in octets, 256 at most. */
  readonly bytes: (size: number) => Buffer;
  readonly uuid: () => string;
};

const POOL_BYTES = 4096;
const MAX_BYTES = 256;

/** Asking the system costs as much for 16 octets as for 4096, so they are fetched ahead, as `randomUUID` does with its own. */
export function pooledRandomBytes(fill: (pool: Buffer) => void = (pool) => void randomFillSync(pool)): Random['bytes'] {
  const pool = Buffer.alloc(POOL_BYTES);
  let next = POOL_BYTES;
  return (size) => {
    if (size > MAX_BYTES) throw new RangeError(`At most ${MAX_BYTES} random octets at once.`);
    if (next + size > POOL_BYTES) {
      fill(pool);
      next = 0;
    }
    const given = Buffer.from(pool.subarray(next, next + size));
    // Nothing that was given out stays in the pool.
    pool.fill(0, next, next + size);
    next += size;
    return given;
  };
}

export const systemRandom: Random = { bytes: pooledRandomBytes(), uuid: () => randomUUID() };

import { randomBytes, randomUUID } from 'node:crypto';

/** Injected, so that tests can make it repeatable. */
export type Random = {
  readonly bytes: (size: number) => Buffer;
  readonly uuid: () => string;
};

export const systemRandom: Random = { bytes: (size) => randomBytes(size), uuid: () => randomUUID() };

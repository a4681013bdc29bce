/** Operations under way at the same time, a fixed number of them. */
import { openConnections, type Send } from './http.ts';

export type Load = {
  readonly seconds: number;
  /** How long each took, in the order of their indexes. */
  readonly milliseconds: readonly number[];
};

/** Does the operation for every index below `count`. @throws Error the first that an operation throws. */
export async function load(
  count: number,
  inFlight: number,
  operate: (send: Send, index: number) => Promise<void>,
): Promise<Load> {
  const { send, close } = openConnections(inFlight);
  const milliseconds: number[] = new Array(count).fill(Number.NaN);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const began = performance.now();
      await operate(send, index);
      milliseconds[index] = performance.now() - began;
    }
  };
  const began = performance.now();
  try {
    await Promise.all(Array.from({ length: inFlight }, worker));
    return { seconds: (performance.now() - began) / 1000, milliseconds };
  } finally {
    close();
  }
}

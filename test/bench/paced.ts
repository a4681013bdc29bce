/** Operations at an even pace, whatever the state of those before. */
import { setTimeout as sleep } from 'node:timers/promises';

/** @param operate receives the time when it was due. */
export async function paced<T>(
  perSecond: number,
  seconds: number,
  operate: (index: number, due: number) => Promise<T>,
): Promise<T[]> {
  const began = performance.now();
  const all: Promise<T>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = began + (index * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const one = operate(index, due);
    // A failure is met at the end.
    one.catch(() => {});
    all.push(one);
  }
  return Promise.all(all);
}

import { type SetClock, setClock } from '../../src/review/simulation/server/clock.ts';
import type { Clock } from '../../src/system/clock.ts';

/** A clock that stands still until a test moves it. */
export type TestClock = SetClock & { readonly advanceSeconds: (seconds: number) => void };

export function testClock(start: Date = new Date('2030-01-01T00:00:00.000Z')): TestClock {
  const clock = setClock(start);
  return { ...clock, advanceSeconds: (seconds) => clock.set(new Date(clock.now().getTime() + seconds * 1000)) };
}

/** A clock that always tells this time. */
export const clockAt = (instant: Date): Clock => ({ fixedNow: () => instant });

/** A clock that keeps the real time, for libraries that compare with it. */
export function runningClock(): TestClock {
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  return {
    now,
    fixedNow: now,
    set: (to) => {
      ahead = to.getTime() - Date.now();
    },
    advanceSeconds: (seconds) => {
      ahead += seconds * 1000;
    },
  };
}

import type { Clock } from '../../src/system/clock.ts';

/** A clock that stands still until a test moves it. */
export type TestClock = Clock & {
  readonly now: () => Date;
  readonly set: (instant: Date) => void;
  readonly advanceSeconds: (seconds: number) => void;
};

export function testClock(start: Date = new Date('2030-01-01T00:00:00.000Z')): TestClock {
  let instant = start.getTime();
  return {
    now: () => new Date(instant),
    fixedNow: () => new Date(instant),
    set: (to) => {
      instant = to.getTime();
    },
    advanceSeconds: (seconds) => {
      instant += seconds * 1000;
    },
  };
}

/** A clock that always tells this time. */
export const clockAt = (instant: Date): Clock => ({ fixedNow: () => instant });

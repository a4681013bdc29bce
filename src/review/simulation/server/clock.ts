/** A clock that stands still until it is set. */
import type { Clock } from '../../../system/clock.ts';

export type SetClock = Clock & { readonly now: () => Date; readonly set: (instant: Date) => void };

export function setClock(start: Date): SetClock {
  let instant = start.getTime();
  const now = () => new Date(instant);
  return {
    now,
    fixedNow: now,
    set: (to) => {
      instant = to.getTime();
    },
  };
}

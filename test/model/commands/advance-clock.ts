import { always, command } from '../command.ts';

/** Time passes. */
export const advanceClock = (seconds: number) =>
  command(`${seconds} s pass`, always, async (ledger, { scene }) => {
    scene.clock.advanceSeconds(seconds);
    ledger.now += seconds * 1000;
  });

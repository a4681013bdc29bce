/** The effect of sealing the ledger on the token endpoint: rotations at an even pace, without full segments and with. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MOST_LINES } from '../../src/ledger/seal.ts';
import { pacedRotations } from './paced-rotations.ts';
import { median } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** p99 of a rotation in milliseconds: medians of the rounds. */
export type BesideSealing = {
  readonly alone: number;
  readonly sealing: number;
  /** Entries that were sealed in a second beside the rotations. */
  readonly sealedPerSecond: number;
};

/** More than a node seals in the time of a round. */
const SEGMENTS_A_SECOND = 8;

export async function besideSealing(
  target: Target,
  { pacedRounds, pacedSeconds: seconds }: { readonly pacedRounds: number; readonly pacedSeconds: number },
): Promise<BesideSealing> {
  const { seedEntries, openSegments } = target;
  if (!(seedEntries && openSegments)) throw new Error(`${target.name} has no ledger.`);
  const rotations = await pacedRotations(target, seconds);
  const alone: number[] = [];
  const sealing: number[] = [];
  const sealed: number[] = [];
  try {
    for (let round = 0; round < pacedRounds; round++) {
      while ((await openSegments()) > 0) await sleep(200);
      alone.push(await rotations.p99());
      await seedEntries(MOST_LINES * SEGMENTS_A_SECOND * seconds);
      const before = await openSegments();
      sealing.push(await rotations.p99());
      sealed.push(((before - (await openSegments())) * MOST_LINES) / seconds);
    }
  } finally {
    rotations.close();
  }
  return { alone: median(alone), sealing: median(sealing), sealedPerSecond: median(sealed) };
}

/** Rotations at an even pace: the effect of the other work of a server shows in their p99. */
import { openConnections, type Send } from './http.ts';
import { load } from './load.ts';
import { paced } from './paced.ts';
import { holdNothing } from './scenarios/scenario.ts';
import { codeExchange, rotation } from './scenarios/token-requests.ts';
import { quantile } from './statistics.ts';
import type { Target } from './targets/target.ts';

export const ROTATIONS_PER_SECOND = 200;

export type PacedRotations = {
  readonly send: Send;
  /** @returns the p99 in milliseconds, counted from when each was due. */
  readonly p99: () => Promise<number>;
  readonly close: () => void;
};

/** The first turn warms up. */
export async function pacedRotations(target: Target, seconds: number): Promise<PacedRotations> {
  const held = holdNothing();
  const chains = ROTATIONS_PER_SECOND * seconds;
  await codeExchange.prepare(target, held, chains);
  await load(chains, 8, (send, index) => codeExchange.operate({ target, held, send, index }));
  const { send, close } = openConnections(Number.POSITIVE_INFINITY);
  const p99 = async () => {
    const milliseconds = await paced(ROTATIONS_PER_SECOND, seconds, async (index, due) => {
      await rotation.operate({ target, held, send, index });
      return performance.now() - due;
    });
    return quantile(milliseconds, 0.99);
  };
  await p99();
  return { send, p99, close };
}

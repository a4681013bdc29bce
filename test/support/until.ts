import { setTimeout } from 'node:timers/promises';

const LOOK_EVERY_MILLISECONDS = 20;

/** When the condition holds. It has no time limit: a machine may be slow, and vitest's own limit ends what never comes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(LOOK_EVERY_MILLISECONDS);
}

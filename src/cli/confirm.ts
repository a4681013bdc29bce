import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';

/** Asks for confirmation of an irreversible change at a terminal. @throws CommandRefused without a yes, and without a terminal. */
export async function confirm({ input }: Cli, consequence: string): Promise<void> {
  if (!input.interactive) throw new CommandRefused(`${consequence} Add --yes to do so.`);
  if (!(await input.confirm(`${consequence} Continue? [y/N] `)))
    throw new CommandRefused('Not confirmed; nothing was changed.');
}

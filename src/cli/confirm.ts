import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';

/** Asks at a terminal before something that cannot be undone. @throws CommandRefused without a yes, and where nobody can be asked. */
export async function confirm({ input }: Cli, consequence: string): Promise<void> {
  if (!input.interactive) throw new CommandRefused(`${consequence} Add --yes to do so.`);
  if (!(await input.confirm(`${consequence} Go on? [y/N] `)))
    throw new CommandRefused('Not confirmed; nothing was changed.');
}

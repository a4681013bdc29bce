/** For commands that work on the database itself, whatever server runs. */
import type { Runtime } from '../boot/runtime.ts';
import { type Cli, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';

/** @throws CommandRefused where the environment names a server: the database of that server would not be this one. */
export function withOwnRuntime<T>(cli: Cli, command: string, use: (runtime: Runtime) => Promise<T>): Promise<T> {
  if (cli.env['STATEHOUSE_URL']?.trim()) {
    throw new CommandRefused(
      `"statehouse ${command}" works on the database itself, not through the server that STATEHOUSE_URL names. ` +
        'Unset STATEHOUSE_URL, and run it where that server has its database. Nothing was changed.',
    );
  }
  return withRuntime(cli, use);
}

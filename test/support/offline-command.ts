/** Commands in this process that need no database, no input and no running server: opening one fails the command. */
import { runCommand } from '../../src/cli/program.ts';

export type Printed = { readonly status: number; readonly out: string; readonly err: string };

export async function runOffline(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Printed> {
  const printed = { out: '', err: '' };
  const status = await runCommand(args, {
    env,
    output: {
      print: (text) => {
        printed.out += text;
      },
      complain: (text) => {
        printed.err += text;
      },
    },
    input: {
      interactive: false,
      readAll: async () => Buffer.alloc(0),
      readSecret: async () => '',
      confirm: async () => false,
    },
    runningServer: async () => null,
    openRuntime: () => Promise.reject(new Error('nothing to open')),
  });
  return { status, ...printed };
}

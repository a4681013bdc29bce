import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { json, passwordLines, warningLines } from './output.ts';
import { readPassword } from './passwords.ts';
import { withUsers } from './reached.ts';

type Options = { readonly generatePassword?: true; readonly json?: true };

export function usersSetPasswordCommand(parent: Command, cli: Cli): void {
  parent
    .command('set-password')
    .description('give an end-user a new password; their sessions and grants end')
    .argument('<username>')
    .option('--generate-password', 'generate a password and print it once')
    .jsonOption()
    .helpAfter(`
At a terminal the command asks for the password without showing it. Without a terminal: STATEHOUSE_PASSWORD, or the first line of standard input.
The password that is stored already changes nothing.

Examples:
  statehouse users set-password alice
  statehouse users set-password alice --generate-password`)
    .action((username: string, options: Options) => setPassword(cli, username, options));
}

async function setPassword(cli: Cli, username: string, options: Options): Promise<void> {
  const given = options.generatePassword ? null : await readPassword(cli);
  const done = await withUsers(cli, (users) => users.setPassword(username, given));
  const { outcome, warnings, madePassword } = done;
  const made = madePassword === null ? {} : { password: madePassword };
  if (options.json) return cli.output.print(json({ username: done.username, outcome, ...made, warnings }));
  cli.output.print(`${outcome.padEnd(9)}  ${done.username}\n${passwordLines(madePassword)}${warningLines(warnings)}`);
}

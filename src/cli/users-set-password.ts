import type { Command } from 'commander';
import { applyUserPlan, planUser } from '../registration/register-user.ts';
import { readUserRecord } from '../registration/user-record.ts';
import { findUserForSignIn } from '../storage/users.ts';
import { accepted } from './accepted.ts';
import { type Cli, registrationDeps, withRuntime } from './cli.ts';
import { noSuch } from './failure.ts';
import { json, passwordLines, warningLines } from './output.ts';
import { makePassword, readPassword } from './passwords.ts';

type Options = { readonly generatePassword?: true; readonly json?: true };

export function usersSetPasswordCommand(parent: Command, cli: Cli): void {
  parent
    .command('set-password')
    .description('give an end-user a new password; their sessions and grants end')
    .argument('<username>')
    .option('--generate-password', 'generate a password and print it once')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
At a terminal the command asks for the password without showing it. Without a terminal: STATEHOUSE_PASSWORD, or the first line of standard input.
The password that is stored already changes nothing.

Examples:
  statehouse users set-password alice
  statehouse users set-password alice --generate-password`,
    )
    .action((username: string, options: Options) => setPassword(cli, username, options));
}

async function setPassword(cli: Cli, username: string, options: Options): Promise<void> {
  const given = options.generatePassword ? null : await readPassword(cli);
  await withRuntime(cli, async (runtime) => {
    const stored = await findUserForSignIn(runtime.database.drizzle, username);
    if (!stored) throw noSuch('user', username);
    const password = given ?? makePassword(runtime.random);
    const reading = readUserRecord({ username: stored.username, password }, runtime.environment.production);
    const { value, warnings } = accepted('user', reading);
    const deps = registrationDeps(runtime);
    const plan = await planUser(deps, { ...value, claims: stored.claims });
    await applyUserPlan(deps, plan);
    const made = given === null ? { password } : {};
    if (options.json)
      return cli.output.print(json({ username: stored.username, outcome: plan.outcome, ...made, warnings }));
    const once = passwordLines(given === null ? password : null);
    cli.output.print(`${plan.outcome.padEnd(9)}  ${stored.username}\n${once}${warningLines(warnings)}`);
  });
}

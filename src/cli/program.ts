/** All commands, and what happens to their failures. */
import { Command, CommanderError } from 'commander';
import { checkCommand } from './check.ts';
import type { Cli } from './cli.ts';
import { clientsCreateCommand } from './clients-create.ts';
import { clientsDeleteCommand } from './clients-delete.ts';
import { clientsImportCommand } from './clients-import.ts';
import { clientsListCommand } from './clients-list.ts';
import { clientsRotateSecretCommand } from './clients-rotate-secret.ts';
import { clientsShowCommand } from './clients-show.ts';
import { diagramCommand } from './diagram.ts';
import { diffCommand } from './diff.ts';
import { explainCommand } from './explain.ts';
import { wordsFor } from './failure.ts';
import { keysListCommand } from './keys-list.ts';
import { keysRevokeCommand } from './keys-revoke.ts';
import { keysRotateCommand } from './keys-rotate.ts';
import { migrateCommand } from './migrate.ts';
import { recoverCommand } from './recover.ts';
import { simulateCommand } from './simulate.ts';
import { startCommand } from './start.ts';
import { usersCreateCommand } from './users-create.ts';
import { usersDisableCommand } from './users-disable.ts';
import { usersEnableCommand } from './users-enable.ts';
import { usersImportCommand } from './users-import.ts';
import { usersListCommand } from './users-list.ts';

/** @returns the exit status. */
export async function runCommand(args: readonly string[], cli: Cli): Promise<number> {
  try {
    await buildProgram(cli).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed what is wrong with the arguments; --help comes here too.
    if (error instanceof CommanderError) return error.exitCode;
    cli.output.complain(wordsFor(error, cli.env));
    return 1;
  }
}

function buildProgram(cli: Cli): Command {
  const program = new Command('statehouse')
    .description('An OAuth 2.1 authorization server whose token lifecycles are state machines that people can read.')
    .exitOverride()
    .configureOutput({
      writeOut: cli.output.print,
      writeErr: cli.output.complain,
      outputError: (words, write) => write(withoutValues(words)),
    })
    .showHelpAfterError('(add --help to see the options)')
    .addHelpText('after', EXAMPLES);
  startCommand(program, cli);
  migrateCommand(program, cli);
  checkCommand(program, cli);
  diagramCommand(program, cli);
  diffCommand(program, cli);
  simulateCommand(program, cli);
  explainCommand(program, cli);
  recoverCommand(program, cli);

  const clients = program.command('clients').description('applications that may ask for tokens');
  clientsCreateCommand(clients, cli);
  clientsListCommand(clients, cli);
  clientsShowCommand(clients, cli);
  clientsRotateSecretCommand(clients, cli);
  clientsDeleteCommand(clients, cli);
  clientsImportCommand(clients, cli);

  const users = program.command('users').description('end-users who can sign in');
  usersCreateCommand(users, cli);
  usersListCommand(users, cli);
  usersDisableCommand(users, cli);
  usersEnableCommand(users, cli);
  usersImportCommand(users, cli);

  const keys = program.command('keys').description('the keys that sign tokens');
  keysListCommand(keys, cli);
  keysRotateCommand(keys, cli);
  keysRevokeCommand(keys, cli);

  for (const group of [clients, users, keys]) {
    const example = `statehouse ${group.name()} ${group.commands.at(-1)?.name()} --help`;
    group.addHelpText('after', `\nEach has its own --help, e.g. "${example}".`);
  }
  return program;
}

/** Commander repeats the arguments in its errors; a secret typed by mistake must not get into a log. */
const withoutValues = (words: string): string =>
  words
    .replace(/^(error: too many arguments[\s\S]*? but got \d+): [\s\S]*$/, '$1.\n')
    .replace(/^(error: unknown option '(?:-[^-]|--[^=']*))[\s\S]*$/, "$1'\n");

const EXAMPLES = `
Examples:
  statehouse start
  statehouse clients create --id shop --redirect-uri https://shop.example/callback --grant-type authorization_code --grant-type refresh_token
  statehouse users create alice
  statehouse clients import clients.json
  statehouse keys list
  statehouse check
  statehouse diagram refresh-token --output refresh-token.svg

Environment: DATABASE_URL (without it: the embedded database in .statehouse/), STATEHOUSE_ISSUER, STATEHOUSE_SECRET,
STATEHOUSE_CONFIG (the folder of policies), STATEHOUSE_TRUSTED_PROXIES, HOST, PORT, LOG_LEVEL.
Secrets and passwords come from the environment or from standard input, never as arguments.`;

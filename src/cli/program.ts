/** All commands, and what happens to their failures. */
import { CommanderError } from 'commander';
import { VERSION } from '../system/version.ts';
import type { Cli } from './cli.ts';
import { Command } from './command.ts';

type AddTo = (program: Command, cli: Cli) => void;
type Load = () => Promise<AddTo>;

/** Its help leads to the help of its last command. */
const group = (
  name: string,
  description: string,
  commands: () => Promise<readonly AddTo[]>,
): readonly [string, Load] => [
  name,
  async () => {
    const all = await commands();
    return (program, cli) => {
      const parent = program.command(name).description(description);
      for (const add of all) add(parent, cli);
      const example = `statehouse ${name} ${parent.commands.at(-1)?.name()} --help`;
      parent.helpAfter(`\nEach has its own --help, e.g. "${example}".`);
    };
  },
];

/** In the order of --help. Only the command that is asked for is loaded, so that no command pays for the others. */
const COMMANDS: ReadonlyMap<string, Load> = new Map([
  ['start', async () => (await import('./start.ts')).startCommand],
  ['migrate', async () => (await import('./migrate.ts')).migrateCommand],
  ['check', async () => (await import('./check.ts')).checkCommand],
  ['diagram', async () => (await import('./diagram.ts')).diagramCommand],
  ['diff', async () => (await import('./diff.ts')).diffCommand],
  ['simulate', async () => (await import('./simulate.ts')).simulateCommand],
  ['explain', async () => (await import('./explain.ts')).explainCommand],
  ['recover', async () => (await import('./recover.ts')).recoverCommand],
  ['apply', async () => (await import('./apply.ts')).applyCommand],
  group('clients', 'applications that request tokens', async () => (await import('./clients.ts')).CLIENT_COMMANDS),
  group('users', 'end-users who can sign in', async () => (await import('./users.ts')).USER_COMMANDS),
  group('operators', 'the end-users who administer this server', async () => [
    (await import('./operators-set-up.ts')).operatorsSetUpCommand,
  ]),
  group('grants', 'the grants of end-users to clients', async () => (await import('./grants.ts')).GRANT_COMMANDS),
  group(
    'sessions',
    'browsers in which end-users are signed in',
    async () => (await import('./sessions.ts')).SESSION_COMMANDS,
  ),
  group(
    'trusted-browsers',
    'browsers in which end-users skip the second factor',
    async () => (await import('./trusted-browsers.ts')).TRUSTED_BROWSER_COMMANDS,
  ),
  group('keys', 'the keys that sign tokens', async () => (await import('./keys.ts')).KEY_COMMANDS),
  group(
    'webhooks',
    'events for other systems, and their deliveries',
    async () => (await import('./webhooks.ts')).WEBHOOK_COMMANDS,
  ),
  group(
    'secrets',
    'secrets that the configuration names, and the mail server',
    async () => (await import('./secrets.ts')).SECRET_COMMANDS,
  ),
  group(
    'mails',
    'the mails that this server sends: preview and test',
    async () => (await import('./mails.ts')).MAIL_COMMANDS,
  ),
  group(
    'ledger',
    'the ledger: its entries, seals and their verification',
    async () => (await import('./ledger.ts')).LEDGER_COMMANDS,
  ),
]);

/** @returns the exit status. */
export async function runCommand(args: readonly string[], cli: Cli): Promise<number> {
  try {
    const program = await buildProgram(cli, args[0]);
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed what is wrong with the arguments; --help comes here too.
    if (error instanceof CommanderError) return error.exitCode;
    // Loaded only now: it knows the errors of every room.
    const { statusFor, wordsFor } = await import('./failure-words.ts');
    cli.output.complain(wordsFor(error, cli.env));
    return statusFor(error);
  }
}

/** @param name the first argument: a command, or a reason to show all of them. */
async function buildProgram(cli: Cli, name = ''): Promise<Command> {
  const program = new Command('statehouse')
    .description('An OAuth 2.1 authorization server whose token lifecycles are state machines that people can read.')
    .version(VERSION, '-V, --version', 'print the version of this program')
    .exitOverride()
    .configureOutput({
      writeOut: cli.output.print,
      writeErr: cli.output.complain,
      outputError: (words, write) => write(withoutValues(words)),
    })
    .showHelpAfterError('(add --help to see the options)')
    .helpAfter(EXAMPLES);
  const asked = COMMANDS.get(name);
  const wanted = asked ? [asked] : [...COMMANDS.values()];
  for (const add of await Promise.all(wanted.map((load) => load()))) add(program, cli);
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
  statehouse grants list --user alice
  statehouse keys list
  statehouse check
  statehouse diagram refresh-token --output refresh-token.svg

Environment: DATABASE_URL (without it: the embedded database in .statehouse/), STATEHOUSE_ISSUER, STATEHOUSE_SECRET,
STATEHOUSE_CONFIG (the folder of policies), STATEHOUSE_TRUSTED_PROXIES, STATEHOUSE_MIGRATIONS_URL, HOST, PORT, LOG_LEVEL.
While a server runs in this folder, commands ask it. STATEHOUSE_URL and STATEHOUSE_TOKEN name another server.
Secrets and passwords come from the environment or from standard input, never as arguments.`;

import { newSetUpLink } from '../boot/first-operator.ts';
import { OPERATORS_FILE } from '../config/configuration.ts';
import { commandLine } from '../model/actor.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';
import { withOwnRuntime } from './own-runtime.ts';

type Options = { readonly username?: string; readonly json?: true };

export function operatorsSetUpCommand(parent: Command, cli: Cli): void {
  parent
    .command('set-up')
    .description('make a link for the first operator; prints it once')
    .option('--username <name>', 'the username of the operator; without it, the user of the link chooses one')
    .jsonOption()
    .helpAfter(`
Only for a server without an operator who may sign in. The link works once, within a day, and an older link becomes invalid.
The page sets a password; the console then asks for a passkey or an authenticator app. Commit the operator to ${OPERATORS_FILE} afterwards.

Examples:
  statehouse operators set-up
  statehouse operators set-up --username ada --json`)
    .action(async ({ username, json: asJson }: Options) => {
      const link = await withOwnRuntime(
        cli,
        'operators set-up',
        ({ configuration, database, environment, keys, random }) =>
          newSetUpLink(
            { keys, random, issuer: environment.issuer, db: database.drizzle },
            configuration,
            username?.trim() || null,
            commandLine,
          ),
      );
      if (link.kind === 'rejected') {
        throw new CommandRefused(
          `An operator may sign in already: "statehouse check" says who. That operator, or ${OPERATORS_FILE}, makes others. Nothing was changed.`,
        );
      }
      const until = link.setUp.endsAt.toISOString();
      const document = { outcome: 'issued', username: link.setUp.username, ends_at: until, link: link.url };
      cli.output.print(asJson ? json(document) : `issued\n  until    ${until}\n  link     ${link.url}\n`);
    });
}

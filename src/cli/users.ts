/** The group `users`, without `create` and `import`. */

import { InvalidArgumentError } from 'commander';
import { printable } from '../config/shown.ts';
import type { User } from './administration/users.ts';
import { type Cli, withRuntime } from './cli.ts';
import { fields } from './client-words.ts';
import type { Command } from './command.ts';
import { confirm } from './confirm.ts';
import { CommandRefused, noSuch } from './failure.ts';
import { json, passwordLines, table, warningLines } from './output.ts';
import { type MailOptions, mailLinks } from './password-links.ts';
import { readPassword } from './passwords.ts';
import { withUsers } from './reached.ts';
import { usersCreateCommand } from './users-create.ts';
import { usersImportCommand } from './users-import.ts';

type InviteOptions = { readonly mail?: true; readonly language?: string; readonly json?: true };

function usersInviteCommand(parent: Command, cli: Cli): void {
  parent
    .command('invite')
    .description('invite a person to create an account; prints a link that works once')
    .argument('<e-mail address>')
    .option('--mail', 'send the link by mail, and do not print it')
    .option('--language <tag>', 'the language of the mail, such as de')
    .jsonOption()
    .helpAfter(`
The link of an older invitation to the same address becomes invalid. Needs "signUp: invitation", or "open", in policies/sign-in.yaml.

Examples:
  statehouse users invite ada@example.com
  statehouse users invite ada@example.com --mail --language de`)
    .action(async (email: string, { mail, language, json: asJson }: InviteOptions) => {
      if (language !== undefined && !mail)
        throw new CommandRefused('--language is that of the mail: add --mail. Nothing was changed.');
      const way = mail ? { language: language ?? null } : null;
      const made = await withUsers(cli, (users) => users.invite(email, way));
      const { invitation_id, email: address, ends_at, link } = made;
      const document = { outcome: 'invited', invitation_id, email: address, ends_at, link };
      const shownLink = link === null ? 'sent by mail' : link;
      const text = `invited\n  e-mail   ${address}\n  until    ${ends_at}\n  link     ${shownLink}\n`;
      cli.output.print(asJson ? json(document) : text);
    });
}

function usersListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('all users, or those that a search finds')
    .option('--search <words>', 'only users with each word in username, names or e-mail address; or the exact sub')
    .jsonOption()
    .helpAfter('\nExamples:\n  statehouse users list\n  statehouse users list --search ada@example.com')
    .action(async ({ search, ...options }: { search?: string; json?: true }) => {
      const users = await withUsers(cli, ({ list }) => list(search ?? null));
      if (options.json) {
        return cli.output.print(json({ users: users.map(userDocument) }));
      }
      if (users.length === 0 && search !== undefined) return cli.output.print('No user matches.\n');
      if (users.length === 0) return cli.output.print('No users. To create one: statehouse users create --help\n');
      const rows = users.map(({ username, sub, claims, disabled_at: since }) => [
        printable(username),
        sub,
        printable(String(claims['email'] ?? '')),
        since === null ? '' : `disabled ${since}`,
      ]);
      cli.output.print(table([['USERNAME', 'SUB', 'EMAIL', ''], ...rows]));
    });
}

function usersShowCommand(parent: Command, cli: Cli): void {
  parent
    .command('show')
    .description('show one user: sub, claims and state')
    .argument('<username>')
    .jsonOption()
    .helpAfter('\nThe password is never shown: only a hash of it is kept.\n\nExample:\n  statehouse users show alice')
    .action(async (username: string, options: { json?: true }) => {
      const user = await withUsers(cli, ({ find }) => find(username));
      if (!user) throw noSuch('user', username);
      cli.output.print(options.json ? json(userDocument(user)) : asText(user));
    });
}

const userDocument = ({ username, sub, disabled, claims }: User) => ({ username, sub, disabled, claims });

function asText({ username, sub, claims, disabled_at: since }: User): string {
  const claimRows = Object.entries(claims).map(([name, value]): [string, string] => [
    printable(name),
    printable(typeof value === 'string' ? value : JSON.stringify(value)),
  ]);
  const state = since === null ? 'may sign in' : `disabled ${since}`;
  return `${printable(username)}\n${fields([['sub', sub], ['state', state], ...claimRows])}`;
}

type PasswordOptions = { readonly generatePassword?: true; readonly json?: true };

function usersSetPasswordCommand(parent: Command, cli: Cli): void {
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
    .action(async (typed: string, options: PasswordOptions) => {
      const given = options.generatePassword ? null : await readPassword(cli);
      const done = await withUsers(cli, (users) => users.setPassword(typed, given));
      const { username, outcome, warnings, madePassword } = done;
      const made = madePassword === null ? {} : { password: madePassword };
      if (options.json) return cli.output.print(json({ username, outcome, ...made, warnings }));
      cli.output.print(`${outcome.padEnd(9)}  ${username}\n${passwordLines(madePassword)}${warningLines(warnings)}`);
    });
}

function usersDisableCommand(parent: Command, cli: Cli): void {
  parent
    .command('disable')
    .description('disable an end-user; ends their sessions and grants permanently')
    .argument('<username>')
    .jsonOption()
    .helpAfter('\nEnabling them again does not revive these.\n\nExample:\n  statehouse users disable alice')
    .action(async (username: string, options: { json?: true }) => {
      await withUsers(cli, ({ change }) => change(username, 'disable'));
      const words = `disabled   ${username}  (sessions, refresh tokens and unused codes have ended)\n`;
      cli.output.print(options.json ? json({ username, outcome: 'disabled' }) : words);
    });
}

function usersEnableCommand(parent: Command, cli: Cli): void {
  parent
    .command('enable')
    .description('enable a disabled end-user')
    .argument('<username>')
    .jsonOption()
    .helpAfter('\nSessions and grants that ended stay ended.\n\nExample:\n  statehouse users enable alice')
    .action(async (username: string, options: { json?: true }) => {
      await withUsers(cli, ({ change }) => change(username, 'enable'));
      cli.output.print(options.json ? json({ username, outcome: 'enabled' }) : `enabled    ${username}\n`);
    });
}

const CONSEQUENCE = 'This erases username, password and claims, and ends every session and grant. It cannot be undone.';

function usersDeleteCommand(parent: Command, cli: Cli): void {
  parent
    .command('delete')
    .description('delete an end-user; keeps only the sub')
    .argument('<username>')
    .option('--yes', 'do not ask')
    .jsonOption()
    .helpAfter(`
${CONSEQUENCE} The server keeps the sub, so that no other end-user gets it. The username is free again.
To keep the end-user and stop them from signing in: statehouse users disable.

Example:
  statehouse users delete alice --yes`)
    .action(async (username: string, options: { yes?: true; json?: true }) => {
      if (!options.yes) await confirm(cli, CONSEQUENCE);
      const { sub } = await withUsers(cli, ({ change }) => change(username, 'delete'));
      const words = `deleted    ${username}  (sub ${sub}; sessions, refresh tokens and unused codes have ended)\n`;
      cli.output.print(options.json ? json({ username, sub, outcome: 'deleted' }) : words);
    });
}

const PER_MINUTE = 120;
const MAX_PER_MINUTE = 60_000;

function usersMailPasswordLinksCommand(parent: Command, cli: Cli): void {
  parent
    .command('mail-password-links')
    .description('mail a link to a first password to every user who has no way to sign in')
    .option('--dry-run', 'print the numbers; mail nothing')
    .option('--unverified', 'also mail addresses that are not verified: a link that verifies them')
    .option('--per-minute <number>', `the most mails in a minute, up to ${MAX_PER_MINUTE}`, perMinuteFrom, PER_MINUTE)
    .jsonOption()
    .helpAfter(`
For users without a password, a linked identity and a passkey, such as imported ones. The link can be used for 24 hours. The servers send
the mails, so a server has to run within the hour. Run the command again after an interruption, or on another day. It leaves out users who
have a password by then, and users whose link can still be used.
With --unverified the first mail verifies the address. The command mails the link to a password when it is run again, or the user asks
for one ("Forgot password?").

Examples:
  statehouse users mail-password-links --dry-run
  statehouse users mail-password-links --per-minute 300`)
    .action(async (options: MailOptions) => {
      await withRuntime(cli, async (runtime) => {
        const { directPasswordLinks } = await import('./direct/password-links.ts');
        await mailLinks(cli, await directPasswordLinks(runtime), options);
      });
    });
}

function perMinuteFrom(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PER_MINUTE)
    throw new InvalidArgumentError(`Expected a number from 1 to ${MAX_PER_MINUTE}.`);
  return number;
}

/** In the order of --help. */
export const USER_COMMANDS = [
  usersCreateCommand,
  usersInviteCommand,
  usersListCommand,
  usersShowCommand,
  usersSetPasswordCommand,
  usersDisableCommand,
  usersEnableCommand,
  usersDeleteCommand,
  usersImportCommand,
  usersMailPasswordLinksCommand,
] as const;

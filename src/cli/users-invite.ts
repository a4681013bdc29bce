import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';
import { withUsers } from './reached.ts';

type Options = { readonly mail?: true; readonly language?: string; readonly json?: true };

export function usersInviteCommand(parent: Command, cli: Cli): void {
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
    .action(async (email: string, { mail, language, json: asJson }: Options) => {
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

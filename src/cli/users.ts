/** The group `users`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addExample } from './group-example.ts';
import { usersCreateCommand } from './users-create.ts';
import { usersDeleteCommand } from './users-delete.ts';
import { usersDisableCommand } from './users-disable.ts';
import { usersEnableCommand } from './users-enable.ts';
import { usersImportCommand } from './users-import.ts';
import { usersInviteCommand } from './users-invite.ts';
import { usersListCommand } from './users-list.ts';
import { usersMailPasswordLinksCommand } from './users-mail-password-links.ts';
import { usersSetPasswordCommand } from './users-set-password.ts';
import { usersShowCommand } from './users-show.ts';

export function usersCommands(program: Command, cli: Cli): void {
  const users = program.command('users').description('end-users who can sign in');
  usersCreateCommand(users, cli);
  usersInviteCommand(users, cli);
  usersListCommand(users, cli);
  usersShowCommand(users, cli);
  usersSetPasswordCommand(users, cli);
  usersDisableCommand(users, cli);
  usersEnableCommand(users, cli);
  usersDeleteCommand(users, cli);
  usersImportCommand(users, cli);
  usersMailPasswordLinksCommand(users, cli);
  addExample(users);
}

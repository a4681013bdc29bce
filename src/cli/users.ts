/** The group `users`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addExample } from './group-example.ts';
import { usersCreateCommand } from './users-create.ts';
import { usersDisableCommand } from './users-disable.ts';
import { usersEnableCommand } from './users-enable.ts';
import { usersImportCommand } from './users-import.ts';
import { usersListCommand } from './users-list.ts';

export function usersCommands(program: Command, cli: Cli): void {
  const users = program.command('users').description('end-users who can sign in');
  usersCreateCommand(users, cli);
  usersListCommand(users, cli);
  usersDisableCommand(users, cli);
  usersEnableCommand(users, cli);
  usersImportCommand(users, cli);
  addExample(users);
}

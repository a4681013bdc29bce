/** The group `sessions`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addExample } from './group-example.ts';
import { sessionsEndCommand } from './sessions-end.ts';
import { sessionsListCommand } from './sessions-list.ts';

export function sessionsCommands(program: Command, cli: Cli): void {
  const sessions = program.command('sessions').description('browsers in which end-users are signed in');
  sessionsListCommand(sessions, cli);
  sessionsEndCommand(sessions, cli);
  addExample(sessions);
}

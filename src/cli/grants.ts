/** The group `grants`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { grantsListCommand } from './grants-list.ts';
import { grantsRevokeCommand } from './grants-revoke.ts';
import { addExample } from './group-example.ts';

export function grantsCommands(program: Command, cli: Cli): void {
  const grants = program.command('grants').description('the grants of end-users to clients');
  grantsListCommand(grants, cli);
  grantsRevokeCommand(grants, cli);
  addExample(grants);
}

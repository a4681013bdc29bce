/** The group `keys`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addExample } from './group-example.ts';
import { keysListCommand } from './keys-list.ts';
import { keysRevokeCommand } from './keys-revoke.ts';
import { keysRotateCommand } from './keys-rotate.ts';

export function keysCommands(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('the keys that sign tokens');
  keysListCommand(keys, cli);
  keysRotateCommand(keys, cli);
  keysRevokeCommand(keys, cli);
  addExample(keys);
}

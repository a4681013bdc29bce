/** The group `operators`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addExample } from './group-example.ts';
import { operatorsSetUpCommand } from './operators-set-up.ts';

export function operatorsCommands(program: Command, cli: Cli): void {
  const operators = program.command('operators').description('the end-users who administer this server');
  operatorsSetUpCommand(operators, cli);
  addExample(operators);
}

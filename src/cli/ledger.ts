/** The group `ledger`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addExample } from './group-example.ts';
import { ledgerExportCommand } from './ledger-export.ts';
import { ledgerKeysCommand } from './ledger-keys.ts';
import { ledgerVerifyCommand } from './ledger-verify.ts';

export function ledgerCommands(program: Command, cli: Cli): void {
  const ledger = program.command('ledger').description('the ledger: its entries, seals and their verification');
  ledgerKeysCommand(ledger, cli);
  ledgerExportCommand(ledger, cli);
  ledgerVerifyCommand(ledger, cli);
  addExample(ledger);
}

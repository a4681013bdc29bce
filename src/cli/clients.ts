/** The group `clients`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { clientsCreateCommand } from './clients-create.ts';
import { clientsDeleteCommand } from './clients-delete.ts';
import { clientsImportCommand } from './clients-import.ts';
import { clientsListCommand } from './clients-list.ts';
import { clientsRotateSecretCommand } from './clients-rotate-secret.ts';
import { clientsShowCommand } from './clients-show.ts';
import { clientsUpdateCommand } from './clients-update.ts';
import { addExample } from './group-example.ts';

export function clientsCommands(program: Command, cli: Cli): void {
  const clients = program.command('clients').description('applications that request tokens');
  clientsCreateCommand(clients, cli);
  clientsListCommand(clients, cli);
  clientsShowCommand(clients, cli);
  clientsUpdateCommand(clients, cli);
  clientsRotateSecretCommand(clients, cli);
  clientsDeleteCommand(clients, cli);
  clientsImportCommand(clients, cli);
  addExample(clients);
}

import type { Command } from 'commander';
import { listClients } from '../storage/clients.ts';
import { type Cli, withRuntime } from './cli.ts';
import { clientDocument, withoutSecrets } from './client-words.ts';
import { json, table } from './output.ts';

export function clientsListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('all clients')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  statehouse clients list')
    .action(async (options: { json?: true }) => {
      const clients = await withRuntime(cli, ({ database }) => listClients(database.drizzle));
      if (options.json)
        return cli.output.print(json({ clients: clients.map((one) => clientDocument(withoutSecrets(one))) }));
      if (clients.length === 0) return cli.output.print('No clients. To make one: statehouse clients create --help\n');
      const rows = clients.map((one) => [
        one.clientId,
        one.clientName,
        one.tokenEndpointAuthMethod,
        one.grantTypes.join(' '),
      ]);
      cli.output.print(table([['CLIENT ID', 'NAME', 'AUTHENTICATES', 'GRANT TYPES'], ...rows]));
    });
}

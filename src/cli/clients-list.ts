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
        return cli.output.print(json({ clients: clients.map((client) => clientDocument(withoutSecrets(client))) }));
      if (clients.length === 0)
        return cli.output.print('No clients. To create one: statehouse clients create --help\n');
      const rows = clients.map((client) => [
        client.clientId,
        client.clientName,
        client.tokenEndpointAuthMethod,
        client.grantTypes.join(' '),
      ]);
      cli.output.print(table([['CLIENT ID', 'NAME', 'AUTHENTICATES', 'GRANT TYPES'], ...rows]));
    });
}

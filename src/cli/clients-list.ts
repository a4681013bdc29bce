import { printable } from '../config/shown.ts';
import type { Cli } from './cli.ts';
import { clientDocument } from './client-words.ts';
import type { Command } from './command.ts';
import { json, table } from './output.ts';
import { withClients } from './reached.ts';

export function clientsListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('all clients')
    .jsonOption()
    .helpAfter('\nExample:\n  statehouse clients list')
    .action(async (options: { json?: true }) => {
      const clients = await withClients(cli, ({ list }) => list());
      if (options.json) return cli.output.print(json({ clients: clients.map(clientDocument) }));
      if (clients.length === 0)
        return cli.output.print('No clients. To create one: statehouse clients create --help\n');
      const rows = clients.map((client) => [
        client.clientId,
        printable(client.clientName),
        client.tokenEndpointAuthMethod,
        client.grantTypes.join(' '),
      ]);
      cli.output.print(table([['CLIENT ID', 'NAME', 'AUTHENTICATES', 'GRANT TYPES'], ...rows]));
    });
}

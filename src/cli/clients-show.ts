import type { Cli } from './cli.ts';
import { clientDocument, clientRows, fetchedRows, fields } from './client-words.ts';
import type { Command } from './command.ts';
import { noSuch } from './failure.ts';
import { json } from './output.ts';
import { withClients } from './reached.ts';

export function clientsShowCommand(parent: Command, cli: Cli): void {
  parent
    .command('show')
    .description('one client; its secrets are never shown')
    .argument('<client-id>')
    .option('--json', 'print one JSON document, with the names of RFC 7591')
    .helpAfter('\nExample:\n  statehouse clients show shop')
    .action(async (clientId: string, options: { json?: true }) => {
      const { client, keys } = await withClients(cli, async ({ find, keysOf }) => {
        const found = await find(clientId);
        return { client: found, keys: found && found.jwksUri !== null ? await keysOf(clientId) : null };
      });
      if (!client) throw noSuch('client', clientId);
      if (options.json) return cli.output.print(json({ ...clientDocument(client), ...(keys && { fetched: keys }) }));
      cli.output.print(`${client.clientId}\n${fields([...clientRows(client), ...(keys ? fetchedRows(keys) : [])])}`);
    });
}

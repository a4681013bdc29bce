import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { json } from './output.ts';
import { withClients } from './reached.ts';

export function clientsDeleteCommand(parent: Command, cli: Cli): void {
  parent
    .command('delete')
    .description('delete a client, and revoke its grants permanently')
    .argument('<client-id>')
    .jsonOption()
    .helpAfter(
      '\nA client created later with the same id does not get them back.\n\nExample:\n  statehouse clients delete shop',
    )
    .action(async (clientId: string, options: { json?: true }) => {
      await withClients(cli, ({ remove }) => remove(clientId));
      const words = `deleted    ${clientId}  (its refresh tokens and unused codes have ended)\n`;
      cli.output.print(options.json ? json({ client_id: clientId, outcome: 'deleted' }) : words);
    });
}

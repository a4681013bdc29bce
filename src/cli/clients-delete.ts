import type { Command } from 'commander';
import { printable } from '../config/shown.ts';
import { deleteClient } from '../storage/clients.ts';
import { type Cli, refuseDeclared, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';

export function clientsDeleteCommand(parent: Command, cli: Cli): void {
  parent
    .command('delete')
    .description('delete a client; all of its grants end, for good')
    .argument('<client-id>')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nA client created later with the same id does not get them back.\n\nExample:\n  statehouse clients delete shop',
    )
    .action(async (clientId: string, options: { json?: true }) => {
      const deleted = await withRuntime(cli, (runtime) => {
        refuseDeclared(runtime, clientId);
        return deleteClient(runtime.database.drizzle, clientId);
      });
      if (!deleted) throw new CommandRefused(`No such client: "${printable(clientId)}".`);
      const words = `deleted    ${clientId}  (its refresh tokens and unused codes have ended)\n`;
      cli.output.print(options.json ? json({ client_id: clientId, outcome: 'deleted' }) : words);
    });
}

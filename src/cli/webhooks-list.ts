import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './key-words.ts';
import { json, table } from './output.ts';
import { withWebhooks } from './reached.ts';

export function webhooksListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('the endpoints of webhooks.yaml, and the waiting events of each')
    .jsonOption()
    .helpAfter('\nExample:\n  statehouse webhooks list')
    .action(async (options: { json?: true }) => {
      const receivers = await withWebhooks(cli, (webhooks) => webhooks.receivers());
      if (options.json) {
        const documents = receivers.map(({ _links, ...receiver }) => receiver);
        return cli.output.print(json({ receivers: documents }));
      }
      if (receivers.length === 0) return cli.output.print('No receivers: webhooks.yaml names none.\n');
      const rows = receivers.map(({ name, format, events, pending, oldest_pending_at: oldest, url }) => [
        name,
        format,
        events.join(', '),
        String(pending),
        oldest === null ? '' : minute(oldest),
        url,
      ]);
      cli.output.print(table([['NAME', 'FORMAT', 'EVENTS', 'PENDING', 'OLDEST', 'URL'], ...rows]));
    });
}

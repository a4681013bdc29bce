import { Option } from 'commander';
import type { Delivery, DeliveryFilter } from './administration/webhooks.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './key-words.ts';
import { json, table } from './output.ts';
import { limitOption, moreLine } from './pages.ts';
import { withWebhooks } from './reached.ts';

type Options = DeliveryFilter & { readonly limit: number; readonly json?: true };

export function webhooksDeliveriesCommand(parent: Command, cli: Cli): void {
  parent
    .command('deliveries')
    .description('deliveries of events (pending, delivered or abandoned), newest first')
    .option('--receiver <name>', 'only those for this receiver')
    .addOption(new Option('--state <state>', 'only those in this state').choices(['pending', 'delivered', 'abandoned']))
    .addOption(limitOption())
    .jsonOption()
    .helpAfter(`
A delivery without a success after its last attempt is "abandoned". The server removes ended deliveries after keptSeconds of webhooks.yaml.

Example:
  statehouse webhooks deliveries --receiver crm --state abandoned`)
    .action(async (options: Options) => {
      const { items, more } = await withWebhooks(cli, ({ deliveries }) => deliveries(options, options.limit));
      if (options.json) return cli.output.print(json({ deliveries: items.map(deliveryDocument), more }));
      if (items.length === 0) return cli.output.print('No such deliveries.\n');
      const header = ['ID', 'RECEIVER', 'EVENT', 'OCCURRED', 'STATE', 'ATTEMPTS', 'LAST OUTCOME', 'NEXT ATTEMPT'];
      cli.output.print(table([header, ...items.map(deliveryRow)]));
      cli.output.complain(moreLine(more, options.limit));
    });
}

const deliveryRow = (delivery: Delivery): readonly string[] => [
  delivery.delivery_id,
  delivery.receiver,
  delivery.event_type,
  minute(delivery.occurred_at),
  delivery.reason === null ? delivery.state : `${delivery.state} (${delivery.reason})`,
  String(delivery.attempts),
  delivery.last_outcome ?? '',
  delivery.next_attempt_at === null ? '' : minute(delivery.next_attempt_at),
];

export const deliveryDocument = (delivery: Delivery) => ({
  delivery_id: delivery.delivery_id,
  receiver: delivery.receiver,
  event_id: delivery.event_id,
  event_type: delivery.event_type,
  occurred_at: delivery.occurred_at,
  state: delivery.state,
  reason: delivery.reason,
  attempts: delivery.attempts,
  last_outcome: delivery.last_outcome,
  next_attempt_at: delivery.next_attempt_at,
});

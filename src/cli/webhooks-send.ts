/** Manual deliveries: a redelivery of an event, and a test event. A running server sends either within a second. */

import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';
import { withWebhooks } from './reached.ts';
import { deliveryDocument } from './webhooks-deliveries.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function webhooksRepeatCommand(parent: Command, cli: Cli): void {
  parent
    .command('repeat')
    .description('redeliver an event immediately, with all attempts again')
    .argument('<id>', 'as "statehouse webhooks deliveries" shows it')
    .jsonOption()
    .helpAfter(`
The event has the same webhook-id: a receiver that has taken it before knows it. A running server sends it within a second.

Example:
  statehouse webhooks repeat 2f1c7a52-1f0e-4c55-8e0b-0f6f5a1f7b11`)
    .action(async (argument: string, options: { json?: true }) => {
      if (!UUID.test(argument))
        throw new CommandRefused('Expected an id (a UUID): "statehouse webhooks deliveries" shows them.');
      const delivery = await withWebhooks(cli, ({ repeat }) => repeat(argument.toLowerCase()));
      if (options.json) return cli.output.print(json(deliveryDocument(delivery)));
      cli.output.print(`repeated   ${delivery.delivery_id}  (${delivery.event_type} to ${delivery.receiver})\n`);
    });
}

export function webhooksTestCommand(parent: Command, cli: Cli): void {
  parent
    .command('test')
    .description('send an endpoint the event webhook.test, which has no data')
    .argument('<receiver>', 'its name in webhooks.yaml')
    .jsonOption()
    .helpAfter(`
A running server sends it within a second: "statehouse webhooks deliveries" shows the outcome.

Example:
  statehouse webhooks test crm`)
    .action(async (receiver: string, options: { json?: true }) => {
      const delivery = await withWebhooks(cli, ({ test }) => test(receiver));
      if (options.json) return cli.output.print(json(deliveryDocument(delivery)));
      cli.output.print(`recorded   ${delivery.delivery_id}  (${delivery.event_type} to ${delivery.receiver})\n`);
    });
}

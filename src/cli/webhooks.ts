/** The group `webhooks`. */

import { Option } from 'commander';
import type { Item } from '../management/client/documents.ts';
import { isUuid } from '../oauth/sub.ts';
import type { Answered, ManagementApi } from './administration/api.ts';
import { pagesOf } from './administration/lists.ts';
import { mustExist } from './administration/refusals.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './durations.ts';
import { CommandRefused } from './failure.ts';
import { json, table } from './output.ts';
import { itemsUpTo, limitOption, moreLine } from './pages.ts';
import { withApi } from './reached.ts';

const NAME = ['<receiver>', 'its name in webhooks.yaml'] as const;
const PAUSE = '/webhook-receivers/{receiver}/pause';

/** @throws CommandRefused for a receiver that is not there. */
const atReceiver = <T>(
  cli: Cli,
  receiver: string,
  ask: (api: ManagementApi, params: { readonly receiver: string }) => Promise<Answered<T>>,
): Promise<T> => withApi(cli, async (api) => (await mustExist('receiver', receiver, ask(api, { receiver }))).value);

function webhooksListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('the endpoints of webhooks.yaml, and the waiting events of each')
    .jsonOption()
    .helpAfter('\nExample:\n  statehouse webhooks list')
    .action(async (options: { json?: true }) => {
      const { items: receivers } = (await withApi(cli, (api) => api.send('GET', '/webhook-receivers', {}))).value;
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

type Delivery = Item<'/webhook-deliveries'>;
type Options = {
  readonly receiver?: string;
  readonly state?: Delivery['state'];
  readonly limit: number;
  readonly json?: true;
};

function webhooksDeliveriesCommand(parent: Command, cli: Cli): void {
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
    .action(async ({ receiver, state, limit, json: asJson }: Options) => {
      const { items, more } = await withApi(cli, (api) =>
        itemsUpTo(
          limit,
          pagesOf((page) => api.send('GET', '/webhook-deliveries', { query: { receiver, state, ...page } })),
        ),
      );
      if (asJson) return cli.output.print(json({ deliveries: items.map(deliveryDocument), more }));
      if (items.length === 0) return cli.output.print('No such deliveries.\n');
      const header = ['ID', 'RECEIVER', 'EVENT', 'OCCURRED', 'STATE', 'ATTEMPTS', 'LAST OUTCOME', 'NEXT ATTEMPT'];
      cli.output.print(table([header, ...items.map(deliveryRow)]));
      cli.output.complain(moreLine(more, limit));
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

const deliveryDocument = (delivery: Delivery) => ({
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

function webhooksRepeatCommand(parent: Command, cli: Cli): void {
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
      const id = argument.toLowerCase();
      if (!isUuid(id))
        throw new CommandRefused('Expected an id (a UUID): "statehouse webhooks deliveries" shows them.');
      const path = '/webhook-deliveries/{delivery_id}/repetitions';
      const { value: delivery } = await withApi(cli, (api) =>
        mustExist('delivery', id, api.send('POST', path, { params: { delivery_id: id } })),
      );
      if (options.json) return cli.output.print(json(deliveryDocument(delivery)));
      cli.output.print(`repeated   ${delivery.delivery_id}  (${delivery.event_type} to ${delivery.receiver})\n`);
    });
}

function webhooksTestCommand(parent: Command, cli: Cli): void {
  parent
    .command('test')
    .description('send an endpoint the event webhook.test, which has no data')
    .argument(...NAME)
    .jsonOption()
    .helpAfter(`
A running server sends it within a second: "statehouse webhooks deliveries" shows the outcome.

Example:
  statehouse webhooks test crm`)
    .action(async (receiver: string, options: { json?: true }) => {
      const path = '/webhook-receivers/{receiver}/tests';
      const delivery = await atReceiver(cli, receiver, (api, params) => api.send('POST', path, { params }));
      if (options.json) return cli.output.print(json(deliveryDocument(delivery)));
      cli.output.print(`recorded   ${delivery.delivery_id}  (${delivery.event_type} to ${delivery.receiver})\n`);
    });
}

function webhooksPauseCommand(parent: Command, cli: Cli): void {
  parent
    .command('pause')
    .description('switch an endpoint off: its events wait, and nothing is lost')
    .argument(...NAME)
    .jsonOption()
    .helpAfter(`
Attempts under way end as usual, and test events are still sent: "statehouse webhooks test" shows whether the endpoint works again.

Example:
  statehouse webhooks pause crm`)
    .action(async (receiver: string, options: { json?: true }) => {
      const paused = await atReceiver(cli, receiver, (api, params) => api.send('PUT', PAUSE, { params }));
      const { name, paused_at: since, pending } = paused;
      if (options.json) return cli.output.print(json({ receiver: name, paused_at: since, pending }));
      cli.output.print(`paused   ${name}  (${pending} events wait)\n`);
    });
}

function webhooksResumeCommand(parent: Command, cli: Cli): void {
  parent
    .command('resume')
    .description('switch an endpoint on: the server sends the events that waited')
    .argument(...NAME)
    .helpAfter('\nExample:\n  statehouse webhooks resume crm')
    .action(async (receiver: string) => {
      await atReceiver(cli, receiver, (api, params) => api.send('DELETE', PAUSE, { params }));
      cli.output.print(`resumed   ${receiver}\n`);
    });
}

function webhooksRedeliverCommand(parent: Command, cli: Cli): void {
  parent
    .command('redeliver')
    .description('redeliver the dead-lettered events of an endpoint, the oldest first, at most 500')
    .argument(...NAME)
    .jsonOption()
    .helpAfter('\nRun it again while events are left.\n\nExample:\n  statehouse webhooks redeliver crm')
    .action(async (receiver: string, options: { json?: true }) => {
      const path = '/webhook-receivers/{receiver}/redeliveries';
      const done = await atReceiver(cli, receiver, (api, params) => api.send('POST', path, { params, body: {} }));
      const { redelivered, left } = done;
      if (options.json) return cli.output.print(json({ receiver, redelivered, left }));
      cli.output.print(`redelivered   ${redelivered} events to ${receiver}  (${left} left)\n`);
    });
}

/** In the order of --help. */
export const WEBHOOK_COMMANDS = [
  webhooksListCommand,
  webhooksDeliveriesCommand,
  webhooksRepeatCommand,
  webhooksTestCommand,
  webhooksPauseCommand,
  webhooksResumeCommand,
  webhooksRedeliverCommand,
] as const;

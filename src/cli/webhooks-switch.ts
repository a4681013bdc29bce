/** An endpoint as a whole: switch it off and on, and redeliver all of its dead-lettered events. */

import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { json } from './output.ts';
import { withWebhooks } from './reached.ts';

const NAME = ['<receiver>', 'its name in webhooks.yaml'] as const;

export function webhooksPauseCommand(parent: Command, cli: Cli): void {
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
      const { name, paused_at: since, pending } = await withWebhooks(cli, ({ pause }) => pause(receiver));
      if (options.json) return cli.output.print(json({ receiver: name, paused_at: since, pending }));
      cli.output.print(`paused   ${name}  (${pending} events wait)\n`);
    });
}

export function webhooksResumeCommand(parent: Command, cli: Cli): void {
  parent
    .command('resume')
    .description('switch an endpoint on: the server sends the events that waited')
    .argument(...NAME)
    .helpAfter('\nExample:\n  statehouse webhooks resume crm')
    .action(async (receiver: string) => {
      await withWebhooks(cli, ({ resume }) => resume(receiver));
      cli.output.print(`resumed   ${receiver}\n`);
    });
}

export function webhooksRedeliverCommand(parent: Command, cli: Cli): void {
  parent
    .command('redeliver')
    .description('redeliver the dead-lettered events of an endpoint, the oldest first, at most 500')
    .argument(...NAME)
    .jsonOption()
    .helpAfter('\nRun it again while events are left.\n\nExample:\n  statehouse webhooks redeliver crm')
    .action(async (receiver: string, options: { json?: true }) => {
      const { redelivered, left } = await withWebhooks(cli, ({ redeliver }) => redeliver(receiver));
      if (options.json) return cli.output.print(json({ receiver, redelivered, left }));
      cli.output.print(`redelivered   ${redelivered} events to ${receiver}  (${left} left)\n`);
    });
}

/** The group `webhooks`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addExample } from './group-example.ts';
import { webhooksDeliveriesCommand } from './webhooks-deliveries.ts';
import { webhooksListCommand } from './webhooks-list.ts';
import { webhooksRepeatCommand, webhooksTestCommand } from './webhooks-send.ts';
import { webhooksPauseCommand, webhooksRedeliverCommand, webhooksResumeCommand } from './webhooks-switch.ts';

export function webhooksCommands(program: Command, cli: Cli): void {
  const webhooks = program.command('webhooks').description('events for other systems, and their deliveries');
  webhooksListCommand(webhooks, cli);
  webhooksDeliveriesCommand(webhooks, cli);
  webhooksRepeatCommand(webhooks, cli);
  webhooksTestCommand(webhooks, cli);
  webhooksPauseCommand(webhooks, cli);
  webhooksResumeCommand(webhooks, cli);
  webhooksRedeliverCommand(webhooks, cli);
  addExample(webhooks);
}

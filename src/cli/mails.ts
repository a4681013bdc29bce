/** The group `mails`. */
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addExample } from './group-example.ts';
import { mailsPreviewCommand } from './mails-preview.ts';
import { mailsSendTestCommand } from './mails-send-test.ts';

export function mailsCommands(program: Command, cli: Cli): void {
  const mails = program.command('mails').description('the mails that this server sends: preview and test');
  mailsPreviewCommand(mails, cli);
  mailsSendTestCommand(mails, cli);
  addExample(mails);
}

import { Option } from 'commander';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { KINDS, languageOption, samplesOf } from './mail-samples.ts';

type Options = { readonly mail: string; readonly language: string };

export function mailsSendTestCommand(parent: Command, cli: Cli): void {
  parent
    .command('send-test')
    .description('send one mail with made-up data, and report whether the relay accepted it')
    .argument('<address>', 'the recipient')
    .addOption(new Option('--mail <mail>', 'the mail').choices(KINDS).default('verify_address'))
    .addOption(languageOption())
    .helpAfter(`
Uses STATEHOUSE_SMTP_URL and STATEHOUSE_MAIL_FROM of this environment. The mail bypasses the queue and changes nothing; its link has no effect.

Examples:
  statehouse mails send-test you@example.com
  statehouse mails send-test you@example.com --mail reset_password --language de`)
    .action(async (address: string, { mail, language }: Options) => {
      if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new CommandRefused('Expected an e-mail address.');
      const { smtp, compose } = samplesOf(cli);
      if (smtp === null)
        throw new CommandRefused(
          'Set STATEHOUSE_SMTP_URL as for the server. Nothing was sent. To see mails: mails preview',
        );
      const [{ smtpDelivery }, { NotDelivered }] = await Promise.all([
        import('../boot/mail/smtp.ts'),
        import('../boot/mail/outbox.ts'),
      ]);
      const delivery = smtpDelivery(smtp);
      try {
        await delivery.deliver(await compose(mail, language, address));
      } catch (error) {
        if (!(error instanceof NotDelivered)) throw error;
        throw new CommandRefused(
          `The relay ${smtp.host}:${smtp.port} did not accept the mail: ${error.code}. ${
            error.isFinal ? 'It refuses the recipient or the mail.' : 'Check STATEHOUSE_SMTP_URL and the network.'
          }`,
        );
      } finally {
        delivery.close();
      }
      cli.output.print(`sent   ${mail} (${language}) to ${address}, by ${smtp.host}:${smtp.port}\n`);
    });
}

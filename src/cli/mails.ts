/** The group `mails`. They need no database. */

import { Argument, Option } from 'commander';
import { asPage, type ComposedMail, SAMPLE_KINDS, SAMPLE_LANGUAGES, sampleMail } from '../boot/mail/sample-mails.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfiguration } from '../config/load.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { isFolder, writeInto } from './written-files.ts';

type PreviewOptions = { readonly language: string; readonly output?: string };

function mailsPreviewCommand(parent: Command, cli: Cli): void {
  parent
    .command('preview')
    .description('show mails as users receive them, with the branding and the texts of the configuration')
    .addArgument(new Argument('[mail]', 'one mail; all of them when none is named').choices(SAMPLE_KINDS))
    .addOption(languageOption())
    .option('--output <path>', 'HTML: a file, or a folder for one file each; default: plain text to standard output')
    .helpAfter(`
Needs no database and sends nothing. The data is made up. A change of branding.yaml or mails.yaml shows in the next preview.

Examples:
  statehouse mails preview
  statehouse mails preview reset_password --language fr
  statehouse mails preview --language ar --output mails/`)
    .action(async (mail: string | undefined, { language, output }: PreviewOptions) => {
      const { compose } = samplesOf(cli);
      const kinds = mail === undefined ? SAMPLE_KINDS : [mail];
      const composed = await Promise.all(
        kinds.map(async (kind) => ({ kind, mail: await compose(kind, language, 'alice@example.com') })),
      );
      if (output === undefined) return cli.output.print(composed.map(({ mail: one }) => asText(one)).join(SEPARATOR));
      const folder = isFolder(output);
      if (!folder && composed.length > 1)
        throw new CommandRefused(`Expected a folder for ${composed.length} mails, such as ${output}/, or one mail.`);
      for (const { kind, mail: one } of composed) {
        if (folder) writeInto(cli, output, `${kind}.html`, asPage(one));
        else writeInto(cli, null, output, asPage(one));
      }
    });
}

const SEPARATOR = `\n${'='.repeat(72)}\n\n`;

const asText = ({ subject, text }: ComposedMail): string => `Subject: ${subject}\n\n${text}`;

type TestOptions = { readonly mail: string; readonly language: string };

function mailsSendTestCommand(parent: Command, cli: Cli): void {
  parent
    .command('send-test')
    .description('send one mail with made-up data, and report whether the relay accepted it')
    .argument('<address>', 'the recipient')
    .addOption(new Option('--mail <mail>', 'the mail').choices(SAMPLE_KINDS).default('verify_address'))
    .addOption(languageOption())
    .helpAfter(`
Uses STATEHOUSE_SMTP_URL and STATEHOUSE_MAIL_FROM of this environment. The mail bypasses the queue and changes nothing; its link has no effect.

Examples:
  statehouse mails send-test you@example.com
  statehouse mails send-test you@example.com --mail reset_password --language de`)
    .action(async (address: string, { mail, language }: TestOptions) => {
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

const languageOption = (): Option =>
  new Option('--language <tag>', 'the language of the mail').choices([...SAMPLE_LANGUAGES]).default('en');

/** @throws ConfigurationError, EnvironmentError */
function samplesOf({ env }: Pick<Cli, 'env'>) {
  const environment = readEnvironment(env);
  const configuration = loadConfiguration(environment.configFolder, environment.issuer);
  return {
    smtp: environment.smtp,
    compose: (kind: string, language: string, to: string): Promise<ComposedMail> =>
      sampleMail(environment.issuer, configuration, { kind, language, to }),
  };
}

/** In the order of --help. */
export const MAIL_COMMANDS = [mailsPreviewCommand, mailsSendTestCommand] as const;

import { Argument } from 'commander';
import { asPage, type ComposedMail } from '../boot/mail/sample-mails.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { KINDS, languageOption, samplesOf } from './mail-samples.ts';
import { isFolder, writeInto } from './written-files.ts';

type Options = { readonly language: string; readonly output?: string };

export function mailsPreviewCommand(parent: Command, cli: Cli): void {
  parent
    .command('preview')
    .description('show mails as users receive them, with the branding and the texts of the configuration')
    .addArgument(new Argument('[mail]', 'one mail; all of them when none is named').choices(KINDS))
    .addOption(languageOption())
    .option('--output <path>', 'HTML: a file, or a folder for one file each; default: plain text to standard output')
    .helpAfter(`
Needs no database and sends nothing. The data is made up. A change of branding.yaml or mails.yaml shows in the next preview.

Examples:
  statehouse mails preview
  statehouse mails preview reset_password --language fr
  statehouse mails preview --language ar --output mails/`)
    .action(async (mail: string | undefined, { language, output }: Options) => {
      const { compose } = samplesOf(cli);
      const kinds = mail === undefined ? KINDS : [mail];
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

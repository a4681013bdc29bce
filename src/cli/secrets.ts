/** The group `secrets`. A value comes from standard input or a file, and no command prints one. */
import { readFile } from 'node:fs/promises';
import type { ConfiguredSecret } from './administration/secrets.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { decodeUtf8 } from './input.ts';
import { minute } from './key-words.ts';
import { json, table } from './output.ts';
import { withSecrets } from './reached.ts';

const NAME = ['<name>', 'as the files name it, or STATEHOUSE_SMTP_URL'] as const;

export function secretsListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('each secret, and where it comes from; never the value')
    .jsonOption()
    .helpAfter('\nExample:\n  statehouse secrets list')
    .action(async (options: { json?: true }) => {
      const secrets = await withSecrets(cli, ({ list }) => list());
      if (options.json) return cli.output.print(json({ secrets: secrets.map(({ _links, ...secret }) => secret) }));
      const rows = secrets.map((secret) => [
        secret.name,
        sourceOf(secret),
        secret.stored_at === null ? '' : minute(secret.stored_at),
        usesOf(secret),
      ]);
      cli.output.print(table([['NAME', 'FROM', 'STORED', 'USED BY'], ...rows]));
    });
}

const sourceOf = ({ source, problem }: ConfiguredSecret): string =>
  `${source === 'row' ? 'stored' : (source ?? 'missing')}${problem === null ? '' : ' (unreadable)'}`;

const usesOf = ({ used_by: uses }: ConfiguredSecret): string =>
  uses.map(({ file, key }) => (file === null ? 'mails' : `${file}: ${key}`)).join(', ');

export function secretsSetCommand(parent: Command, cli: Cli): void {
  parent
    .command('set')
    .description('store a secret, or replace it; every node uses it within seconds')
    .argument(...NAME)
    .option('--file <path>', 'the file with the value; without it, the value is the first line of standard input')
    .helpAfter(`
The server seals the value in its database, and never shows it. A variable or a file of the environment goes before it.

Examples:
  statehouse secrets set CRM_WEBHOOK_SECRET
  statehouse secrets set STATEHOUSE_SMTP_URL --file /run/secrets/smtp-url`)
    .action(async (name: string, { file }: { file?: string }) => {
      const value = file === undefined ? await typed(cli) : await read(file);
      if (value === '')
        throw new CommandRefused('No value: write it to standard input, or name a file. Nothing was changed.');
      const secret = await withSecrets(cli, ({ set }) => set(name, value));
      const hidden = secret.source === 'row' ? '' : `  (not in force: the ${secret.source} goes first)`;
      cli.output.print(`set   ${secret.name}${hidden}\n`);
    });
}

const typed = ({ input }: Cli): Promise<string> => input.readSecret('Value: ');

/** Line breaks at its end are no part of the secret, as in a file of the environment. */
async function read(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => {
    throw new CommandRefused('--file: Expected the path of a readable file. Nothing was changed.');
  });
  return decodeUtf8(bytes, 'The file').replace(/[\r\n]+$/, '');
}

export function secretsRemoveCommand(parent: Command, cli: Cli): void {
  parent
    .command('remove')
    .description('remove a stored secret that no file needs')
    .argument(...NAME)
    .helpAfter('\nExample:\n  statehouse secrets remove CRM_WEBHOOK_SECRET')
    .action(async (name: string) => {
      await withSecrets(cli, ({ remove }) => remove(name));
      cli.output.print(`removed   ${name}\n`);
    });
}

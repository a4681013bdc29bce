import { readFile } from 'node:fs/promises';
import type { Item } from '../management/client/documents.ts';
import type { ManagementApi } from './administration/api.ts';
import { mustExist, orNull, recordProblems } from './administration/refusals.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute } from './durations.ts';
import { CommandRefused } from './failure.ts';
import { decodeUtf8 } from './input.ts';
import { json, table } from './output.ts';
import { withApi } from './reached.ts';

/** The group `secrets`. A value comes from standard input or a file, and no command prints one. */

const NAME = ['<name>', 'as the files name it, or STATEHOUSE_SMTP_URL'] as const;

function secretsListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('each secret, and where it comes from; never the value')
    .jsonOption()
    .helpAfter('\nExample:\n  statehouse secrets list')
    .action(async (options: { json?: true }) => {
      const { items: secrets } = (await withApi(cli, (api) => api.send('GET', '/secrets', {}))).value;
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

function secretsSetCommand(parent: Command, cli: Cli): void {
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
      const secret = await withApi(cli, (api) => store(api, name, value));
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

function secretsRemoveCommand(parent: Command, cli: Cli): void {
  parent
    .command('remove')
    .description('remove a stored secret that no file needs')
    .argument(...NAME)
    .helpAfter('\nExample:\n  statehouse secrets remove CRM_WEBHOOK_SECRET')
    .action(async (name: string) => {
      const params = { secret_name: name };
      await withApi(cli, (api) =>
        mustExist('stored secret', name, api.send('DELETE', '/secrets/{secret_name}', { params })),
      );
      cli.output.print(`removed   ${name}\n`);
    });
}

type ConfiguredSecret = Item<'/secrets'>;

/** @throws CommandRefused that shows nothing of the value. */
async function store(api: ManagementApi, name: string, value: string): Promise<ConfiguredSecret> {
  const params = { secret_name: name };
  const sent = orNull(api.send('PUT', '/secrets/{secret_name}', { params, body: { value } }));
  const answered = await sent.catch((error: unknown) => {
    const problems = recordProblems(error);
    throw problems === null ? error : new CommandRefused(`${problems.join('\n')}\nNothing was changed.`);
  });
  if (answered === null) throw new CommandRefused('Expected the name of an environment variable. Nothing was changed.');
  return answered.value;
}

/** In the order of --help. */
export const SECRET_COMMANDS = [secretsListCommand, secretsSetCommand, secretsRemoveCommand] as const;

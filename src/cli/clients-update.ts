import { isDeepStrictEqual } from 'node:util';
import { type Command, Option } from 'commander';
import type { Runtime } from '../boot/runtime.ts';
import { printable } from '../config/shown.ts';
import { CLIENT_FIELDS, readClientMetadata, toNames } from '../registration/client-metadata.ts';
import { applyClientPlan, type ClientPlan, planClient } from '../registration/register-client.ts';
import { findClient } from '../storage/clients.ts';
import { accepted } from './accepted.ts';
import { type Cli, refuseDeclared, registrationDeps, withRuntime } from './cli.ts';
import { FIELD_OPTIONS, type FieldOptions, recordOf } from './client-options.ts';
import { CommandRefused, noSuch } from './failure.ts';
import { json, secretLines, warningLines } from './output.ts';
import { each } from './repeated-option.ts';

type Options = FieldOptions & { readonly unset?: readonly string[]; readonly json?: true };

const ID = 'client_id';
const UNSETTABLE = CLIENT_FIELDS.map(({ name }) => name).filter((name) => name !== ID && name !== 'client_secret');

export function clientsUpdateCommand(parent: Command, cli: Cli): void {
  const command = parent.command('update').description('change some fields of a client').argument('<client-id>');
  for (const { name, option } of FIELD_OPTIONS) if (name !== ID) command.addOption(option);
  command
    .option('--public', 'Short for --auth-method none.')
    .addOption(new Option('--unset <field>', 'Back to the default. Repeat it for several.').argParser(each))
    .option('--json', 'Print one JSON document.')
    .addHelpText(
      'after',
      `
What is not named stays; a list is replaced as a whole. Grants stay alive, within what the client may have from now on.
--unset takes: ${UNSETTABLE.join(', ')}.

Examples:
  statehouse clients update shop --policy strict
  statehouse clients update shop --redirect-uri https://shop.example/callback --redirect-uri https://shop.example/native
  statehouse clients update shop --unset scope`,
    )
    .action((clientId: string, options: Options) =>
      withRuntime(cli, (runtime) => update(cli, runtime, clientId, options)),
    );
}

async function update(cli: Cli, runtime: Runtime, clientId: string, options: Options): Promise<void> {
  refuseDeclared(runtime, clientId);
  const stored = await findClient(runtime.database.drizzle, clientId);
  if (!stored) throw noSuch('client', clientId);
  const given = recordOf(options, cli.env);
  const unset = options.unset ?? [];
  refuseUnknown(unset);
  const kept = Object.entries(toNames(stored)).filter(([name]) => !unset.includes(name));
  const record = { ...Object.fromEntries(kept), ...given, [ID]: clientId };
  const { value, warnings } = accepted(
    'client',
    readClientMetadata(record, runtime.configuration, runtime.environment.production),
  );
  const deps = registrationDeps(runtime);
  const plan = await planClient(deps, value);
  // What somebody else changes meanwhile would be overwritten with what was read before.
  await applyClientPlan(deps, plan, ({ client }) => isDeepStrictEqual(client, stored));
  cli.output.print(options.json ? asDocument(plan, warnings) : asText(plan, warnings));
}

/** @throws CommandRefused */
function refuseUnknown(fields: readonly string[]): void {
  const unknown = fields.find((name) => !UNSETTABLE.some((field) => field === name));
  if (unknown === undefined) return;
  throw new CommandRefused(`--unset: Expected one of ${UNSETTABLE.join(', ')}, found "${printable(unknown)}".`);
}

function asDocument({ outcome, changed, registration, madeSecret }: ClientPlan, warnings: readonly string[]): string {
  const secret = madeSecret === null ? {} : { client_secret: madeSecret };
  return json({ outcome, changed, client: { ...toNames(registration), ...secret }, warnings });
}

function asText({ outcome, changed, registration, madeSecret }: ClientPlan, warnings: readonly string[]): string {
  const fields = changed.length > 0 ? `  (${changed.join(', ')})` : '';
  return `${outcome.padEnd(9)}  ${registration.clientId}${fields}\n${secretLines(madeSecret)}${warningLines(warnings)}`;
}

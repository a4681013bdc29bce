/** The options of an import from another system: providers, columns, secrets. */

import { readEnvironment } from '../config/environment.ts';
import { loadConfiguration } from '../config/load.ts';
import { secretVariable } from '../config/secret-variable.ts';
import { printable } from '../config/shown.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import { jsonIn } from '../oauth/sent-text.ts';
import { isJsonObject } from '../registration/record-problem.ts';
import { SOURCES } from '../registration/sources/all.ts';
import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { openText } from './files/chunks.ts';
import { exportedRecords } from './files/exported.ts';
import { ownRecords, type RecordSource } from './records-file.ts';

type Options = {
  readonly from?: string;
  readonly sub?: 'keep' | 'new';
  readonly issuer?: readonly string[];
  readonly map?: readonly string[];
  readonly rpId?: string;
};

/** @throws CommandRefused */
export async function openSource(cli: Cli, files: readonly string[], options: Options): Promise<RecordSource> {
  const source = SOURCES.find(({ name }) => name === options.from);
  if (source === undefined) {
    const [file = '-', ...more] = files;
    if (more.length > 0) throw new CommandRefused('Expected one file. Several files need --from.');
    return ownRecords(cli.input, file);
  }
  return exportedRecords(cli.input, files, source, {
    issuers: new Map([...upstreamsOf(cli), ...(options.issuer ?? []).map((text) => pairIn(text, '--issuer'))]),
    keepsSub: options.sub !== 'new',
    columns: await columnsOf(cli, options.map ?? []),
    firebaseHash: secretOf(cli, 'STATEHOUSE_FIREBASE_HASH'),
    rpId: options.rpId ?? null,
    isPeppered: secretOf(cli, 'STATEHOUSE_PASSWORD_PEPPER') !== null,
  });
}

const secretOf = ({ env }: Cli, name: string) => {
  const value = secretVariable(env, name);
  return value === null ? null : rawSecret(value);
};

/** The identity providers of upstreams.yaml, by their names. */
function upstreamsOf({ env }: Cli): readonly (readonly [string, string])[] {
  const { configFolder, issuer } = readEnvironment(env);
  return loadConfiguration(configFolder, issuer).upstreams.map((upstream) => [upstream.name, upstream.issuer]);
}

function pairIn(text: string, option: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1)
    throw new CommandRefused(`${option}: Expected NAME=VALUE, found "${printable(text)}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function columnsOf(cli: Cli, maps: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const pairs: (readonly [string, string])[] = [];
  for (const text of maps) pairs.push(...(text.includes('=') ? [pairIn(text, '--map')] : await pairsInFile(cli, text)));
  return new Map(pairs);
}

/** `{"column": "member"}` */
async function pairsInFile({ input }: Cli, file: string): Promise<readonly (readonly [string, string])[]> {
  const { source, read } = await openText(input, file);
  const object = jsonIn((await Array.fromAsync(read())).join(''));
  const pairs = isJsonObject(object) ? Object.entries(object) : null;
  if (pairs === null || pairs.some(([, member]) => typeof member !== 'string'))
    throw new CommandRefused(`${source}: a JSON object of columns and members is expected, such as {"mail": "email"}.`);
  return pairs as [string, string][];
}

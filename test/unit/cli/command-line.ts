/** The command line in this process, on a database in memory: what was typed, what came out. */

import type { Runtime } from '../../../src/boot/runtime.ts';
import type { Input } from '../../../src/cli/input.ts';
import { runCommand } from '../../../src/cli/program.ts';
import { readEnvironment } from '../../../src/config/environment.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import type { Database } from '../../../src/storage/database.ts';
import { openTestDatabase } from '../../support/database.ts';

export type Typed = {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** A person at a terminal, with what they type at each prompt. */
  readonly types?: readonly string[];
};
export type Printed = { readonly status: number; readonly out: string; readonly err: string };

export type CommandLine = {
  readonly runtime: Runtime;
  readonly run: (args: readonly string[], typed?: Typed) => Promise<Printed>;
  readonly close: () => Promise<void>;
};

/** @param opened another database than one in memory. */
export async function openCommandLine(opened?: Database): Promise<CommandLine> {
  const database = opened ?? (await openTestDatabase('embedded')).database;
  const keys = rootKeys(['a root secret of more than 32 bytes']);
  const runtimeOf = (env: NodeJS.ProcessEnv): Runtime => {
    const environment = readEnvironment(env);
    const configuration = loadConfiguration(environment.configFolder, environment.issuer);
    // Commands close what they opened; this one is shared by the tests of a file.
    return { environment, configuration, keys, random: systemRandom, database: { ...database, close: async () => {} } };
  };
  const run: CommandLine['run'] = async (args, { env = {}, stdin = '', types } = {}) => {
    const printed = { out: '', err: '' };
    const output = {
      print: (text: string) => {
        printed.out += text;
      },
      complain: (text: string) => {
        printed.err += text;
      },
    };
    const cli = { env, output, input: inputOf(stdin, types), openRuntime: async () => runtimeOf(env) };
    const status = await runCommand(args, cli);
    return { status, ...printed };
  };
  return { runtime: runtimeOf({}), run, close: database.close };
}

function inputOf(stdin: string | Uint8Array, types: readonly string[] | undefined): Input {
  const left = [...(types ?? [])];
  const bytes = Buffer.from(stdin as string);
  return {
    interactive: types !== undefined,
    readAll: async () => bytes,
    readSecret: async () => left.shift() ?? bytes.toString('utf8').split('\n', 1)[0] ?? '',
    confirm: async () => left.shift() === 'yes',
  };
}

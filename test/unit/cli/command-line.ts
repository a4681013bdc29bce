/** The command line in this process, on a database in memory: its input and its output. */

import { registerCommandLine } from '../../../src/boot/command-line-access.ts';
import type { Runtime } from '../../../src/boot/runtime.ts';
import { beginIdentifiers } from '../../../src/boot/sign-in-addresses.ts';
import { type AppParts, appDeps } from '../../../src/boot/wiring.ts';
import type { ManagementApi } from '../../../src/cli/administration/api.ts';
import { commandsOf } from '../../../src/cli/administration/running-server.ts';
import type { Input } from '../../../src/cli/input.ts';
import { runCommand } from '../../../src/cli/program.ts';
import { withCommandLine } from '../../../src/config/command-line-client.ts';
import { type Environment, readEnvironment } from '../../../src/config/environment.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { keysInDatabase } from '../../../src/crypto/key-source.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import type { RootKeys } from '../../../src/crypto/root-secret.ts';
import { buildApp } from '../../../src/http/app.ts';
import type { Database } from '../../../src/storage/database.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { makeLogger } from '../../../src/system/logger.ts';
import { openTestDatabase } from '../../support/database.ts';
import { injecting } from '../../support/injecting.ts';
import { testKeys } from '../../support/macs.ts';
import { keptMails } from '../../support/mails.ts';

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

/** Where commands do their work: on the database itself, or through a server that runs on it. */
export const ways = ['database', 'server'] as const;
export type Way = (typeof ways)[number];

/** @param opened another database than one in memory. */
export async function openCommandLine(
  opened?: Database,
  way: Way = 'database',
  keys: RootKeys = testKeys,
): Promise<CommandLine> {
  const database = opened ?? (await openTestDatabase('embedded')).database;
  const runtimeOf = (env: NodeJS.ProcessEnv): Runtime => {
    const environment = readEnvironment(env);
    const configuration = loadConfiguration(environment.configFolder, environment.issuer);
    // Commands close what they opened; this one is shared by the tests of a file.
    const keySource = keysInDatabase(keys);
    return {
      environment,
      variables: env,
      configuration,
      keys,
      keySource,
      random: systemRandom,
      database: { ...database, close: async () => {} },
    };
  };
  let configuration = runtimeOf({}).configuration;
  let server: { readonly issuer: string; readonly production: boolean; readonly api: ManagementApi } | null = null;
  // Each registers a secret of its own, so that only the last one is good.
  const serverOf = async ({ issuer, production }: Environment) => {
    if (server?.issuer === issuer && server.production === production) return server.api;
    const current = () => withCommandLine(configuration);
    server = {
      issuer,
      production,
      api: await openServer({ database, keys, issuer, production, configuration: current }),
    };
    return server.api;
  };
  // As an operator's server: it runs before a command is typed.
  if (way === 'server') await serverOf(runtimeOf({}).environment);
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
    const runningServer = async () => {
      if (way === 'database') return null;
      const runtime = runtimeOf(env);
      configuration = runtime.configuration;
      return serverOf(runtime.environment);
    };
    const ways = { runningServer, openRuntime: async () => runtimeOf(env) };
    const cli = { env, output, input: inputOf(stdin, types), ...ways };
    const status = await runCommand(args, cli);
    return { status, ...printed };
  };
  return { runtime: runtimeOf({}), run, close: database.close };
}

/** The real app on the database, and the way of commands to it, without the network. */
async function openServer(
  parts: Pick<AppParts, 'database' | 'keys' | 'issuer' | 'configuration' | 'production'>,
): Promise<ManagementApi> {
  const { trustedProxies, libuvThreads } = readEnvironment({});
  // As the server of an embedded database, whichever it is.
  const database = { ...parts.database, kind: 'embedded' } as const;
  const { keys, issuer } = parts;
  await beginIdentifiers({ database, configuration: parts.configuration() });
  const logger = makeLogger({ level: 'silent', readable: false });
  const deps = await appDeps({
    ...parts,
    database,
    ...{ trustedProxies, libuvThreads, logger },
    random: systemRandom,
    clock: databaseClock,
    lastReload: () => null,
    mail: keptMails(),
  });
  const app = await buildApp(deps);
  const secret = await registerCommandLine({ database, keys, random: systemRandom });
  if (secret === null) throw new Error('The client of the command line is declared.');
  return commandsOf({ origin: issuer, issuer, secret }, injecting(app));
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

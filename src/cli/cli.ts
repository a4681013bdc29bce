/** The ports of every command; tests pass their own. */

import type { Runtime } from '../boot/runtime.ts';
import type { ManagementApi } from './administration/api.ts';
import { type Input, systemInput } from './input.ts';
import { type Output, systemOutput } from './output.ts';

export type Cli = {
  readonly env: NodeJS.ProcessEnv;
  readonly input: Input;
  readonly output: Output;
  /** The management API of the server that runs here, or that the environment names; null: commands go to the database. */
  readonly runningServer: (env: NodeJS.ProcessEnv) => Promise<ManagementApi | null>;
  readonly openRuntime: (env: NodeJS.ProcessEnv) => Promise<Runtime>;
};

/** Loaded when they are used: a command through a running server needs no database, and the other way around. */
export const systemCli: Cli = {
  env: process.env,
  input: systemInput,
  output: systemOutput,
  runningServer: async (env) => (await import('./administration/running-server.ts')).runningServer(env),
  openRuntime: async (env) => (await import('./own-database.ts')).openOwnDatabase(env),
};

/** Runs `use` with database and configuration, and always closes the database, so that the command ends. */
export async function withRuntime<T>(cli: Cli, use: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await cli.openRuntime(cli.env);
  try {
    return await use(runtime);
  } finally {
    await runtime.database.close();
  }
}

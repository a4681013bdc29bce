/** What every command needs; tests pass their own. */

import type { Runtime } from '../boot/runtime.ts';
import { CLIENTS_FILE, type Configuration } from '../config/configuration.ts';
import { commandLine } from '../model/actor.ts';
import { CommandRefused } from './failure.ts';
import { type Input, systemInput } from './input.ts';
import { type Output, systemOutput } from './output.ts';
import { openOwnDatabase } from './own-database.ts';

export type Cli = {
  readonly env: NodeJS.ProcessEnv;
  readonly input: Input;
  readonly output: Output;
  readonly openRuntime: (env: NodeJS.ProcessEnv) => Promise<Runtime>;
};

export const systemCli: Cli = {
  env: process.env,
  input: systemInput,
  output: systemOutput,
  openRuntime: openOwnDatabase,
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

/** The part of the runtime that registration needs. */
export const registrationDeps = ({ database, keys, random }: Runtime) => ({
  db: database.drizzle,
  actor: commandLine,
  keys,
  random,
});

/** A declared client is changed in configuration: the next start would undo any other change. @throws CommandRefused */
export function refuseDeclared({ configuration }: Runtime, clientId: string): void {
  if (isDeclared(configuration, clientId)) {
    throw new CommandRefused(`"${clientId}" is declared in ${CLIENTS_FILE}: change it there. Nothing was changed.`);
  }
}

export const isDeclared = ({ declaredClients }: Configuration, clientId: string): boolean =>
  declaredClients.some(({ record }) => record.client_id === clientId);

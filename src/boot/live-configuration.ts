/**
 * The configuration in force, and its reload: all files are read and checked, declared clients are brought into the database,
 * then the configuration is swapped between two requests. A refused configuration changes nothing.
 */
import type { Logger } from 'pino';
import { changesBetween } from '../config/changes.ts';
import type { Configuration } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load.ts';
import { ConfigurationError } from '../config/problem.ts';
import { configurationFiles } from '../model/actor.ts';
import {
  applyDeclaredClients,
  readDeclaredClients,
  requireClientsFile,
  requireNoSubs,
} from '../registration/declared-clients.ts';
import { listClients } from '../storage/clients.ts';
import type { Runtime } from './runtime.ts';
import { traceOf, watchFolder } from './watch-folder.ts';

export type LiveConfiguration = {
  readonly current: () => Configuration;
  /** @returns false when the files are refused; the previous configuration stays in force. */
  readonly reload: () => Promise<boolean>;
  /** Calls it after each reload that came into force. */
  readonly onReload: (then: () => void) => void;
  /** Reloads when files of the folder change. @returns a function that stops watching. */
  readonly watch: (everyMilliseconds?: number) => () => void;
};

/** @throws ConfigurationError when the first configuration is refused. */
export async function liveConfiguration(
  runtime: Runtime,
  logger: Logger,
  env: NodeJS.ProcessEnv,
): Promise<LiveConfiguration> {
  const { environment } = runtime;
  let current = runtime.configuration;
  let loaded = traceOf(environment.configFolder);
  let then = () => {};
  await bringIntoForce(runtime, current, logger, env);

  const reload = async (): Promise<boolean> => {
    try {
      loaded = traceOf(environment.configFolder);
      const fresh = loadConfiguration(environment.configFolder, environment.issuer);
      await bringIntoForce(runtime, fresh, logger, env);
      const changes = changesBetween(current, fresh);
      current = fresh;
      for (const { key, from, to } of changes) logger.info({ key, from, to }, 'configuration changed');
      logger.info({ changes: changes.length }, 'configuration reloaded');
      then();
      return true;
    } catch (error) {
      logger.error({ err: error }, 'configuration refused; what ran goes on running');
      return false;
    }
  };
  const reloadInTurn = inTurn(reload);
  return {
    current: () => current,
    reload: reloadInTurn,
    onReload: (call) => {
      then = call;
    },
    watch: (everyMilliseconds) =>
      watchFolder(environment.configFolder, loaded, () => void reloadInTurn(), everyMilliseconds),
  };
}

async function bringIntoForce(
  runtime: Runtime,
  configuration: Configuration,
  logger: Logger,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { environment, database, keys, random } = runtime;
  const declared = readDeclaredClients(configuration, env, environment.configFolder, environment.production);
  await requireKnownPolicies(runtime, configuration);
  const deps = { db: database.drizzle, actor: configurationFiles, keys, random };
  await requireClientsFile(deps, configuration, environment.configFolder);
  await requireNoSubs(deps, configuration, environment.configFolder);
  for (const { metadata, warnings } of declared) {
    for (const warning of warnings) logger.warn({ clientId: metadata.clientId, warning }, 'declared client');
  }
  const changes = await applyDeclaredClients(deps, declared);
  for (const { clientId, change, fields } of changes) logger.info({ clientId, change, fields }, 'declared client');
}

/** Checked at once, not only when such a client sends a request. @throws ConfigurationError naming every client without a policy. */
async function requireKnownPolicies({ database, environment }: Runtime, { policies }: Configuration): Promise<void> {
  // A declared client's policy was checked with its declaration, and may be about to change.
  const stored = await listClients(database.drizzle, { declared: false });
  const withoutPolicy = stored.filter(({ policy }) => !policies.has(policy));
  if (withoutPolicy.length === 0) return;
  throw new ConfigurationError(
    environment.configFolder,
    withoutPolicy.map(({ clientId, policy }) => ({
      file: `${policy}.policy.yaml`,
      line: null,
      key: null,
      found: 'no such file',
      allowed: `the policy that the client ${clientId} names`,
      nearest: null,
    })),
  );
}

/** One run at a time; calls during a run share one more run after it. */
function inTurn(work: () => Promise<boolean>): () => Promise<boolean> {
  let running: Promise<boolean> | null = null;
  let next: Promise<boolean> | null = null;
  const run = (): Promise<boolean> => {
    if (running === null) {
      running = work().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running.then(() => {
      next = null;
      return run();
    });
    return next;
  };
  return run;
}

/**
 * The configuration in force, and its reload: all files are read and checked, declared clients are brought into the database,
 * then the configuration is swapped between two requests. A refused configuration changes nothing.
 */
import type { Logger } from 'pino';
import { changesBetween } from '../config/changes.ts';
import { withCommandLine } from '../config/command-line-client.ts';
import type { Configuration } from '../config/configuration.ts';
import type { LastReload } from '../config/last-reload.ts';
import { loadConfiguration } from '../config/load.ts';
import { requireNamedSecrets } from '../config/named-secrets.ts';
import { ConfigurationError, describeProblem, problemOf } from '../config/problem.ts';
import { requireWebhookSecrets } from '../config/webhook-secrets.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { configurationFiles } from '../model/actor.ts';
import { withStoredSecrets } from '../registration/configured-secrets.ts';
import {
  applyDeclaredClients,
  readDeclaredClients,
  requireClientsFile,
  requireNoSubs,
} from '../registration/declared-clients.ts';
import { listClients } from '../storage/clients.ts';
import { hasDemo, withDemoOperator } from './demo-operator.ts';
import { applyRetention } from './ledger.ts';
import type { Runtime } from './runtime.ts';
import { beginIdentifiers } from './sign-in-addresses.ts';
import { traceOf, watchFolder } from './watch-folder.ts';

export type LiveConfiguration = {
  readonly current: () => Configuration;
  /** @returns false when the files are refused; the previous configuration stays in force. */
  readonly reload: () => Promise<boolean>;
  /** Null: none since the start. */
  readonly lastReload: () => LastReload | null;
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
  const { environment, database } = runtime;
  const withDemo = (read: Configuration) => (hasDemo(runtime) ? withDemoOperator(read) : read);
  const asItActs = (read: Configuration): Configuration => ({
    ...withDemo(database.kind === 'embedded' ? withCommandLine(read) : read),
    production: environment.production,
  });
  let current = asItActs(runtime.configuration);
  let loaded = traceOf(environment.configFolder);
  let then = () => {};
  let lastReload: LastReload | null = null;
  /** The files may be valid: the database or another dependency failed. */
  let isUnfinished = false;
  await bringIntoForce(runtime, current, logger, env);

  const reload = async (): Promise<boolean> => {
    const failedBefore = isUnfinished;
    isUnfinished = false;
    try {
      loaded = traceOf(environment.configFolder);
      const fresh = asItActs(loadConfiguration(environment.configFolder, environment.issuer));
      await bringIntoForce(runtime, fresh, logger, env);
      const changes = changesBetween(current, fresh);
      current = fresh;
      for (const { key, from, to } of changes) logger.info({ key, from, to }, 'configuration changed');
      logger.info({ changes: changes.length }, 'configuration reloaded');
      lastReload = { at: new Date(), accepted: true, changes, problems: [] };
      then();
      return true;
    } catch (error) {
      lastReload = { at: new Date(), accepted: false, changes: [], problems: problemsOf(error) };
      isUnfinished = !(error instanceof ConfigurationError);
      if (!isUnfinished)
        logger.error({ err: error }, 'configuration rejected; the previous configuration stays in force');
      // A retry runs every second, and only the first failure is logged.
      else if (!failedBefore) logger.error({ err: error }, 'reload failed; the server retries every second');
      return false;
    }
  };
  const reloadInTurn = inTurn(reload);
  return {
    current: () => current,
    lastReload: () => lastReload,
    reload: reloadInTurn,
    onReload: (call) => {
      then = call;
    },
    watch: (everyMilliseconds) =>
      watchFolder(
        environment.configFolder,
        loaded,
        () => void reloadInTurn(),
        everyMilliseconds,
        () => isUnfinished,
      ),
  };
}

/** Only the log has failures that are no fault of the files. */
const problemsOf = (error: unknown): readonly string[] =>
  error instanceof ConfigurationError
    ? error.problems.map(describeProblem)
    : ['The reload failed; the log of this node says why.'];

async function bringIntoForce(
  runtime: Runtime,
  configuration: Configuration,
  logger: Logger,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { environment, database, keys, random } = runtime;
  const variables = await withStoredSecrets({ db: database.drizzle, keys }, env);
  const declared = readDeclaredClients(configuration, variables, environment.configFolder, environment.production);
  requireNamedSecrets(configuration, variables, environment.configFolder);
  requireWebhookSecrets(configuration, variables, environment.configFolder);
  await requireKnownPolicies(runtime, configuration);
  const deps = { db: database.drizzle, macs: rowMacs(keys), actor: configurationFiles, keys, random };
  await requireClientsFile(deps, configuration, environment.configFolder);
  await requireNoSubs(deps, configuration, environment.configFolder);
  for (const { metadata, warnings } of declared) {
    for (const warning of warnings) logger.warn({ clientId: metadata.clientId, warning }, 'declared client');
  }
  await applyRetention(runtime, configuration, logger);
  await beginIdentifiers({ database, configuration });
  const changes = await applyDeclaredClients(deps, declared);
  for (const { clientId, change, fields } of changes) logger.info({ clientId, change, fields }, 'declared client');
}

/** Checked at the reload, before such a client sends a request. @throws ConfigurationError naming every client without a policy. */
async function requireKnownPolicies({ database, environment }: Runtime, { policies }: Configuration): Promise<void> {
  // A declared client's policy was checked with its declaration, and may be about to change.
  const stored = await listClients(database.drizzle, null, { declared: false });
  const withoutPolicy = stored.filter(({ policy }) => !policies.has(policy));
  if (withoutPolicy.length === 0) return;
  throw new ConfigurationError(
    environment.configFolder,
    withoutPolicy.map(({ clientId, policy }) =>
      problemOf(`${policy}.policy.yaml`, null, 'no such file', `the policy that the client ${clientId} names`),
    ),
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

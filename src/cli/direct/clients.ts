/** Clients, on the database itself. */
import { isDeepStrictEqual } from 'node:util';
import type { Runtime } from '../../boot/runtime.ts';
import { makeClientSecret, storedSecretMac } from '../../crypto/client-secret.ts';
import { type ClientChange, secretIdOf } from '../../lifecycles/client.ts';
import { administerClient } from '../../registration/administration.ts';
import { type ReadClient, readClientMetadata, toNames } from '../../registration/client-metadata.ts';
import type { Reading } from '../../registration/record-problem.ts';
import { applyClientPlan, ClientIdIsSub, type ClientPlan, planClient } from '../../registration/register-client.ts';
import { findClient, listClients } from '../../storage/clients.ts';
import { accepted } from '../accepted.ts';
import { withoutSecrets } from '../client-words.ts';
import { differs, noSuch } from '../failure.ts';
import { IS_DECLARED, NEEDS_ID } from '../import-records.ts';
import type { ClientChanged, Clients } from '../ports.ts';
import { doneOrRefused } from './administered.ts';
import { type Importing, importDirectly } from './import.ts';
import { isDeclared, refuseDeclared, registrationDeps } from './registration.ts';

export function directClients(runtime: Runtime): Clients {
  const { configuration, environment, keys, random } = runtime;
  const db = runtime.database.drizzle;
  const deps = registrationDeps(runtime);
  const read = (record: unknown) =>
    accepted('client', readClientMetadata(record, configuration, environment.production));
  const administer = async (clientId: string, change: ClientChange) =>
    doneOrRefused(await administerClient(deps, clientId, { change }), clientId);

  return {
    list: async () => (await listClients(db, deps.macs)).map(withoutSecrets),
    find: async (clientId) => {
      const client = await findClient(db, deps.macs, clientId);
      return client && withoutSecrets(client);
    },
    create: async (record) => {
      const { value, warnings } = read(record);
      if (value.clientId !== null) refuseDeclared(runtime, value.clientId);
      const plan = await planClient(deps, value);
      if (plan.outcome === 'updated') throw differs('client', plan.changed);
      await applyClientPlan(deps, plan);
      return changed(plan, warnings);
    },
    update: async (clientId, given, unset) => {
      refuseDeclared(runtime, clientId);
      const stored = await findClient(db, deps.macs, clientId);
      if (!stored) throw noSuch('client', clientId);
      const kept = Object.entries(toNames(stored)).filter(([name]) => !unset.includes(name));
      const { value, warnings } = read({ ...Object.fromEntries(kept), ...given, client_id: clientId });
      const plan = await planClient(deps, value);
      // What somebody else changes meanwhile would be overwritten with what was read before.
      await applyClientPlan(deps, plan, ({ client }) => isDeepStrictEqual(client, stored));
      return changed(plan, warnings);
    },
    rotateSecret: async (clientId, keepPrevious) => {
      refuseDeclared(runtime, clientId);
      const secret = makeClientSecret(random);
      const named = { id: random.bytes(6).toString('base64url'), createdAt: new Date().toISOString() };
      const type = keepPrevious ? 'secretRequested' : 'secretReplacementRequested';
      await administer(clientId, { type, secret: { ...storedSecretMac(keys, secret), ...named } });
      return secret;
    },
    endPreviousSecret: async (clientId) => {
      refuseDeclared(runtime, clientId);
      const [oldest] = (await findClient(db, deps.macs, clientId))?.secretMacs ?? [];
      await administer(clientId, { type: 'secretRemovalRequested', secretId: oldest ? secretIdOf(oldest) : '' });
    },
    remove: async (clientId) => {
      refuseDeclared(runtime, clientId);
      await administer(clientId, { type: 'deletionRequested' });
    },
    import: async (records) => ({ done: await importDirectly(importing, records, runtime), stopped: null }),
  };
}

const changed = ({ outcome, changed, registration, madeSecret }: ClientPlan, warnings: readonly string[]) =>
  ({ outcome, changed, client: withoutSecrets(registration), madeSecret, warnings }) satisfies ClientChanged;

type NamedClient = ReadClient & { readonly clientId: string };

const importing: Importing<NamedClient, ClientPlan> = {
  idField: 'client_id',
  read: readNamedClient,
  keyOf: (client) => client.clientId,
  plan: (runtime, client) => planClient(registrationDeps(runtime), client),
  apply: (runtime, plan) => applyClientPlan(registrationDeps(runtime), plan),
  nameOf: (plan) => plan.registration.clientId,
  warningsOf: () => [],
  made: ({ madeSecret }) => (madeSecret === null ? {} : { client_secret: madeSecret }),
  wordsOf: (error) => (error instanceof ClientIdIsSub ? error.message : null),
};

function readNamedClient(input: unknown, { configuration, environment }: Runtime): Reading<NamedClient> {
  const reading = readClientMetadata(input, configuration, environment.production);
  if (!reading.ok) return reading;
  const { clientId } = reading.value;
  if (clientId !== null && isDeclared(configuration, clientId)) {
    return { ok: false, problems: [IS_DECLARED] };
  }
  if (clientId !== null) return { ...reading, value: { ...reading.value, clientId } };
  return { ok: false, problems: [NEEDS_ID] };
}

/** The client, as administrators register, change and delete it. Requests of clients only read it. */
import { isDeepStrictEqual } from 'node:util';
import type { ClientContext, ClientEvent, ClientState } from '../../../machines/client/facts.ts';
import { clientMachine } from '../../../machines/client/machine.ts';
import type { AdministrationRejectReason } from '../../../machines/shared/facts.ts';
import { type Commit, type CommitStore, insert, replacement, tableOf, type Write } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import type { Actor } from '../../model/actor.ts';
import { type ClientRegistration, hasSecret, type RegisteredClient, type SecretMac } from '../../model/client.ts';

/** A registration, with its sender. */
export type SentRegistration = ClientRegistration & Pick<RegisteredClient, 'declared' | 'registeredBy'>;

/** A row of `clients`, or its absence. */
export type ClientRow = { readonly clientId: string; readonly client: RegisteredClient | null };

/** The version of a row, which every write to it changes; null: no row. */
export type RowVersion = string | null;

export type LoadedClient = { readonly now: Date; readonly row: ClientRow; readonly version: RowVersion };

const CLIENTS = tableOf<RegisteredClient & { readonly version?: RowVersion }>('clients');

export type ClientStore = {
  readonly load: (clientId: string) => Promise<LoadedClient>;
  readonly commit: CommitStore;
};

/** A change that an administrator requests. */
export type ClientChange =
  | { readonly type: 'registrationRequested'; readonly registration: SentRegistration }
  | { readonly type: 'secretRequested' | 'secretReplacementRequested'; readonly secret: SecretMac }
  | { readonly type: 'secretRemovalRequested'; readonly secretId: string }
  | { readonly type: 'deletionRequested' };

export type ClientFacts = {
  readonly now: Date;
  readonly version: RowVersion;
  readonly actor: Actor;
  readonly change: ClientChange;
  /** The names of the fields in which a registration differs from the stored one. */
  readonly fields: readonly string[];
};

export const clientState = ({ client }: ClientRow): ClientState => {
  if (client === null) return 'unregistered';
  return client.deletedAt === null ? 'registered' : 'deleted';
};

/** The names of the fields that differ, as in a record. */
export const differingFields = (client: RegisteredClient | null, registration: SentRegistration): readonly string[] =>
  Object.entries(registration)
    .filter(([key, value]) => !isDeepStrictEqual(client?.[key as keyof SentRegistration], value))
    .map(([key]) => (key === 'secretMacs' ? 'client_secret' : snakeCase(key)))
    .toSorted();

/** As records write it: `redirectUris` → `redirect_uris`. */
const snakeCase = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The name of a secret that its client was registered with. */
export const FIRST_SECRET = 'first';
export const secretIdOf = ({ id }: SecretMac): string => id ?? FIRST_SECRET;

export const clientLifecycle: Lifecycle<ClientRow, ClientFacts, Commit> = {
  machine: clientMachine,
  stateOf: clientState,
  contextOf: ({ client }): ClientContext => ({
    isDeclared: client?.declared ?? false,
    isConfidential: client !== null && hasSecret(client),
    secretIds: client?.secretMacs.map(secretIdOf) ?? [],
  }),
  answers: {},
  changes: {
    registerClient: asSent,
    replaceRegistration: asSent,
    addSecret: (row, facts) => withSecrets(row, (live) => [...live, ...sentSecret(facts)]),
    replaceSecrets: (row, facts) => withSecrets(row, () => sentSecret(facts)),
    // One secret, also where several that were stored by the version before have no name.
    removeSecret: (row, { change }) =>
      withSecrets(row, (live) => live.filter((mac) => mac !== live.find((one) => names(change, one)))),
    deleteClient: (row, { now }) => changed(row, () => ({ deletedAt: now, secretMacs: [] })),
    raiseEpoch: (row) => changed(row, ({ epoch }) => ({ epoch: epoch + 1n })),
  },
  ledgerFacts: ({ clientId, client }, { actor, fields }) => ({
    clientId,
    policy: client?.policy ?? null,
    actor,
    fields,
  }),
  commitOf: ({ before, after: { client } }, { now, version }, entries) => {
    if (client === null || entries.length === 0)
      throw new InvariantViolation('client: a commit needs a client and a ledger entry');
    return { now, requires: [], writes: [clientWrite(before.client, client, version)], entries };
  },
};

/** While the row is as it was loaded. @param version of the loaded row. */
export const clientWrite = (before: RegisteredClient | null, after: RegisteredClient, version: RowVersion): Write =>
  before === null
    ? insert(CLIENTS, after, [{ clientId: after.clientId }])
    : replacement(CLIENTS, { ...before, version }, { ...after, version }, 'clientId', ['version']);

function asSent({ clientId, client }: ClientRow, { change }: ClientFacts): ClientRow {
  if (change.type !== 'registrationRequested') throw new InvariantViolation('client: nothing was sent to register');
  return { clientId, client: { ...change.registration, clientId, epoch: client?.epoch ?? 0n, deletedAt: null } };
}

const changed = (row: ClientRow, change: (client: RegisteredClient) => Partial<RegisteredClient>): ClientRow =>
  row.client === null ? row : { ...row, client: { ...row.client, ...change(row.client) } };

const withSecrets = (row: ClientRow, make: (live: readonly SecretMac[]) => readonly SecretMac[]): ClientRow =>
  changed(row, ({ secretMacs }) => ({ secretMacs: make(secretMacs) }));

const sentSecret = ({ change }: ClientFacts): readonly SecretMac[] => ('secret' in change ? [change.secret] : []);

const names = (change: ClientChange, mac: SecretMac): boolean =>
  change.type === 'secretRemovalRequested' && secretIdOf(mac) === change.secretId;

export type ClientAsked = {
  readonly actor: Actor;
  readonly change: ClientChange;
  /** Whether the stored client is the one that the request expects. Absent: the request accepts any. */
  readonly expects?: (row: ClientRow) => boolean;
};

export type ClientChanged =
  /** `client`: as it is stored now. `before`: as it was; null: it was not registered. `fields`: those that a registration changed. */
  | {
      readonly kind: 'done';
      readonly client: RegisteredClient;
      readonly before: RegisteredClient | null;
      readonly fields: readonly string[];
    }
  | { readonly kind: 'rejected'; readonly reason: AdministrationRejectReason };

const eventOf = (
  change: ClientChange,
  fields: readonly string[],
  asked: Pick<ClientEvent, 'expectationHolds' | 'byConfiguration'>,
): ClientEvent => {
  const { type } = change;
  if (type === 'registrationRequested') return { type, ...asked, differing: fields };
  return type === 'secretRemovalRequested' ? { type, ...asked, secretId: change.secretId } : { type, ...asked };
};

/** A client that describes itself, as an event of another lifecycle. */
export const registrationBy = (actor: Actor, row: ClientRow, registration: SentRegistration) => {
  const change = { type: 'registrationRequested', registration } as const;
  const fields = clientState(row) === 'registered' ? differingFields(row.client, registration) : [];
  const asked = { expectationHolds: true, byConfiguration: false };
  return { facts: { actor, change, fields }, event: eventOf(change, fields, asked) };
};

/** A client that deletes itself, as an event of another lifecycle. */
export const deletionBy = (actor: Actor) => {
  const change = { type: 'deletionRequested' } as const;
  const asked = { expectationHolds: true, byConfiguration: false };
  return { facts: { actor, change, fields: [] }, event: eventOf(change, [], asked) };
};

export const clientRequest = ({
  actor,
  change,
  expects = () => true,
}: ClientAsked): Request<LoadedClient, ClientRow, ClientFacts, Commit, ClientChanged> => ({
  lifecycle: clientLifecycle,
  read: ({ now, row, version }) => {
    const isRegistration = change.type === 'registrationRequested' && clientState(row) === 'registered';
    const fields = isRegistration ? differingFields(row.client, change.registration) : [];
    const asked = { expectationHolds: expects(row), byConfiguration: actor.kind === 'configuration' };
    return { row, facts: { now, version, actor, change, fields }, event: eventOf(change, fields, asked) };
  },
  answer: (step, _, { fields }) => {
    const rejected = rejectionIn<AdministrationRejectReason>(step);
    if (rejected) return rejected;
    const {
      before,
      after: { client },
    } = step;
    if (client === null) throw new InvariantViolation('client: a request that was not rejected left no client');
    return { kind: 'done', client, before: clientState(before) === 'registered' ? before.client : null, fields };
  },
  isIn: ({ row: { client } }, { after }) => isDeepStrictEqual(client, after.client),
});

export type ClientPorts = Sleeping & {
  readonly clients: ClientStore;
};

/** @throws Unavailable */
export const changeClient = (
  { clients, sleep }: ClientPorts,
  clientId: string,
  asked: ClientAsked,
): Promise<ClientChanged> =>
  run({ load: () => clients.load(clientId), commit: clients.commit, sleep }, clientRequest(asked));

/**
 * The registration of a client that registered itself. Its lifecycle sends `registrationRequested` and `deletionRequested` to the client, so
 * that a registration and the client that it is about are one commit.
 */
import { isDeepStrictEqual } from 'node:util';
import type {
  AuthenticationStrength,
  ClientRegistrationContext,
  ClientRegistrationEvent,
  ClientRegistrationRejectReason,
} from '../../../machines/client-registration/facts.ts';
import { clientRegistrationMachine } from '../../../machines/client-registration/machine.ts';
import type { Commit, CommitStore } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import { type Client, hasSecret, provesKey, type RegisteredClient } from '../../model/client.ts';
import { type BesideFacts, byItself, clientBeside, commitBeside } from '../client/beside.ts';
import { type ClientRow, deletionBy, registrationBy, type SentRegistration } from '../client/lifecycle.ts';
import { CLIENT_REGISTRATIONS, type StoredRegistration } from './entity.ts';

/** Null: nothing is stored. */
export type ClientRegistrationRow = ClientRow & { readonly registration: StoredRegistration | null };

export type LoadedClientRegistration = ClientRegistrationRow & BesideFacts & { readonly othersStored: number };

/** The rules of this server about clients that register themselves. Null: none may. */
export type SelfRegistrationRules = {
  readonly mostStored: number;
  /** The time that a client stays without a sign-in. */
  readonly unusedSeconds: number;
} | null;

type ClientRegistrationFacts = BesideFacts & {
  readonly rules: SelfRegistrationRules;
  readonly othersStored: number;
  /** Of the registration access token that is made with the registration. Null: none is made. */
  readonly tokenHash: Uint8Array | null;
  /** As the metadata say. Null: none were sent. */
  readonly sent: SentRegistration | null;
};

export type ClientRegistrationStore = {
  readonly load: (clientId: string) => Promise<LoadedClientRegistration>;
  readonly commit: CommitStore;
};

const clientOf = clientBeside<ClientRegistrationRow>();

const strengthOf = (client: Pick<Client, 'tokenEndpointAuthMethod'>): AuthenticationStrength => {
  if (provesKey(client)) return 2;
  return hasSecret(client) ? 1 : 0;
};

const endIn = ({ rules, now }: Pick<ClientRegistrationFacts, 'rules' | 'now'>): Date =>
  new Date(now.getTime() + (rules?.unusedSeconds ?? 0) * 1000);

const changed = (row: ClientRegistrationRow, change: Partial<StoredRegistration>): ClientRegistrationRow => {
  if (row.registration === null) throw new InvariantViolation('clientRegistration: nothing is stored to change');
  return { ...row, registration: { ...row.registration, ...change } };
};

export const clientRegistrationLifecycle: Lifecycle<ClientRegistrationRow, ClientRegistrationFacts, Commit> = {
  machine: clientRegistrationMachine,
  stateOf: ({ registration }) => registration?.state ?? 'unregistered',
  contextOf: ({ registration, client }, { rules, othersStored }): ClientRegistrationContext => ({
    isOn: rules !== null,
    isVetted: client !== null && client.registeredBy === 'operator',
    isDeleted: client !== null && client.deletedAt !== null,
    strength: client === null ? 0 : strengthOf(client),
    unusedUntil: registration?.unusedUntil.getTime() ?? null,
    othersStored,
    mostStored: rules?.mostStored ?? 0,
  }),
  answers: {
    registrationRequested: ['storeRegistration', 'reject'],
    readRequested: ['showClient', 'reject'],
    changeRequested: ['showClient', 'reject'],
    deletionRequested: ['endRegistration', 'reject'],
  },
  changes: {
    storeRegistration: (row, facts) => {
      const { now, tokenHash } = facts;
      if (tokenHash === null) throw new InvariantViolation('clientRegistration: a registration without a token');
      const { clientId } = row;
      const registration = { clientId, state: 'unused', tokenHash, createdAt: now, unusedUntil: endIn(facts) } as const;
      return { ...row, registration };
    },
    extendRegistration: (row, facts) => changed(row, { state: 'used', unusedUntil: endIn(facts) }),
    endRegistration: (row, { now }) => changed(row, { state: 'ended', unusedUntil: now }),
  },
  sends: {
    describeClient: ({ clientId, client }, { now, version, sent }) => {
      if (sent === null) throw new InvariantViolation('clientRegistration: no metadata were sent');
      const { facts, event } = registrationBy(byItself(clientId), { clientId, client }, sent);
      return { lifecycle: clientOf, facts: { now, version, ...facts }, event };
    },
    endClient: ({ clientId }, { now, version }) => {
      const { facts, event } = deletionBy(byItself(clientId));
      return { lifecycle: clientOf, facts: { now, version, ...facts }, event };
    },
  },
  // The state, and each change of the client, are in the ledger. Its end is not.
  notAudited: ['extendRegistration'],
  ledgerFacts: ({ clientId }) => ({ clientId, actor: byItself(clientId) }),
  violation: ({ before, after }) =>
    after.registration?.state !== 'ended' &&
    before.client !== null &&
    (after.client?.epoch !== before.client.epoch || after.client.deletedAt !== before.client.deletedAt)
      ? 'a registration ended grants of its client'
      : null,
  commitOf: ({ before, after }, facts, entries) =>
    commitBeside(
      { before, after },
      {
        table: CLIENT_REGISTRATIONS,
        before: before.registration,
        after: after.registration,
        asLoaded: ['state', 'unusedUntil'],
        mostStored: facts.rules?.mostStored ?? 0,
        fewEnough: 'few enough registrations are stored',
      },
      facts,
      entries,
    ),
};

// Requests.

export type RegistrationAnswer =
  | {
      readonly kind: 'done';
      readonly client: RegisteredClient | null;
      readonly registration: StoredRegistration | null;
    }
  | { readonly kind: 'rejected'; readonly reason: ClientRegistrationRejectReason };

type RegistrationRequest = Request<
  LoadedClientRegistration,
  ClientRegistrationRow,
  ClientRegistrationFacts,
  Commit,
  RegistrationAnswer
>;

/** Whether this is the hash of the token that the request presents. */
export type IsPresented = (tokenHash: Uint8Array) => boolean;

const request = (
  rules: SelfRegistrationRules,
  make: (loaded: LoadedClientRegistration) => {
    readonly event: ClientRegistrationEvent;
    readonly tokenHash?: Uint8Array;
    readonly sent?: SentRegistration;
  },
): RegistrationRequest => ({
  lifecycle: clientRegistrationLifecycle,
  read: (loaded) => {
    const { clientId, registration, client, now, version, othersStored } = loaded;
    const { event, tokenHash = null, sent = null } = make(loaded);
    const facts = { rules, now, version, othersStored, tokenHash, sent };
    return { row: { clientId, registration, client }, facts, event };
  },
  answer: (step) => {
    const { client, registration } = step.after;
    return rejectionIn<ClientRegistrationRejectReason>(step) ?? { kind: 'done', client, registration };
  },
  // A change leaves the state as it was, so only the client shows it.
  isIn: (loaded, { after }) =>
    after.registration !== null &&
    loaded.registration?.state === after.registration.state &&
    isDeepStrictEqual(loaded.client, after.client),
});

/** @param sent with an id that no client has. */
export const registerItself = (
  rules: SelfRegistrationRules,
  sent: SentRegistration,
  tokenHash: Uint8Array,
): RegistrationRequest => request(rules, () => ({ event: { type: 'registrationRequested' }, tokenHash, sent }));

/** An end-user signed in to the client. */
export const authorizeRegistered = (rules: SelfRegistrationRules): RegistrationRequest =>
  request(rules, ({ now }) => ({ event: { type: 'authorized', until: endIn({ rules, now }).getTime() } }));

const isRight = ({ registration }: LoadedClientRegistration, isPresented: IsPresented): boolean =>
  registration !== null && isPresented(registration.tokenHash);

export const readRegistration = (isPresented: IsPresented): RegistrationRequest =>
  request(null, (loaded) => ({ event: { type: 'readRequested', tokenIsRight: isRight(loaded, isPresented) } }));

/** @param sentFor the metadata as sent, with the secrets that the client keeps. */
export const changeRegistration = (
  rules: SelfRegistrationRules,
  isPresented: IsPresented,
  sentFor: (client: RegisteredClient | null) => SentRegistration,
): RegistrationRequest =>
  request(rules, (loaded) => {
    const sent = sentFor(loaded.client);
    const tokenIsRight = isRight(loaded, isPresented);
    return { event: { type: 'changeRequested', tokenIsRight, strength: strengthOf(sent) }, sent };
  });

export const deleteRegistration = (isPresented: IsPresented): RegistrationRequest =>
  request(null, (loaded) => ({ event: { type: 'deletionRequested', tokenIsRight: isRight(loaded, isPresented) } }));

export type ClientRegistrationPorts = Sleeping & { readonly clientRegistrations: ClientRegistrationStore };

/** @throws Unavailable */
export const askClientRegistration = (
  { clientRegistrations, sleep }: ClientRegistrationPorts,
  clientId: string,
  asked: RegistrationRequest,
): Promise<RegistrationAnswer> =>
  run({ load: () => clientRegistrations.load(clientId), commit: clientRegistrations.commit, sleep }, asked);

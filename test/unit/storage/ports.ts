/** A database with clients, people and grants, made the way the server makes them. */

import { randomBytes, randomUUID } from 'node:crypto';
import { asc, eq, getTableColumns, or } from 'drizzle-orm';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import type { GrantStore, HeadMove, Revocation } from '../../../src/lifecycles/grant/lifecycle.ts';
import type {
  Approval,
  InteractionMove,
  InteractionStore,
  NewInteraction,
  StoredInteraction,
} from '../../../src/lifecycles/interaction/lifecycle.ts';
import type { SessionStore } from '../../../src/lifecycles/session/lifecycle.ts';
import type { ClientRegistration } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import type { Session } from '../../../src/model/session.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import type { Drizzle } from '../../../src/storage/database.ts';
import { grantStore } from '../../../src/storage/grant-store.ts';
import { interactionStore } from '../../../src/storage/interaction-store.ts';
import { interactions as interactionTable, transitions } from '../../../src/storage/schema.ts';
import { sessionStore } from '../../../src/storage/sessions.ts';
import { findUserForSignIn } from '../../../src/storage/users.ts';
import { insertUser, saveClient } from '../../support/administration.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { type DatabaseKind, openTestDatabase } from '../../support/database.ts';
import { testClients, testMacs } from '../../support/macs.ts';

export type Ports = {
  readonly db: Drizzle;
  readonly clock: TestClock;
  readonly grants: GrantStore;
  readonly interactions: InteractionStore;
  readonly sessions: SessionStore;
  /** Null on the embedded database. */
  readonly url: string | null;
  readonly close: () => Promise<void>;
};

export async function openPorts(kind: DatabaseKind): Promise<Ports> {
  const { database, url, close } = await openTestDatabase(kind);
  const db = database.drizzle;
  const clock = testClock();
  return {
    db,
    clock,
    url,
    close,
    grants: grantStore(db, clock, testClients),
    interactions: interactionStore(db, clock, testMacs, testClients),
    sessions: sessionStore(db, clock, testMacs),
  };
}

const SCOPE = ['read', 'write'];
const RESOURCES = ['https://api.example'];
const LATER_MILLISECONDS = 60_000;
const later = (instant: Date) => new Date(instant.getTime() + LATER_MILLISECONDS);

export function registration(clientId: string): ClientRegistration {
  return {
    ...DEFAULT_METADATA,
    clientId,
    clientName: `Client ${clientId}`,
    tokenEndpointAuthMethod: 'client_secret_basic',
    secretMacs: [{ keyId: '00000000', mac: 'ab' }],
    redirectUris: ['https://client.example/callback'],
    grantTypes: ['authorization_code', 'refresh_token'],
  };
}

export async function givenClient({ db }: Ports): Promise<string> {
  const clientId = `client-${randomUUID()}`;
  await saveClient(db, registration(clientId));
  return clientId;
}

export type Person = { readonly id: string; readonly username: string };

export async function givenUser({ db }: Ports): Promise<Person> {
  const user = { id: randomUUID(), username: `user-${randomUUID()}` };
  await insertUser(db, { ...user, passwordHash: storedPasswordHash('none'), claims: {} });
  return user;
}

export const SESSION_LIFETIME_SECONDS = 600;

/** The user signs in now. */
export async function givenSession({ db, sessions }: Ports, { username }: Person): Promise<Session> {
  const user = await findUserForSignIn(db, username);
  if (!user) throw new Error(`unknown user: ${username}`);
  const { id: userId, epoch: userEpoch, serverEpoch } = user;
  const idHash = randomBytes(32);
  const signedIn = { idHash, sid: randomUUID(), userId, userEpoch, serverEpoch, amr: ['pwd'], userAgent: null };
  await sessions.insert({ ...signedIn, state: 'active', lifetimeSeconds: SESSION_LIFETIME_SECONDS });
  const { session } = await sessions.load({ idHash });
  if (!session) throw new Error('the session is not there');
  return session;
}

export type Asked = Partial<NewInteraction>;

async function newInteraction(ports: Ports, clientId: string, asked: Asked): Promise<NewInteraction> {
  const { client } = await ports.grants.loadClient(clientId);
  if (!client) throw new Error(`unknown client: ${clientId}`);
  return {
    id: randomUUID(),
    browserHash: randomBytes(32),
    clientId,
    clientEpoch: client.epoch,
    redirectUri: 'https://client.example/callback',
    dpopJkt: null,
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    scope: SCOPE,
    resources: RESOURCES,
    requestState: 'xyz',
    nonce: null,
    prompt: [],
    maxAgeSeconds: null,
    requiredClass: null,
    hintedUserId: null,
    loginHint: null,
    uiLocales: [],
    responseMode: 'query',
    lifetimeSeconds: LATER_MILLISECONDS / 1000,
    ...asked,
  };
}

/** An authorization request without a user yet, and without a row. */
export async function givenRequest(
  ports: Ports,
  clientId: string,
  asked: Asked = {},
  userId: string | null = null,
): Promise<StoredInteraction> {
  const { lifetimeSeconds, ...interaction } = await newInteraction(ports, clientId, asked);
  const createdAt = ports.clock.now();
  const requested = { ...interaction, createdAt, endsAt: new Date(createdAt.getTime() + lifetimeSeconds * 1000) };
  const loaded = await ports.interactions.load({ id: requested.id, requested }, userId);
  if (!loaded) throw new Error('a request was not loaded');
  return loaded;
}

/** The same in a row, as nodes of the version before store it. */
export async function givenInteraction(ports: Ports, clientId: string, asked: Asked = {}): Promise<string> {
  const { interaction } = await givenRequest(ports, clientId, asked);
  await ports.db.insert(interactionTable).values({
    ...interaction,
    browserHash: Buffer.from(interaction.browserHash),
    scope: [...interaction.scope],
    resources: [...interaction.resources],
    uiLocales: [...interaction.uiLocales],
    prompt: [...interaction.prompt],
  });
  return interaction.id;
}

export const loadInteraction = ({ interactions }: Ports, id: string, userId: string | null = null) =>
  interactions.load({ id, requested: null }, userId);

/** The engine's commit when `session` approves the interaction. */
export async function approvalOf(
  ports: Ports,
  given: string | StoredInteraction,
  session: Session,
  change: Partial<Approval> = {},
): Promise<Approval> {
  const { clock } = ports;
  const facts = typeof given === 'string' ? await loadInteraction(ports, given, session.userId) : given;
  if (!facts) throw new Error('unknown interaction');
  const { interaction, isStored } = facts;
  return {
    loaded: interaction,
    isStored,
    grantAlone: false,
    now: clock.now(),
    to: 'approved',
    userId: session.userId,
    session,
    scope: interaction.scope,
    codeHash: randomBytes(32),
    codeEndsAt: later(clock.now()),
    policy: 'default',
    consentRow: facts.consentRow ?? null,
    endsAt: later(clock.now()),
    reliesOn: null,
    remembers: false,
    consentsEndedUpTo: null,
    identity: { nonce: null, authTime: 0, sid: session.sid, amr: session.amr },
    entry: {
      machine: 'interaction',
      event: 'consented',
      from: interaction.state,
      to: 'approved',
      reason: null,
      generation: null,
    },
    ...change,
  };
}

export const approve = ({ interactions }: Ports, approval: Approval): Promise<boolean> =>
  interactions.commit({ kind: 'approve', approval });
export const moveInteraction = ({ interactions }: Ports, move: InteractionMove): Promise<boolean> =>
  interactions.commit({ kind: 'move', move });
export const moveHead = ({ grants }: Pick<Ports, 'grants'>, move: HeadMove): Promise<boolean> =>
  grants.commit({ kind: 'moveHead', move });
export const revoke = ({ grants }: Pick<Ports, 'grants'>, revocation: Revocation): Promise<boolean> =>
  grants.commit({ kind: 'revoke', revocation });

export type Granted = { readonly clientId: string; readonly person: Person; readonly grantId: string };

/** An approved grant, whose code waits. */
export async function givenGrant(ports: Ports): Promise<Granted> {
  const clientId = await givenClient(ports);
  const person = await givenUser(ports);
  const session = await givenSession(ports, person);
  const approval = await approvalOf(ports, await givenInteraction(ports, clientId), session);
  if (!(await approve(ports, approval))) throw new Error('not approved');
  return { clientId, person, grantId: approval.loaded.id };
}

export async function loadGrant({ grants }: Ports, { clientId, grantId }: Granted): Promise<Grant> {
  const { grant } = await grants.load({ clientId, grantId });
  if (!grant) throw new Error('unknown grant');
  return grant;
}

/** The next move of the head that `loaded` shows: an exchange, or a rotation. */
export function nextMove({ clock }: Ports, loaded: Grant): HeadMove {
  const generation = loaded.refreshGeneration === null ? 0n : loaded.refreshGeneration + 1n;
  const machine = loaded.refreshGeneration === null ? 'authorizationCode' : 'refreshToken';
  return {
    loaded,
    now: clock.now(),
    generation,
    nonce: randomBytes(16),
    chainEndsAt: later(clock.now()),
    endsAt: later(clock.now()),
    policy: 'default',
    entry: { machine, event: 'presented', from: 'active', to: 'used', reason: null, generation },
  };
}

/** The engine's commit when a used refresh token is presented. */
export function reuseOf({ clock }: Ports, { id: grantId, clientId, refreshGeneration: generation }: Grant): Revocation {
  const reason = 'refresh_token_reused';
  return {
    grantId,
    clientId,
    now: clock.now(),
    reason,
    policy: 'default',
    entries: [
      { machine: 'refreshToken', event: 'presented', from: 'used', to: 'revoked', reason, generation },
      { machine: 'grant', event: 'refreshTokenReused', from: 'active', to: 'revoked', reason, generation },
    ],
  };
}

/** In a line about a grant, an interaction or a session that an end-user or a client moved. */
export const NOBODY_ASKED = {
  userId: null,
  actor: null,
  addressHash: null,
  fields: null,
  address: null,
  accountHash: null,
  begunSessionId: null,
  userAgent: null,
};

const { recordedIn: _, position: __, recordedOn: ___, ...SAID } = getTableColumns(transitions);

/** The ledger's lines about one grant, interaction or session, oldest first. */
export const ledgerOf = ({ db }: Ports, id: string) =>
  db
    .select(SAID)
    .from(transitions)
    .where(or(eq(transitions.grantId, id), eq(transitions.interactionId, id), eq(transitions.sessionId, id)))
    .orderBy(asc(transitions.at), asc(transitions.machine));

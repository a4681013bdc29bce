/**
 * The facts behind a commit: each fact that a guarded statement reads again, changed by another connection after the decision was made.
 * Where the change is committed first, no row may be written. Where it is under way in a transaction that stays open, the commit has to
 * wait for it if the fact is held (`for share`, `for update`), and must then see it. Each line changes one fact, past the triggers.
 * So no other fact covers for it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/crypto/random.ts';
import { storedRecoveryCode } from '../../src/crypto/recovery-code.ts';
import { clientWrite } from '../../src/lifecycles/client/lifecycle.ts';
import {
  type Brought,
  bringToExternalSignIn,
  type SoughtUser,
} from '../../src/lifecycles/external-sign-in/lifecycle.ts';
import type { Approval } from '../../src/lifecycles/interaction/lifecycle.ts';
import { linkedIdentityFacts } from '../../src/lifecycles/linked-identity/table.ts';
import { MAX_PASSKEYS } from '../../src/lifecycles/passkey/entity.ts';
import { askPasskey, type PasskeyAsked, registerPasskey } from '../../src/lifecycles/passkey/lifecycle.ts';
import { passkeyFacts } from '../../src/lifecycles/passkey/table.ts';
import { askSecondFactor, type SecondFactorAsked } from '../../src/lifecycles/second-factor/lifecycle.ts';
import { addFactor, type ProvenFactor } from '../../src/lifecycles/session/lifecycle.ts';
import { passTime, requestRotation } from '../../src/lifecycles/signing-key/lifecycle.ts';
import { askTrustedBrowser, beginTrust } from '../../src/lifecycles/trusted-browser/lifecycle.ts';
import { userWrite } from '../../src/lifecycles/user/lifecycle.ts';
import { theServer } from '../../src/model/actor.ts';
import { type Bytes, sameBytes } from '../../src/model/grant.ts';
import type { Session } from '../../src/model/session.ts';
import { NO_PARAMETERS } from '../../src/people/external/begin.ts';
import { sealSecret } from '../../src/people/second-factor/secret.ts';
import { clientStore } from '../../src/storage/client-store.ts';
import { externalSignInStore } from '../../src/storage/external-sign-ins.ts';
import { passkeyStore, recoveryCodeStore, secondFactorStore, trustedBrowserStore } from '../../src/storage/factors.ts';
import { clients, linkedIdentities, passkeys, secondFactors } from '../../src/storage/schema.ts';
import { userStore } from '../../src/storage/user-store.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { testKeys, testMacs } from '../support/macs.ts';
import { keysOf } from '../support/signing-keys.ts';
import { pastTriggers } from '../support/unheld.ts';
import {
  approvalOf,
  approve,
  givenClient,
  givenRequest,
  givenSession,
  givenUser,
  openPorts,
  type Person,
  type Ports,
  SESSION_LIFETIME_SECONDS,
} from '../unit/storage/ports.ts';

let ports: Ports;
/** Its statements pass the triggers. */
let other: postgres.Sql;
beforeAll(async () => {
  ports = await openPorts('postgres');
  other = postgres(pastTriggers(ports.url ?? ''), { max: 2, connection: { session_replication_role: 'replica' } });
});
afterAll(async () => {
  await other?.end();
  await ports?.close();
});

/** One that a lifecycle has decided, and did not send. */
type Decided = { readonly send: () => Promise<boolean> };
type Change<Subject> = (sql: postgres.Sql | postgres.TransactionSql, subject: Subject) => Promise<unknown>;
type Case<Subject extends Decided> = {
  readonly decide: () => Promise<Subject>;
  /** The commit waits for such a change. */
  readonly held?: Readonly<Record<string, Change<Subject>>>;
  readonly read?: Readonly<Record<string, Change<Subject>>>;
};

class NotSent extends Error {}

/** Runs a request until its commit, which is kept back. */
async function decided<Commit>(
  store: { readonly commit: (commit: Commit) => Promise<boolean> },
  request: (commit: (commit: Commit) => Promise<boolean>) => Promise<unknown>,
): Promise<Decided> {
  let kept: { readonly commit: Commit } | null = null;
  await request(async (commit) => {
    kept = { commit };
    throw new NotSent();
  }).catch((error: unknown) => {
    if (!(error instanceof NotSent)) throw error;
  });
  if (kept === null) throw new Error('nothing was to be committed');
  const { commit } = kept as { readonly commit: Commit };
  return { send: () => store.commit(commit) };
}

const sleep = async () => {};

const disable: Change<{ readonly person: Person }> = (sql, { person }) =>
  sql`update users set disabled_at = now() where id = ${person.id}`;
const signOutEverywhere: Change<{ readonly person: Person }> = (sql, { person }) =>
  sql`update users set epoch = epoch + 1 where id = ${person.id}`;

// Factors.

const factorsOf = () => secondFactorStore(ports.db, ports.clock);
const passkeysOf = () => passkeyStore(ports.db, ports.clock, testMacs);

async function givenApp({ id: userId }: Person, state: 'active' | 'unconfirmed' = 'active'): Promise<string> {
  const id = randomUUID();
  const sealedSecret = sealSecret({ keys: testKeys, random: systemRandom }, { id, userId }, 'JBSWY3DPEHPK3PXP');
  await factorsOf().insertApp({ id, userId, sealedSecret });
  if (state === 'active') {
    const confirmed = { state, lastStep: 1n as never, confirmedAt: ports.clock.now() } as const;
    await ports.db.update(secondFactors).set(confirmed).where(eq(secondFactors.id, id));
  }
  return id;
}
async function givenPasskey({ id: userId }: Person): Promise<string> {
  const row = { id: randomUUID(), userId, credentialId: randomBytes(16), publicKey: randomBytes(77), macVersion: 0n };
  const rest = { state: 'active', name: 'key', counter: 1, backupEligible: false, transports: [] } as const;
  const mac = testMacs.macOf(...passkeyFacts(row));
  await ports.db.insert(passkeys).values({ ...row, ...rest, mac, createdAt: ports.clock.now() });
  return row.id;
}
async function givenUsedCode({ id: userId }: Person): Promise<string> {
  const id = randomUUID();
  await recoveryCodeStore(ports.db, ports.clock).insert(userId, [
    { id, hash: storedRecoveryCode(testKeys, userId, randomUUID()) },
  ]);
  await other`update recovery_codes set state = 'used', ended_at = now() where id = ${id}`;
  return id;
}
const trustOf = () => trustedBrowserStore(ports.db, ports.clock, testMacs);
const LIFETIME = { lifetimeSeconds: 600, proofIsDemanded: false } as const;
const newTrust = async (person: Person, factorId: string) => {
  const { userEpoch, serverEpoch } = await givenSession(ports, person);
  const secretHash = randomBytes(32);
  return { id: randomUUID(), userId: person.id, userEpoch, serverEpoch, factorId, userAgent: null, secretHash };
};
async function givenTrust(person: Person, factor?: string): Promise<string> {
  const browser = await newTrust(person, factor ?? (await givenApp(person)));
  await beginTrust({ trustedBrowsers: trustOf(), sleep }, browser, LIFETIME);
  return browser.id;
}
const GIVEN: Readonly<Record<ProvenFactor['kind'], (person: Person) => Promise<string>>> = {
  secondFactor: givenApp,
  passkey: givenPasskey,
  recoveryCode: givenUsedCode,
  trustedBrowser: givenTrust,
};
const GONE: Readonly<
  Record<ProvenFactor['kind'], (sql: postgres.Sql | postgres.TransactionSql, id: string) => Promise<unknown>>
> = {
  secondFactor: (sql, id) =>
    sql`update second_factors set state = 'removed', sealed_secret = null, removed_at = now() where id = ${id}`,
  passkey: (sql, id) =>
    sql`update passkeys set state = 'removed', public_key = null, removed_at = now() where id = ${id}`,
  recoveryCode: (sql, id) => sql`delete from recovery_codes where id = ${id}`,
  trustedBrowser: (sql, id) =>
    sql`update trusted_browsers set state = 'ended', secret_hash = null, ended_at = now() where id = ${id}`,
};
const KINDS = Object.keys(GIVEN) as ProvenFactor['kind'][];

type WithFactor = Decided & { readonly person: Person; readonly factor: ProvenFactor; readonly session: Session };

const ofSessions = (kind: ProvenFactor['kind']) => ({
  [`a further factor of a session: ${kind}`]: {
    decide: async () => {
      const person = await givenUser(ports);
      const factor = { kind, id: await GIVEN[kind](person) };
      const session = await givenSession(ports, person);
      const added = { factor, amr: ['pwd', 'otp', 'mfa'], idHash: randomBytes(32) };
      const lifetimes = () => ({ sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS });
      const { load } = ports.sessions;
      const commit = await decided(ports.sessions, (keep) =>
        addFactor({ sessions: { load, commit: keep }, lifetimes, sleep }, session, added),
      );
      return { ...commit, person, factor, session };
    },
    held: {
      'the factor was removed': (sql, { factor }) => GONE[kind](sql, factor.id),
      'the session ended': (sql, { session }) =>
        sql`update sessions set state = 'ended', ended_reason = 'signed_out' where sid = ${session.sid}`,
      'another factor came first': (sql, { session }) =>
        sql`update sessions set mac_version = mac_version + 1 where sid = ${session.sid}`,
      'its cookie was renewed': (sql, { session }) =>
        sql`update sessions set id_hash = ${randomBytes(32)} where sid = ${session.sid}`,
    },
    read: {
      'its time is over': async () => ports.clock.advanceSeconds(SESSION_LIFETIME_SECONDS),
    },
  } satisfies Case<WithFactor>,
  [`a sign-in by a factor: ${kind}`]: {
    decide: async () => {
      const person = await givenUser(ports);
      const factor = { kind, id: await GIVEN[kind](person) };
      const session = await givenSession(ports, person);
      const { userId, userEpoch, serverEpoch, amr, userAgent } = session;
      const facts = { userId, userEpoch, serverEpoch, amr, userAgent, state: 'active' as const };
      const another = { ...facts, idHash: randomBytes(32), sid: randomUUID(), lifetimeSeconds: 60, factor };
      return { person, factor, session, send: async () => (await ports.sessions.insert(another)) !== null };
    },
    held: { 'the factor was removed': (sql, { factor }) => GONE[kind](sql, factor.id) },
  } satisfies Case<WithFactor>,
});

const usesOfSessions = {
  'the use of a session': {
    decide: async () => {
      const person = await givenUser(ports);
      const session = await givenSession(ports, person);
      const commit = { kind: 'recordUse', loaded: session, now: ports.clock.now() } as const;
      return { person, session, send: () => ports.sessions.commit(commit) };
    },
    held: {
      'the session ended': (sql, { session }) =>
        sql`update sessions set state = 'ended', ended_reason = 'signed_out' where sid = ${session.sid}`,
      'its cookie was renewed': (sql, { session }) =>
        sql`update sessions set id_hash = ${randomBytes(32)} where sid = ${session.sid}`,
    },
  } satisfies Case<Decided & { readonly session: Session }>,
};

type OfFactor = Decided & { readonly person: Person; readonly id: string; readonly beside: string };

const deciding =
  (asked: SecondFactorAsked, given: { readonly state?: 'unconfirmed'; readonly beside?: ProvenFactor['kind'] }) =>
  async (): Promise<OfFactor> => {
    const person = await givenUser(ports);
    const id = await givenApp(person, given.state);
    const beside = given.beside === undefined ? '' : await GIVEN[given.beside](person);
    const store = factorsOf();
    const commit = await decided(store, (keep) =>
      askSecondFactor({ secondFactors: { load: store.load, commit: keep }, sleep }, { userId: person.id, id }, asked),
    );
    return { ...commit, person, id, beside };
  };
const decidingPasskey =
  (asked: PasskeyAsked, given: { readonly beside?: ProvenFactor['kind'] } = {}) =>
  async (): Promise<OfFactor> => {
    const person = await givenUser(ports);
    const id = await givenPasskey(person);
    const beside = given.beside === undefined ? '' : await GIVEN[given.beside](person);
    const store = passkeysOf();
    const commit = await decided(store, (keep) =>
      askPasskey({ passkeys: { load: store.load, commit: keep }, sleep }, { userId: person.id, id }, asked),
    );
    return { ...commit, person, id, beside };
  };
const decidingRegistration = (byPasswordAlone: boolean) => async (): Promise<OfFactor> => {
  const person = await givenUser(ports);
  const passkey = {
    ...{ id: randomUUID(), userId: person.id, name: 'another', credentialId: randomBytes(16) },
    ...{ publicKey: randomBytes(77), counter: 0, backupEligible: false, transports: [] },
  };
  const store = passkeysOf();
  const commit = await decided(store, (keep) =>
    registerPasskey({ passkeys: { loadNew: store.loadNew, commit: keep }, sleep }, passkey, byPasswordAlone),
  );
  return { ...commit, person, id: passkey.id, beside: '' };
};
const stepOf = () => 2;
const appRemoved: Change<OfFactor> = (sql, { id }) => GONE.secondFactor(sql, id);
const passkeyRemoved: Change<OfFactor> = (sql, { id }) => GONE.passkey(sql, id);
const besideRemoved =
  (kind: ProvenFactor['kind']): Change<OfFactor> =>
  (sql, { beside }) =>
    GONE[kind](sql, beside);
const removal = { type: 'removalRequested', isDemanded: true } as const;
const anotherApp: Change<OfFactor> = (sql, { person }) =>
  sql`insert into second_factors (id, user_id, state, sealed_secret, created_at, last_step, confirmed_at)
    values (${randomUUID()}, ${person.id}, 'active', 'sealed', now(), 1, now())`;

const ofFactors: Readonly<Record<string, Case<OfFactor>>> = {
  'a code of an app': {
    decide: deciding({ type: 'presented', stepOf }, {}),
    held: {
      'the app was removed': appRemoved,
      'its step was used': (sql, { id }) => sql`update second_factors set last_step = 2 where id = ${id}`,
    },
  },
  'the confirmation of an app by the password alone': {
    decide: deciding({ type: 'confirmed', stepOf, byPasswordAlone: true }, { state: 'unconfirmed' }),
    held: { 'the set-up was replaced': appRemoved },
    read: { 'another factor came first': anotherApp },
  },
  'the removal of an app, beside a passkey': {
    decide: deciding(removal, { beside: 'passkey' }),
    held: { 'the app was removed': appRemoved, 'the other was removed': besideRemoved('passkey') },
  },
  'a signature of a passkey': {
    decide: decidingPasskey({ type: 'presented', counter: 2 }),
    held: {
      'the passkey was removed': passkeyRemoved,
      'another signature came first': (sql, { id }) => sql`update passkeys set counter = 2 where id = ${id}`,
    },
  },
  'the removal of a passkey, beside an app': {
    decide: decidingPasskey(removal, { beside: 'secondFactor' }),
    held: { 'the passkey was removed': passkeyRemoved, 'the other was removed': besideRemoved('secondFactor') },
  },
  'the removal of a passkey, beside a password': {
    decide: decidingPasskey({ type: 'removalRequested' }),
    held: {
      'the passkey was removed': passkeyRemoved,
      // The row of the end-user is locked first.
      'the password was removed': (sql, { person }) => sql`update users set password_hash = '' where id = ${person.id}`,
    },
  },
  'the registration of a passkey by the password alone': {
    decide: decidingRegistration(true),
    held: { 'the end-user was disabled': disable },
    read: { 'another factor came first': anotherApp },
  },
  'the registration of a passkey': {
    decide: decidingRegistration(false),
    read: {
      'there are as many as there may be': async (_, { person }) => {
        for (let count = 0; count < MAX_PASSKEYS; count++) await givenPasskey(person);
      },
    },
  },
};

// Trusted browsers.

const ofTrust: Readonly<Record<string, Case<OfFactor>>> = {
  'the trust of a browser': {
    decide: async () => {
      const person = await givenUser(ports);
      const beside = await givenApp(person);
      const browser = await newTrust(person, beside);
      const store = trustOf();
      const commit = await decided(store, (keep) =>
        beginTrust({ trustedBrowsers: { ...store, commit: keep }, sleep }, browser, LIFETIME),
      );
      return { ...commit, person, id: browser.id, beside };
    },
    held: {
      'the factor was removed': besideRemoved('secondFactor'),
      'the end-user was disabled': disable,
      'the end-user got another password': signOutEverywhere,
    },
  },
  'a sign-in in a trusted browser': {
    decide: async () => {
      const person = await givenUser(ports);
      const beside = await givenApp(person);
      const id = await givenTrust(person, beside);
      const store = trustOf();
      const commit = await decided(store, (keep) =>
        askTrustedBrowser(
          { trustedBrowsers: { ...store, commit: keep }, sleep },
          { userId: person.id, id },
          { type: 'presented', ...LIFETIME },
        ),
      );
      return { ...commit, person, id, beside };
    },
    held: {
      'the trust ended': (sql, { id }) => GONE.trustedBrowser(sql, id),
      'the factor was removed': besideRemoved('secondFactor'),
      'the end-user was disabled': disable,
      'the end-user got another password': signOutEverywhere,
    },
  },
};

// Federated and delegated sign-ins.

type Elsewhere = Decided & { readonly person: Person; readonly id: string; readonly identityId: string };

async function givenAnswer(kind: 'delegated' | 'upstream'): Promise<Elsewhere> {
  const person = await givenUser(ports);
  const store = externalSignInStore(ports.db, ports.clock, testMacs);
  const [id, referenceHash, browserHash] = [randomUUID(), randomBytes(32), randomBytes(32)];
  const identity = { issuer: 'https://idp.example', subject: randomUUID() };
  const identityId = randomUUID();
  const row = { id: identityId, userId: person.id, ...identity, macVersion: 0n };
  await ports.db.insert(linkedIdentities).values({
    ...row,
    ...{ provider: 'idp', state: 'active', linkedAt: ports.clock.now() },
    mac: testMacs.macOf(...linkedIdentityFacts(row)),
  });
  await store.insert({
    ...{ id, referenceHash, kind, purpose: 'signIn', provider: 'idp', browserHash, requested: NO_PARAMETERS },
    ...{ interactionId: null, interactionEndsAt: null, sealedInteraction: null, sealedSecrets: null, userId: null },
    lifetimeSeconds: 600,
  });
  const theirs = { amr: ['pwd'], authenticatedAt: ports.clock.now() };
  const bring = (
    sought: SoughtUser,
    commit: typeof store.commit,
    brought: Partial<Brought> & Pick<Brought, 'type' | 'browser'>,
  ) =>
    bringToExternalSignIn({ externalSignIns: { load: store.load, commit }, sleep }, referenceHash, sought, {
      actor: theServer,
      ids: { user: randomUUID(), identity: randomUUID() },
      sameBytes: (one: Bytes, another: Bytes) => sameBytes(one, another),
      theirs,
      ...brought,
    });
  const answer =
    kind === 'delegated'
      ? ([{ by: 'sub', sub: person.id }, { browser: 'none' }] as const)
      : ([
          { by: 'signIn', identity: null },
          { browser: browserHash, isWithoutUser: true },
        ] as const);
  await bring(answer[0], store.commit, { type: 'answerReceived', ...answer[1] });
  const sought =
    kind === 'delegated' ? ({ by: 'signIn', identity: null } as const) : ({ by: 'identity', identity } as const);
  const decision = await decided(store, (keep) =>
    bring(sought, keep, {
      type: 'browserReturned',
      browser: browserHash,
      ...(kind === 'upstream' && { identity: { ...identity, provider: 'idp' } }),
    }),
  );
  return { ...decision, person, id, identityId };
}

const OF_USER = { 'the end-user was disabled': disable, 'the end-user signed out everywhere': signOutEverywhere };
const LATER: Change<Elsewhere> = (sql, { id }) => sql`
  insert into external_sign_ins (id, reference_hash, kind, purpose, provider, browser_hash, wishes, state, began_at, ends_at, user_id, amr, authenticated_at)
  select ${randomUUID()}, ${randomBytes(32)}, kind, purpose, provider, browser_hash, wishes, 'used', began_at + interval '1 second', ends_at,
    ${randomUUID()}::uuid, '{pwd}', now() from external_sign_ins where id = ${id}`;
const SETTLED: Change<Elsewhere> = (sql, { id }) =>
  sql`update external_sign_ins set state = 'denied', refusal = 'access_denied' where id = ${id}`;

const ofExternalSignIns: Readonly<Record<string, Case<Elsewhere>>> = {
  'a delegated sign-in': {
    decide: () => givenAnswer('delegated'),
    held: { ...OF_USER, 'it was settled': SETTLED },
    read: { 'a later one of the same browser has signed in': LATER },
  },
  'a sign-in at an identity provider': {
    decide: () => givenAnswer('upstream'),
    held: {
      ...OF_USER,
      'it was settled': SETTLED,
      'the identity was removed': (sql, { identityId }) =>
        sql`update linked_identities set state = 'removed', removed_at = now(), removed_reason = 'removed_by_user' where id = ${identityId}`,
    },
    read: { 'a later one of the same browser has signed in': LATER },
  },
};

// Approvals.

type Approving = Decided & { readonly person: Person; readonly clientId: string; readonly session: Session };

/** A second approval of a client that the end-user has allowed before. */
async function givenApproval(change: Partial<Approval>): Promise<Approving> {
  const [person, clientId] = [await givenUser(ports), await givenClient(ports)];
  const session = await givenSession(ports, person);
  const first = await approvalOf(ports, await givenRequest(ports, clientId, {}, person.id), session, {
    remembers: true,
  });
  if (!(await approve(ports, first))) throw new Error('not approved');
  const approval = await approvalOf(ports, await givenRequest(ports, clientId, {}, person.id), session, change);
  return { person, clientId, session, send: () => approve(ports, approval) };
}
const signedOut: Change<Approving> = (sql, { session }) =>
  sql`update sessions set state = 'ended', ended_reason = 'signed_out' where sid = ${session.sid}`;

const OF_CONSENT: Pick<Case<Approving>, 'held' | 'read'> = {
  held: {
    'the end-user signed out': signedOut,
    'the consent was forgotten': (sql, { person }) => sql`delete from consents where user_id = ${person.id}`,
    'the consent was narrowed': (sql, { person }) =>
      sql`update consents set scope = '{read}' where user_id = ${person.id}`,
    'the consent is of another epoch of the end-user': (sql, { person }) =>
      sql`update consents set user_epoch = user_epoch - 1 where user_id = ${person.id}`,
    'the consent is of another epoch of the client': (sql, { person }) =>
      sql`update consents set client_epoch = client_epoch - 1 where user_id = ${person.id}`,
    'the consent is for another resource': (sql, { person }) =>
      sql`update consents set resources = '{https://other.example}' where user_id = ${person.id}`,
  },
  read: {
    'the end-user was disabled': disable,
    'the end-user signed out everywhere': signOutEverywhere,
    'the client was deleted': (sql, { clientId }) =>
      sql`update clients set deleted_at = now() where client_id = ${clientId}`,
    'the client is of another epoch': (sql, { clientId }) =>
      sql`update clients set epoch = epoch + 1 where client_id = ${clientId}`,
  },
};

/** Beside that of another end-user, with which it would share a statement. */
async function givenApprovals(change: Partial<Approval>): Promise<Approving> {
  const [subject, other] = [await givenApproval(change), await givenApproval(change)];
  return { ...subject, send: () => Promise.all([subject.send(), other.send()]).then(([sent]) => sent) };
}

const ofApprovals: Readonly<Record<string, Case<Approving>>> = {
  'an approval that relies on a consent': { decide: () => givenApproval({ reliesOn: 'consent' }), ...OF_CONSENT },
  'an approval without a page': {
    decide: () => givenApproval({ reliesOn: 'consent', grantAlone: true }),
    ...OF_CONSENT,
  },
  'an approval without a page, beside another': {
    decide: () => givenApprovals({ reliesOn: 'consent', grantAlone: true }),
    ...OF_CONSENT,
  },
};

const ofApprovalsWithoutAsking: Readonly<Record<string, Case<Approving>>> = {
  'an approval that relies on the registration of the client': {
    decide: async () => {
      const decided = await givenApproval({ reliesOn: 'registration' });
      await ports.db.update(clients).set({ consent: 'skip' }).where(eq(clients.clientId, decided.clientId));
      return decided;
    },
    held: { 'the end-user signed out': signedOut },
    read: {
      'an operator requires consent again': (sql, { clientId }) =>
        sql`update clients set consent = 'ask' where client_id = ${clientId}`,
    },
  },
};

// Administration.

const ofAdministration = {
  'a change of an end-user': {
    decide: async () => {
      const person = await givenUser(ports);
      const store = userStore(ports.db, ports.clock, testMacs);
      const { row, version, now } = await store.load(person.id, null);
      if (row.user === null) throw new Error('no user');
      const entry = { machine: 'user', event: 'changeRequested', from: 'enabled', to: 'enabled' } as const;
      const after = { ...row.user, claims: { name: 'Ada' } };
      const entries = [{ ...entry, reason: null, generation: null, userId: person.id }];
      const writes = [userWrite(row.user, after, version)] as const;
      return { person, send: () => store.commit({ now, requires: [], writes, entries }) };
    },
    held: {
      'the end-user was disabled': disable,
      'the end-user signed out everywhere': signOutEverywhere,
      'another change came first': (sql, { person }) => sql`update users set claims = '{}' where id = ${person.id}`,
    },
  } satisfies Case<Decided & { readonly person: Person }>,
  'a change of a client': {
    decide: async () => {
      const clientId = await givenClient(ports);
      const store = clientStore(ports.db, ports.clock, testMacs);
      const { row, version, now } = await store.load(clientId);
      if (row.client === null) throw new Error('no client');
      const entry = { machine: 'client', event: 'changeRequested', from: 'enabled', to: 'enabled' } as const;
      const after = { ...row.client, clientName: 'another' };
      const entries = [{ ...entry, reason: null, generation: null, clientId }];
      const writes = [clientWrite(row.client, after, version)] as const;
      return { clientId, send: () => store.commit({ now, requires: [], writes, entries }) };
    },
    held: {
      'the client was deleted': (sql, { clientId }) =>
        sql`update clients set deleted_at = now() where client_id = ${clientId}`,
      'another change came first': (sql, { clientId }) =>
        sql`update clients set redirect_uris = '{}' where client_id = ${clientId}`,
    },
  } satisfies Case<Decided & { readonly clientId: string }>,
  'a concurrent rotation of a signing key': {
    decide: async () => {
      const keys = keysOf(ports.db, ports.clock);
      await passTime(keys);
      return decided(keys.store, (commit) =>
        requestRotation({ ...keys, store: { ...keys.store, commit } }, 'ES256', true, theServer),
      );
    },
    held: {
      'the key was revoked': (sql) =>
        sql`update signing_keys set state = 'retired', private_jwe = null, retired_at = now(), retired_reason = 'revocation_requested'
          where state = 'signing'`,
    },
  } satisfies Case<Decided>,
};

const CASES: Readonly<Record<string, Case<never>>> = {
  ...Object.assign({}, ...KINDS.map(ofSessions)),
  ...usesOfSessions,
  ...ofFactors,
  ...ofTrust,
  ...ofExternalSignIns,
  ...ofApprovals,
  ...ofApprovalsWithoutAsking,
  ...ofAdministration,
};

const isWaiting = async (): Promise<boolean> => (await other.unsafe(lockWaits())).length > 0;

describe.each(Object.entries(CASES) as unknown as [string, Case<Decided>][])(
  '%s',
  (_, { decide, held = {}, read = {} }) => {
    it('is written while every fact is unchanged', async () => {
      expect(await (await decide()).send()).toBe(true);
    });

    it.each(Object.entries({ ...held, ...read }))('is not written once %s', async (_, change) => {
      const subject = await decide();
      await change(other, subject);
      expect(await subject.send()).toBe(false);
    });

    it.each(Object.entries(held))('waits while %s in a transaction that stays open, and sees it', async (_, change) => {
      const subject = await decide();
      const sent = await other.begin(async (open) => {
        await change(open, subject);
        let isDone = false;
        const sending = subject.send().finally(() => {
          isDone = true;
        });
        while (!isDone && !(await isWaiting()));
        return { sending };
      });
      expect(await sent.sending).toBe(false);
    });
  },
);

/** The consent is written only as it was loaded, and with the approval, for any outcome of the approval. */
describe('a consent that an approval would widen', () => {
  const consentOf = ({ id }: Person) => other`select * from consents where user_id = ${id}`;
  const ASKED = { remembers: true, scope: ['read', 'write', 'print'] };

  it('is widened while every fact is unchanged', async () => {
    const subject = await givenApproval(ASKED);
    expect(await subject.send()).toBe(true);
    expect((await consentOf(subject.person))[0]?.['scope']).toEqual(ASKED.scope);
  });

  it.each<[string, Change<Approving>]>([
    ['was forgotten', (sql, { person }) => sql`delete from consents where user_id = ${person.id}`],
    [
      'was forgotten and given again',
      (sql, { person }) => sql`update consents set id = ${randomUUID()} where user_id = ${person.id}`,
    ],
    [
      'was changed',
      (sql, { person }) =>
        sql`update consents set scope = '{read}', mac_version = mac_version + 1 where user_id = ${person.id}`,
    ],
    ['belongs to an end-user who has signed out', signedOut],
  ])('is not widened once it %s', async (_, change) => {
    const subject = await givenApproval(ASKED);
    await change(other, subject);
    const before = await consentOf(subject.person);
    await subject.send();
    expect(await consentOf(subject.person)).toEqual(before);
  });
});

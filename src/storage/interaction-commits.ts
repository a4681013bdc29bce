/**
 * The commits of interactions: the move, and the approval together with its grant. The first move of an interaction inserts it
 * (docs/decisions/0026). An approval without a page inserts its grant alone (docs/decisions/0077), and shares a statement with others
 * (shared-approvals.ts). Each statement is prepared once: building and planning it took longer than running it.
 */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Approval, InteractionCommit, InteractionMove } from '../lifecycles/interaction/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { batched } from './batches.ts';
import { bound } from './bound.ts';
import { consentAfter } from './consents.ts';
import type { Drizzle } from './database.ts';
import { committing, writing } from './failures.ts';
import { ledgerColumns } from './ledger.ts';
import { type Approved, newGrant } from './new-grant.ts';
import { fixedOrNow } from './now.ts';
import { isStillPushed, spending, spentValues } from './pushed-requests.ts';
import { clients, consents, grants, interactions, server, sessions, transitions, users } from './schema.ts';
import { selectionFor, valuesOf } from './selection.ts';
import { approvalLists, prepareApprovals } from './shared-approvals.ts';
import { areSpread } from './spread-databases.ts';

/** @returns `commit` of the InteractionStore. */
export function interactionCommits(
  db: Drizzle,
  clock: Clock,
  macs: RowMacs,
): (commit: InteractionCommit) => Promise<boolean> {
  const moveOf = moves(db);
  const statementOf = approvals(db);
  const spend = builtOnce(() => prepareSpending(db));
  const approve = (approval: Approval) =>
    committing(() =>
      statementOf(approval).execute({ ...approvalValues(macs, approval), committedAt: fixedOrNow(clock) }),
    );
  const shared = (reliesOn: NonNullable<Approval['reliesOn']>) => {
    const statement = prepareApprovals(db, reliesOn);
    return batched<Approval, boolean>({
      name: 'approve',
      alone: approve,
      together: async (all) => {
        const values = approvalLists(all.map((approval) => approvalValues(macs, approval)));
        const rows = await writing(() => statement.execute({ ...values, committedAt: fixedOrNow(clock) }));
        const granted = new Set(rows.map(({ grantId }) => grantId));
        // One that made no grant is sent again alone: its session or consent may only have been locked.
        return all.map(({ loaded }) => granted.has(loaded.id) || undefined);
      },
      keyOf: ({ loaded }) => loaded.id,
      writes: true,
    });
  };
  const approveTogether = { consent: shared('consent'), registration: shared('registration') };
  return (commit) => {
    if (commit.kind === 'move') {
      const committedAt = fixedOrNow(clock);
      return committing(() => moveOf(commit.move).execute({ ...moveValues(commit.move), committedAt }));
    }
    if (commit.kind === 'spend') {
      const { loaded, now } = commit.spent;
      const values = { id: loaded.id, now: now.toISOString(), ...spentValues(commit.spent) };
      return committing(() => spend(SPEND, null).execute(values));
    }
    const { approval } = commit;
    const { grantAlone, reliesOn, spends } = approval;
    const isShared = grantAlone && reliesOn !== null && !spends && !areSpread(db);
    return isShared ? approveTogether[reliesOn](approval) : approve(approval);
  };
}

/** Each is built when it is needed. */
function builtOnce<Shape, Statement>(build: (shape: Shape, name: string) => Statement) {
  const built = new Map<string, Statement>();
  return (name: string, shape: Shape): Statement => {
    const statement = built.get(name) ?? build(shape, name);
    built.set(name, statement);
    return statement;
  };
}

const SPEND = 'spend_pushed_request';
const prepareSpending = (db: Drizzle) => {
  const [spent, recorded] = spending(db, sql`true`);
  return db.with(spent, recorded).select({ machine: recorded.machine }).from(recorded).prepare(SPEND);
};

type MoveShape = {
  readonly isStored: boolean;
  /** The step answers the client, and spends the request that it pushed. */
  readonly spends: boolean;
};

function moves(db: Drizzle) {
  const moveOf = builtOnce((shape: MoveShape, name) => prepareMove(db, shape, name));
  return ({ isStored, spends }: Pick<InteractionMove, 'isStored' | 'spends'>) =>
    moveOf(`${isStored ? 'move' : 'store'}_interaction${spends ? '_spending' : ''}`, { isStored, spends: !!spends });
}

type ApprovalShape = Pick<Approval, 'reliesOn'> & {
  /** `alone`: the interaction has no row, and gets none. */
  readonly interaction: 'stored' | 'unstored' | 'alone';
  readonly remembers: 'first' | 'again' | null;
  readonly spends: boolean;
};

/** A statement for each shape: a part that an approval does not need would still cost its time. */
function approvals(db: Drizzle) {
  const approvalOf = builtOnce((shape: ApprovalShape, name) => prepareApproval(db, shape, name));
  return ({ isStored, grantAlone, reliesOn, consentRow, ...approval }: Approval) => {
    const interaction = isStored ? 'stored' : grantAlone ? 'alone' : 'unstored';
    const remembers = approval.remembers ? (consentRow === null ? 'first' : 'again') : null;
    const spends = approval.spends !== undefined;
    const parts = [
      `approve_${interaction}`,
      ...(reliesOn ? [`relying_on_${reliesOn}`] : []),
      ...(remembers ? [`remembering_${remembers}`] : []),
      ...(spends ? ['spending'] : []),
    ];
    return approvalOf(parts.join('_'), { interaction, reliesOn, remembers, spends });
  };
}

/** The interaction as it was requested, in the state that it moves to. */
const REQUESTED = valuesOf(interactions, bound);
const AS_REQUESTED = selectionFor(interactions, REQUESTED);

/** The row is still as the machine saw it. */
const stillAsLoaded = and(
  sql`${interactions.id} = ${bound('id', 'uuid')}`,
  sql`${interactions.state} = ${bound('loadedState', 'text')}`,
  sql`${interactions.userId} is not distinct from ${bound('loadedUserId', 'uuid')}`,
);

/** An approval without a page leaves only its grant. */
const isNotGranted = sql`not exists (select 1 from ${grants} where ${grants.id} = ${bound('id', 'uuid')})`;
const isNotStored = sql`not exists (select 1 from ${interactions} where ${interactions.id} = ${bound('id', 'uuid')})`;

const inTimeFor = (end: string): SQL => sql`${bound('committedAt', 'timestamptz')} < ${bound(end, 'timestamptz')}`;

function prepareMove(db: Drizzle, { isStored, spends }: MoveShape, name: string) {
  const returned = { id: interactions.id, clientId: interactions.clientId };
  const moved = db.$with('moved').as(
    isStored
      ? db
          .update(interactions)
          .set({ state: bound('state', 'text'), userId: bound('userId', 'uuid') })
          .where(and(stillAsLoaded, spends ? isStillPushed : undefined))
          .returning(returned)
      : db
          .insert(interactions)
          .select(
            db
              .select(AS_REQUESTED)
              .from(clients)
              // After its end, the row may have been removed: storing it then would begin the interaction again.
              .where(
                and(
                  eq(clients.clientId, bound('clientId', 'text')),
                  inTimeFor('endsAt'),
                  isNotGranted,
                  spends ? isStillPushed : undefined,
                ),
              ),
          )
          // Where a row is there already, another request was first.
          .onConflictDoNothing({ target: interactions.id })
          .returning(returned),
  );
  return db
    .with(moved, ...(spends ? spending(db, sql`exists (select from ${moved})`) : []))
    .insert(transitions)
    .select(db.select(ledgerOf(sql`${moved.id}`, { clientId: sql`${moved.clientId}` })).from(moved))
    .returning({ interactionId: transitions.interactionId })
    .prepare(name);
}

/**
 * One statement approves the interaction (or stores it as approved, or leaves it without a row) and inserts its grant (and so its code).
 * The statement also remembers the consent, and writes the ledger entry. It commits only while the epochs of client, user and server are
 * as loaded and the session is active. Where the end-user was not asked, the earlier consent must stand too, or the registration that
 * makes asking needless. A disable or a sign-out in between wins.
 */
function prepareApproval(db: Drizzle, { interaction, reliesOn, remembers, spends }: ApprovalShape, name: string) {
  const theUser = eq(users.id, bound('userId', 'uuid'));
  const theServer = eq(server.epoch, bound('serverEpoch', 'bigint'));
  // Rows of another key are common tables: a cluster reads them where they are.
  const session = activeSession(db);
  const consent = standingConsent(db);
  const read = reliesOn === 'consent' ? [session, consent] : [session];
  const holds = and(
    eq(clients.clientId, bound('clientId', 'text')),
    eq(clients.epoch, bound('clientEpoch', 'bigint')),
    isNull(clients.deletedAt),
    eq(users.epoch, bound('userEpoch', 'bigint')),
    isNull(users.disabledAt),
    inTimeFor('mayBeApprovedUntil'),
    ...read.map((rows) => sql`exists (select from ${rows})`),
    reliesOn === 'registration' ? eq(clients.consent, 'skip') : undefined,
    spends ? isStillPushed : undefined,
  );
  if (interaction === 'alone') {
    const granted = db.$with('granted').as(
      db
        .insert(grants)
        .select(
          db
            .select(newGrant(bound, AS_COMPARED))
            .from(clients)
            .innerJoin(users, theUser)
            .innerJoin(server, theServer)
            .where(and(holds, isNotStored)),
        )
        // The same commit, whose answer was lost: it made the grant.
        .onConflictDoNothing({ target: grants.id })
        .returning({ id: grants.id, clientId: grants.clientId }),
    );
    return db
      .with(...read, granted, ...(spends ? spending(db, sql`exists (select from ${granted})`) : []))
      .insert(transitions)
      .select(db.select(approvalLine(granted.id, granted)).from(granted))
      .returning({ grantId: transitions.grantId })
      .prepare(name);
  }
  const returned = {
    id: interactions.id,
    clientId: interactions.clientId,
    clientEpoch: interactions.clientEpoch,
    resources: interactions.resources,
    redirectUri: interactions.redirectUri,
    codeChallenge: interactions.codeChallenge,
    dpopJkt: interactions.dpopJkt,
  };
  const moved = db.$with('moved').as(
    interaction === 'stored'
      ? db
          .update(interactions)
          .set({ state: bound('state', 'text'), userId: bound('userId', 'uuid') })
          .from(clients)
          .innerJoin(users, theUser)
          .innerJoin(server, theServer)
          .where(and(stillAsLoaded, holds))
          .returning(returned)
      : db
          .insert(interactions)
          .select(
            db
              .select(AS_REQUESTED)
              .from(clients)
              .innerJoin(users, theUser)
              .innerJoin(server, theServer)
              .where(and(holds, isNotGranted)),
          )
          .onConflictDoNothing({ target: interactions.id })
          .returning(returned),
  );
  const granted = db.$with('granted').as(
    db
      .insert(grants)
      .select(db.select(newGrant(bound, approvedOf(moved))).from(moved))
      .returning({ id: grants.id }),
  );
  const remembered = db.$with('remembered').as(remembers === 'again' ? widened(db, moved) : firstConsent(db, moved));
  return db
    .with(
      ...read,
      moved,
      granted,
      ...(remembers ? [remembered] : []),
      ...(spends ? spending(db, sql`exists (select from ${granted})`) : []),
    )
    .insert(transitions)
    .select(db.select(approvalLine(granted.id, moved)).from(moved).innerJoin(granted, sql`true`))
    .returning({ grantId: transitions.grantId })
    .prepare(name);
}

type Requested = Omit<Approved, 'userId' | 'userEpoch' | 'serverEpoch'>;

const OWNERS_AS_BOUND = {
  userId: bound('userId', 'uuid'),
  userEpoch: bound('userEpoch', 'bigint'),
  serverEpoch: bound('serverEpoch', 'bigint'),
};

/** Compared values come from their rows, so that the statement has fewer values. */
const AS_COMPARED: Approved = {
  id: REQUESTED.id,
  clientId: clients.clientId,
  clientEpoch: clients.epoch,
  userId: users.id,
  userEpoch: users.epoch,
  serverEpoch: server.epoch,
  resources: REQUESTED.resources,
  codeChallenge: REQUESTED.codeChallenge,
  dpopJkt: REQUESTED.dpopJkt,
  redirectUri: REQUESTED.redirectUri,
};

/** A subquery of Drizzle has its columns behind a proxy, so they are named one by one. */
const approvedOf = (requested: Requested): Approved => ({
  ...{ id: requested.id, clientId: requested.clientId, clientEpoch: requested.clientEpoch },
  ...{ resources: requested.resources, redirectUri: requested.redirectUri },
  ...{ codeChallenge: requested.codeChallenge, dpopJkt: requested.dpopJkt },
  ...OWNERS_AS_BOUND,
});

const approvalLine = (grantId: unknown, { id, clientId }: Pick<Requested, 'id' | 'clientId'>) =>
  ledgerOf(sql`${id}`, { grantId: sql`${grantId}`, clientId: sql`${clientId}`, policy: bound('policy', 'text') });

/**
 * Read again, and locked until the grant exists: a sign-out either waits for the approval, or was first and prevents it. So
 * nothing is approved from a session after its sign-out was acknowledged.
 */
const activeSession = (db: Drizzle) =>
  db.$with('active_session', {}).as(sql`
  select 1 from ${sessions}
  where ${sessions.idHash} = ${bound('sessionIdHash', 'bytea')} and ${sessions.userId} = ${bound('userId', 'uuid')}
    and ${sessions.state} = 'active'
  for share`);

/**
 * Read again, and locked until the grant exists: an end of the access deletes the consent first. So either this statement misses
 * the consent, or the other finds the grant.
 */
const standingConsent = (db: Drizzle) =>
  db.$with('standing_consent', {}).as(sql`
  select 1 from ${consents}
  where ${consents.userId} = ${bound('userId', 'uuid')} and ${consents.clientId} = ${bound('clientId', 'text')}
    and ${consents.resources} = ${bound('resources', 'text[]')} and ${consents.scope} @> ${bound('grantedScope', 'text[]')}
    and ${consents.userEpoch} = ${bound('userEpoch', 'bigint')}
    and ${consents.clientEpoch} = ${bound('clientEpoch', 'bigint')}
  for share`);

type Moved = { readonly id: unknown };

const CONSENTED = {
  userEpoch: bound('userEpoch', 'bigint'),
  clientEpoch: bound('clientEpoch', 'bigint'),
  scope: bound('consentScope', 'text[]'),
  grantedAt: bound('consentedAt', 'timestamptz'),
  mac: bound('consentMac', 'bytea'),
  macVersion: bound('consentMacVersion', 'bigint'),
};

/** Where another approval was first, nothing is remembered: the end-user is asked once more. */
const firstConsent = (db: Drizzle, moved: Moved) =>
  db
    .insert(consents)
    .select(
      db
        .select(
          selectionFor(consents, {
            id: bound('consentId', 'uuid'),
            userId: bound('userId', 'uuid'),
            clientId: bound('clientId', 'text'),
            resources: bound('resources', 'text[]'),
            ...CONSENTED,
          }),
        )
        .from(sql`${moved}`),
    )
    .onConflictDoNothing()
    .returning({ clientId: consents.clientId });

/** Only the row that was loaded: a consent that was deleted or changed since stays so. */
const widened = (db: Drizzle, moved: Moved) =>
  db
    .update(consents)
    .set(CONSENTED)
    .where(
      and(
        sql`exists (select from ${moved})`,
        sql`${consents.userId} = ${bound('userId', 'uuid')} and ${consents.clientId} = ${bound('clientId', 'text')}`,
        sql`${consents.resources} = ${bound('resources', 'text[]')} and ${consents.id} = ${bound('consentId', 'uuid')}`,
        sql`${consents.macVersion} = ${bound('consentMacVersion', 'bigint')} - 1`,
      ),
    )
    .returning({ clientId: consents.clientId });

const ledgerOf = (id: SQL, about: { readonly [Name in 'grantId' | 'clientId' | 'policy']?: SQL }) =>
  ledgerColumns({
    shardKey: id,
    interactionId: id,
    at: bound('now', 'timestamptz'),
    machine: bound('machine', 'text'),
    event: bound('event', 'text'),
    from: bound('from', 'text'),
    to: bound('to', 'text'),
    reason: bound('reason', 'text'),
    ...about,
  });

/** The value of a column as a prepared statement takes it. */
function sentValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value);
  return typeof value === 'bigint' ? value.toString() : value;
}

function moveValues({ loaded, now, to, userId, entry, spends }: InteractionMove) {
  return {
    ...Object.fromEntries(Object.entries(loaded).map(([name, value]) => [name, sentValue(value)])),
    state: to,
    loadedState: loaded.state,
    userId,
    loadedUserId: loaded.userId,
    // It names a person, and the row is stored only after a sign-in: from then on no page needs it.
    loginHint: null,
    now: now.toISOString(),
    machine: entry.machine,
    event: entry.event,
    from: entry.from,
    to: entry.to,
    reason: entry.reason,
    ...(spends && spentValues(spends)),
  };
}

function approvalValues(macs: RowMacs, approval: Approval) {
  const { session, identity } = approval;
  const consent = approval.remembers ? consentAfter(macs, approval) : null;
  return {
    ...moveValues({ ...approval, userId: session.userId }),
    grantedScope: [...approval.scope],
    codeHash: Buffer.from(approval.codeHash),
    codeEndsAt: approval.codeEndsAt.toISOString(),
    policy: approval.policy,
    identity: JSON.stringify(identity),
    mayBeApprovedUntil: approval.endsAt.toISOString(),
    ...(consent && {
      consentId: consent.id,
      consentScope: consent.scope,
      consentedAt: consent.grantedAt.toISOString(),
      consentMac: consent.mac,
      consentMacVersion: consent.macVersion.toString(),
    }),
    sessionIdHash: Buffer.from(session.idHash),
    userEpoch: session.userEpoch.toString(),
    serverEpoch: session.serverEpoch.toString(),
  };
}

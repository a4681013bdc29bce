/**
 * The statements about interactions: load, move, and approve together with the grant. The first move of an interaction inserts it
 * (docs/decisions/0026).
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Approval, InteractionMove, InteractionStore, StoredInteraction } from '../lifecycles/interaction.ts';
import type { SignInFacts } from '../model/grant.ts';
import type { Interaction, RequestedInteraction } from '../model/interaction.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { entryLine, instant, ledgerColumns } from './ledger.ts';
import { fixedNow, nowOf, nowOr } from './now.ts';
import { clients, consents, grants, interactions, server, sessions, transitions, users } from './schema.ts';

export function interactionStore(db: Drizzle, clock: Clock): InteractionStore {
  const [loadStored, loadRequested] = [prepareLoad(db), prepareLoadRequested(db)];
  /** The row where there is one, else the interaction as it was requested. */
  const load = async (requested: RequestedInteraction, userId: string | null): Promise<StoredInteraction> => {
    const { id, clientId, resources } = requested;
    const now = fixedNow(clock);
    const [row] = await reading(() => loadRequested.execute({ id, clientId, resources: [...resources], userId, now }));
    if (!row) throw new Error('The client of an interaction has no row.');
    return storedFrom(row, requested);
  };
  return {
    begin: async ({ lifetimeSeconds, ...interaction }, userId) => {
      const loaded = await load({ ...interaction, createdAt: NEVER, endsAt: NEVER }, userId);
      const endsAt = new Date(loaded.now.getTime() + lifetimeSeconds * 1000);
      return { ...loaded, interaction: { ...loaded.interaction, createdAt: loaded.now, endsAt } };
    },
    load: async ({ id, requested }, userId) => {
      if (requested !== null) return load(requested, userId);
      const [row] = await reading(() => loadStored.execute({ id, userId, now: fixedNow(clock) }));
      return row ? storedFrom(row, null) : null;
    },
    commit: (commit) =>
      committing(() => (commit.kind === 'move' ? moved(db, clock, commit.move) : approved(db, clock, commit.approval))),
  };
}

const NEVER = new Date(0);

type Row = Awaited<ReturnType<ReturnType<typeof prepareLoadRequested>['execute']>>[number];

function storedFrom(row: Row, requested: RequestedInteraction | null): StoredInteraction {
  const { client, consent, grant } = row;
  const interaction = row.interaction ?? (requested && { ...requested, state: 'awaitingSignIn', userId: null });
  if (!interaction) throw new Error('A row of an interaction is empty.');
  const remembered =
    consent && consent.userEpoch === row.user?.epoch && consent.clientEpoch === client.epoch ? consent : null;
  return {
    now: new Date(row.now),
    interaction,
    isStored: row.interaction !== null,
    client,
    remembered,
    grant: grant && {
      id: grant.id,
      codeHash: grant.codeHash,
      codeEndsAt: grant.codeEndsAt,
      codeIsUnused: grant.state === 'active' && grant.refreshGeneration === null,
    },
  };
}

const LOADED = {
  now: nowOr('now'),
  interaction: interactions,
  client: clients,
  user: { epoch: users.epoch },
  consent: consents,
  grant: {
    id: grants.id,
    codeHash: grants.codeHash,
    state: grants.state,
    refreshGeneration: grants.refreshGeneration,
    codeEndsAt: grants.codeEndsAt,
  },
};

const theUser = sql`${users.id} = ${sql.placeholder('userId')}::uuid`;
const theInteraction = sql`${interactions.id} = ${sql.placeholder('id')}::uuid`;

function prepareLoad(db: Drizzle) {
  return db
    .select(LOADED)
    .from(interactions)
    .innerJoin(clients, eq(clients.clientId, interactions.clientId))
    .leftJoin(users, theUser)
    .leftJoin(
      consents,
      and(
        eq(consents.userId, users.id),
        eq(consents.clientId, interactions.clientId),
        eq(consents.resources, interactions.resources),
      ),
    )
    .leftJoin(grants, eq(grants.interactionId, interactions.id))
    .where(theInteraction)
    .prepare('load_interaction');
}

/** The interaction itself may be in no row. */
function prepareLoadRequested(db: Drizzle) {
  return db
    .select(LOADED)
    .from(clients)
    .leftJoin(interactions, theInteraction)
    .leftJoin(users, theUser)
    .leftJoin(
      consents,
      and(
        eq(consents.userId, users.id),
        eq(consents.clientId, clients.clientId),
        eq(consents.resources, sql.placeholder('resources')),
      ),
    )
    .leftJoin(grants, eq(grants.interactionId, interactions.id))
    .where(eq(clients.clientId, sql.placeholder('clientId')))
    .prepare('load_requested_interaction');
}

/** What `insert(interactions).select(…)` selects: the interaction as it was requested, in the state that it moves to. */
const asRequested = ({ loaded, to }: InteractionMove, userId: string | null) => ({
  id: sql<string>`${loaded.id}::uuid`.as('id'),
  state: sql<Interaction['state']>`${to}::text`.as('state'),
  browserHash: sql<Buffer>`${Buffer.from(loaded.browserHash)}::bytea`.as('browser_hash'),
  clientId: sql<string>`${loaded.clientId}::text`.as('client_id'),
  clientEpoch: sql<bigint>`${loaded.clientEpoch.toString()}::bigint`.as('client_epoch'),
  redirectUri: sql<string>`${loaded.redirectUri}::text`.as('redirect_uri'),
  codeChallenge: sql<string>`${loaded.codeChallenge}::text`.as('code_challenge'),
  scope: sql<string[]>`${texts(loaded.scope)}`.as('scope'),
  resources: sql<string[]>`${texts(loaded.resources)}`.as('resources'),
  requestState: sql<string>`${loaded.requestState}::text`.as('request_state'),
  nonce: sql<string>`${loaded.nonce}::text`.as('nonce'),
  prompt: sql<Interaction['prompt'][number][]>`${texts(loaded.prompt)}`.as('prompt'),
  maxAgeSeconds: sql<number>`${loaded.maxAgeSeconds}::integer`.as('max_age_seconds'),
  hintedUserId: sql<string>`${loaded.hintedUserId}::text`.as('hinted_subject_id'),
  loginHint: sql<string>`${loaded.loginHint}::text`.as('login_hint'),
  responseMode: sql<Interaction['responseMode']>`${loaded.responseMode}::text`.as('response_mode'),
  userId: sql<string>`${userId}::uuid`.as('subject_id'),
  createdAt: sql<Date>`${instant(loaded.createdAt)}`.as('created_at'),
  endsAt: sql<Date>`${instant(loaded.endsAt)}`.as('ends_at'),
});

const texts = (list: readonly string[]) => sql`${sql.param([...list], interactions.scope)}::text[]`;

/**
 * After its end, the row of an interaction may have been removed: storing it then would begin it again. Where a row is there
 * already, another request was first, and nothing is changed.
 */
const isInTime = (clock: Clock, { loaded }: InteractionMove) => sql`${nowOf(clock)} < ${instant(loaded.endsAt)}`;

/** The row is still as the machine saw it. */
const stillAsLoaded = ({ loaded }: InteractionMove) =>
  and(
    eq(interactions.id, loaded.id),
    eq(interactions.state, loaded.state),
    sql`${interactions.userId} is not distinct from ${loaded.userId}::uuid`,
  );

function moved(db: Drizzle, clock: Clock, move: InteractionMove) {
  const returned = { id: interactions.id, clientId: interactions.clientId };
  const moved = db.$with('moved').as(
    move.isStored
      ? db
          .update(interactions)
          .set({ state: move.to, userId: move.userId })
          .where(stillAsLoaded(move))
          .returning(returned)
      : db
          .insert(interactions)
          .select(
            db
              .select(asRequested(move, move.userId))
              .from(clients)
              .where(and(eq(clients.clientId, move.loaded.clientId), isInTime(clock, move))),
          )
          .onConflictDoNothing({ target: interactions.id })
          .returning(returned),
  );
  const columns = ledgerColumns({
    ...entryLine(move.entry),
    at: instant(move.now),
    interactionId: sql`${moved.id}`,
    clientId: sql`${moved.clientId}`,
  });
  return db
    .with(moved)
    .insert(transitions)
    .select(db.select(columns).from(moved))
    .returning({ interactionId: transitions.interactionId });
}

/**
 * One statement: the interaction becomes approved (or is stored as approved), its grant (and so its code) is inserted, the consent is remembered, and the
 * ledger gets its line. It commits only while the epochs of client, user and server are as loaded, the session is active and,
 * where the end-user was not asked, the earlier consent stands; a disable or a sign-out in between wins.
 */
function approved(db: Drizzle, clock: Clock, approval: Approval) {
  const { session, now, loaded } = approval;
  const holds = and(
    eq(clients.clientId, loaded.clientId),
    eq(clients.epoch, loaded.clientEpoch),
    isNull(clients.deletedAt),
    eq(users.epoch, session.userEpoch),
    isNull(users.disabledAt),
    sql`${nowOf(clock)} < ${instant(approval.endsAt)}`,
    sessionIsActive(session),
    sql`(not ${approval.reliesOnConsent}::boolean or ${consentStands(approval)})`,
  );
  const returned = {
    id: interactions.id,
    clientId: interactions.clientId,
    clientEpoch: interactions.clientEpoch,
    scope: interactions.scope,
    resources: interactions.resources,
    redirectUri: interactions.redirectUri,
    codeChallenge: interactions.codeChallenge,
  };
  const moved = db.$with('moved').as(
    approval.isStored
      ? db
          .update(interactions)
          .set({ state: approval.to, userId: session.userId })
          .from(clients)
          .innerJoin(users, eq(users.id, session.userId))
          .innerJoin(server, eq(server.epoch, session.serverEpoch))
          .where(and(stillAsLoaded(approval), holds))
          .returning(returned)
      : db
          .insert(interactions)
          .select(
            db
              .select(asRequested(approval, session.userId))
              .from(clients)
              .innerJoin(users, eq(users.id, session.userId))
              .innerJoin(server, eq(server.epoch, session.serverEpoch))
              .where(holds),
          )
          .onConflictDoNothing({ target: interactions.id })
          .returning(returned),
  );
  const granted = db.$with('granted').as(
    db
      .insert(grants)
      .select(
        db
          .select({
            id: sql<string>`${approval.grantId}::uuid`.as('id'),
            interactionId: sql<string>`${moved.id}`.as('interaction_id'),
            clientId: sql<string>`${moved.clientId}`.as('client_id'),
            userId: sql<string>`${session.userId}::uuid`.as('subject_id'),
            clientEpoch: sql<bigint>`${moved.clientEpoch}`.as('client_epoch'),
            userEpoch: sql<bigint>`${session.userEpoch.toString()}::bigint`.as('subject_epoch'),
            serverEpoch: sql<bigint>`${session.serverEpoch.toString()}::bigint`.as('server_epoch'),
            scope: sql<string[]>`${moved.scope}`.as('scope'),
            resources: sql<string[]>`${moved.resources}`.as('resources'),
            policy: sql<string>`${approval.policy}::text`.as('policy'),
            codeHash: sql<Buffer>`${Buffer.from(approval.codeHash)}::bytea`.as('code_hash'),
            codeChallenge: sql<string>`${moved.codeChallenge}`.as('code_challenge'),
            redirectUri: sql<string>`${moved.redirectUri}`.as('redirect_uri'),
            identity:
              sql<SignInFacts>`${approval.identity === null ? null : JSON.stringify(approval.identity)}::jsonb`.as(
                'identity',
              ),
            codeEndsAt: sql<Date>`${instant(approval.codeEndsAt)}`.as('code_ends_at'),
            state: sql<'active'>`'active'`.as('state'),
            revokedAt: sql<Date>`null::timestamptz`.as('revoked_at'),
            revokedReason: sql<string>`null::text`.as('revoked_reason'),
            refreshGeneration: sql<bigint>`null::bigint`.as('refresh_generation'),
            refreshNonce: sql<Buffer>`null::bytea`.as('refresh_nonce'),
            createdAt: sql<Date>`${instant(now)}`.as('created_at'),
            lastUsedAt: sql<Date>`null::timestamptz`.as('last_used_at'),
            chainEndsAt: sql<Date>`null::timestamptz`.as('chain_ends_at'),
          })
          .from(moved),
      )
      .returning({ id: grants.id }),
  );
  const remembered = db.$with('remembered').as(
    db
      .insert(consents)
      .select(
        db
          .select({
            userId: sql<string>`${session.userId}::uuid`.as('subject_id'),
            clientId: sql<string>`${moved.clientId}`.as('client_id'),
            userEpoch: sql<bigint>`${session.userEpoch.toString()}::bigint`.as('subject_epoch'),
            clientEpoch: sql<bigint>`${moved.clientEpoch}`.as('client_epoch'),
            scope: sql<string[]>`${moved.scope}`.as('scope'),
            resources: sql<string[]>`${moved.resources}`.as('resources'),
            grantedAt: sql<Date>`${instant(now)}`.as('granted_at'),
          })
          .from(moved)
          .where(sql`${approval.remembers}::boolean`),
      )
      .onConflictDoUpdate({
        target: [consents.userId, consents.clientId, consents.resources],
        set: widenedConsent(),
      })
      .returning({ clientId: consents.clientId }),
  );
  const columns = ledgerColumns({
    ...entryLine(approval.entry),
    at: instant(now),
    grantId: sql`${granted.id}`,
    interactionId: sql`${moved.id}`,
    clientId: sql`${moved.clientId}`,
    policy: sql`${approval.policy}`,
  });
  return db
    .with(moved, granted, remembered)
    .insert(transitions)
    .select(db.select(columns).from(moved).innerJoin(granted, sql`true`))
    .returning({ grantId: transitions.grantId });
}

/**
 * Read again, and locked until the grant exists: a sign-out either waits for the approval, or was first and prevents it. So
 * nothing is approved from a session after its sign-out was acknowledged.
 */
const sessionIsActive = ({ idHash }: Approval['session']) => sql`exists (
  select 1 from ${sessions}
  where ${sessions.idHash} = ${Buffer.from(idHash)}::bytea and ${sessions.state} = 'active'
  for share)`;

/**
 * Read again, and locked until the grant exists: ending the access deletes the consent first, so either this statement misses
 * the consent, or the other finds the grant.
 */
const consentStands = ({ session, loaded }: Approval) => sql`exists (
  select 1 from ${consents}
  where ${consents.userId} = ${session.userId}::uuid and ${consents.clientId} = ${loaded.clientId}
    and ${consents.resources} = ${texts(loaded.resources)} and ${consents.scope} @> ${texts(loaded.scope)}
    and ${consents.userEpoch} = ${session.userEpoch.toString()}::bigint
    and ${consents.clientEpoch} = ${loaded.clientEpoch.toString()}::bigint
  for share)`;

/** What was allowed before together with what is allowed now; what was allowed under older epochs is forgotten. */
function widenedConsent() {
  const alive = sql`consents.subject_epoch = excluded.subject_epoch and consents.client_epoch = excluded.client_epoch`;
  const union = (column: string) => {
    const [old, added] = [sql.raw(`consents.${column}`), sql.raw(`excluded.${column}`)];
    return sql`case when ${alive} then array(select distinct unnest(${old} || ${added})) else ${added} end`;
  };
  return {
    scope: union('scope'),
    userEpoch: sql`excluded.subject_epoch`,
    clientEpoch: sql`excluded.client_epoch`,
    grantedAt: sql`excluded.granted_at`,
  };
}

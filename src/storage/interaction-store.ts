/** The statements about interactions: insert, load, move, and approve together with the grant. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Approval, InteractionMove, InteractionStore } from '../lifecycles/interaction.ts';
import type { SignInFacts } from '../model/grant.ts';
import type { Interaction } from '../model/interaction.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading, writing } from './failures.ts';
import { entryLine, instant, ledgerColumns } from './ledger.ts';
import { fixedNow, nowOf, nowOr } from './now.ts';
import { clients, consents, grants, interactions, server, sessions, transitions, users } from './schema.ts';

export type NewInteraction = Omit<Interaction, 'state' | 'userId' | 'endsAt'> & {
  readonly lifetimeSeconds: number;
};

export function insertInteraction(
  db: Drizzle,
  clock: Clock,
  { lifetimeSeconds, ...interaction }: NewInteraction,
): Promise<unknown> {
  const createdAt = nowOf(clock);
  return writing(() =>
    db.insert(interactions).values({
      ...interaction,
      browserHash: Buffer.from(interaction.browserHash),
      scope: [...interaction.scope],
      resources: [...interaction.resources],
      prompt: [...interaction.prompt],
      state: 'awaitingSignIn',
      createdAt,
      endsAt: sql`${createdAt} + make_interval(secs => ${lifetimeSeconds})`,
    }),
  );
}

export function interactionStore(db: Drizzle, clock: Clock): InteractionStore {
  const loadStatement = prepareLoad(db);
  return {
    load: async ({ id, userId }) => {
      const [row] = await reading(() => loadStatement.execute({ id, userId, now: fixedNow(clock) }));
      if (!row) return null;
      const { interaction, client, consent, grant } = row;
      const remembered =
        consent && consent.userEpoch === row.user?.epoch && consent.clientEpoch === client.epoch ? consent : null;
      return {
        now: new Date(row.now),
        interaction,
        client,
        remembered,
        grant: grant && {
          id: grant.id,
          codeHash: grant.codeHash,
          codeEndsAt: grant.codeEndsAt,
          codeIsUnused: grant.state === 'active' && grant.refreshGeneration === null,
        },
      };
    },
    commit: (commit) =>
      committing(() => (commit.kind === 'move' ? moved(db, commit.move) : approved(db, clock, commit.approval))),
  };
}

function prepareLoad(db: Drizzle) {
  const userId = sql`${sql.placeholder('userId')}::uuid`;
  return db
    .select({
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
    })
    .from(interactions)
    .innerJoin(clients, eq(clients.clientId, interactions.clientId))
    .leftJoin(users, sql`${users.id} = ${userId}`)
    .leftJoin(
      consents,
      and(
        eq(consents.userId, users.id),
        eq(consents.clientId, interactions.clientId),
        eq(consents.resources, interactions.resources),
      ),
    )
    .leftJoin(grants, eq(grants.interactionId, interactions.id))
    .where(sql`${interactions.id} = ${sql.placeholder('id')}::uuid`)
    .prepare('load_interaction');
}

/** The row is still as the machine saw it. */
const stillAsLoaded = ({ loaded }: InteractionMove) =>
  and(
    eq(interactions.id, loaded.id),
    eq(interactions.state, loaded.state),
    sql`${interactions.userId} is not distinct from ${loaded.userId}::uuid`,
  );

function moved(db: Drizzle, move: InteractionMove) {
  const moved = db
    .$with('moved')
    .as(
      db
        .update(interactions)
        .set({ state: move.to, userId: move.userId })
        .where(stillAsLoaded(move))
        .returning({ id: interactions.id, clientId: interactions.clientId }),
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
 * One statement: the interaction becomes approved, its grant (and so its code) is inserted, the consent is remembered, and the
 * ledger gets its line. It commits only while the epochs of client, user and server are as loaded, the session is active and,
 * where the end-user was not asked, the earlier consent stands; a disable or a sign-out in between wins.
 */
function approved(db: Drizzle, clock: Clock, approval: Approval) {
  const { session, now } = approval;
  const moved = db.$with('moved').as(
    db
      .update(interactions)
      .set({ state: approval.to, userId: session.userId })
      .from(clients)
      .innerJoin(users, eq(users.id, session.userId))
      .innerJoin(server, eq(server.epoch, session.serverEpoch))
      .where(
        and(
          stillAsLoaded(approval),
          eq(clients.clientId, interactions.clientId),
          eq(clients.epoch, interactions.clientEpoch),
          isNull(clients.deletedAt),
          eq(users.epoch, session.userEpoch),
          isNull(users.disabledAt),
          sql`${nowOf(clock)} < ${instant(approval.endsAt)}`,
          sessionIsActive(session),
          sql`(not ${approval.reliesOnConsent}::boolean or ${consentStands(session)})`,
        ),
      )
      .returning({
        id: interactions.id,
        clientId: interactions.clientId,
        clientEpoch: interactions.clientEpoch,
        scope: interactions.scope,
        resources: interactions.resources,
        redirectUri: interactions.redirectUri,
        codeChallenge: interactions.codeChallenge,
      }),
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
const consentStands = (session: Approval['session']) => sql`exists (
  select 1 from ${consents}
  where ${consents.userId} = ${session.userId}::uuid and ${consents.clientId} = ${interactions.clientId}
    and ${consents.resources} = ${interactions.resources} and ${consents.scope} @> ${interactions.scope}
    and ${consents.userEpoch} = ${session.userEpoch.toString()}::bigint
    and ${consents.clientEpoch} = ${interactions.clientEpoch}
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

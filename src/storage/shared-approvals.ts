/**
 * Approvals without a page that arrive together share a statement (batches.ts). Each keeps every condition of its own statement
 * (interaction-commits.ts), and an approval that the shared one leaves out is sent alone.
 */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Approval } from '../lifecycles/interaction/lifecycle.ts';
import { bound } from './bound.ts';
import type { Drizzle } from './database.ts';
import { ledgerColumns } from './ledger.ts';
import { listed, listOf, listsOf } from './listed.ts';
import { newGrant } from './new-grant.ts';
import { clients, consents, grants, interactions, server, sessions, transitions, users } from './schema.ts';

/** The values of an approval, by the names of its own statement. Lists of Postgres are its text. */
const COLUMNS = {
  id: 'uuid',
  clientId: 'text',
  clientEpoch: 'bigint',
  resources: 'text[]',
  codeChallenge: 'text',
  dpopJkt: 'text',
  redirectUri: 'text',
  userId: 'uuid',
  userEpoch: 'bigint',
  serverEpoch: 'bigint',
  sessionIdHash: 'bytea',
  mayBeApprovedUntil: 'timestamptz',
  grantedScope: 'text[]',
  policy: 'text',
  codeHash: 'bytea',
  identity: 'jsonb',
  codeEndsAt: 'timestamptz',
  now: 'timestamptz',
  machine: 'text',
  event: 'text',
  from: 'text',
  to: 'text',
  reason: 'text',
} as const;
type Name = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as readonly Name[];

const of = (name: Name): SQL => listed(name, COLUMNS[name]);

/** @returns the parameters of the statement. */
export const approvalLists = (approvals: readonly Readonly<Record<string, unknown>>[]) => listsOf(NAMES, approvals);

/**
 * Rows that another statement has locked are left out, as in a batch of moves: an approval that waits for a sign-out waits alone. The
 * session and the consent of each stay locked until the grants exist.
 */
export function prepareApprovals(db: Drizzle, reliesOn: NonNullable<Approval['reliesOn']>) {
  const list = listOf(db, NAMES);
  const active = db.$with('active').as(
    db
      .select({ idHash: sessions.idHash, userId: sessions.userId })
      .from(sessions)
      .where(
        and(
          sql`(${sessions.idHash}, ${sessions.userId}) in (select ${of('sessionIdHash')}, ${of('userId')} from listed)`,
          eq(sessions.state, 'active'),
        ),
      )
      .for('share', { skipLocked: true }),
  );
  const standing = db.$with('standing').as(
    db
      .select({ id: sql<string>`${of('id')}`.as('approval_id') })
      .from(consents)
      .innerJoin(
        sql`listed`,
        and(
          sql`${consents.userId} = ${of('userId')} and ${consents.clientId} = ${of('clientId')}`,
          sql`${consents.resources} = ${of('resources')} and ${consents.scope} @> ${of('grantedScope')}`,
          sql`${consents.userEpoch} = ${of('userEpoch')} and ${consents.clientEpoch} = ${of('clientEpoch')}`,
        ),
      )
      .for('share', { of: consents, skipLocked: true }),
  );
  const granted = db.$with('granted').as(
    db
      .insert(grants)
      .select(
        db
          .select(
            newGrant(listed, {
              id: of('id'),
              clientId: clients.clientId,
              clientEpoch: clients.epoch,
              userId: users.id,
              userEpoch: users.epoch,
              serverEpoch: server.epoch,
              resources: of('resources'),
              codeChallenge: of('codeChallenge'),
              dpopJkt: of('dpopJkt'),
              redirectUri: of('redirectUri'),
            }),
          )
          .from(clients)
          .innerJoin(users, sql`true`)
          .innerJoin(server, sql`true`)
          .innerJoin(sql`listed`, sql`true`)
          .where(
            and(
              sql`${clients.clientId} = ${of('clientId')} and ${clients.epoch} = ${of('clientEpoch')}`,
              isNull(clients.deletedAt),
              sql`${users.id} = ${of('userId')} and ${users.epoch} = ${of('userEpoch')}`,
              isNull(users.disabledAt),
              sql`${server.epoch} = ${of('serverEpoch')}`,
              sql`${bound('committedAt', 'timestamptz')} < ${of('mayBeApprovedUntil')}`,
              sql`exists (select from active where active.id_hash = ${of('sessionIdHash')} and active.user_id = ${of('userId')})`,
              reliesOn === 'consent'
                ? sql`exists (select from standing where standing.approval_id = ${of('id')})`
                : eq(clients.consent, 'skip'),
              sql`not exists (select from ${interactions} where ${interactions.id} = ${of('id')})`,
            ),
          ),
      )
      .onConflictDoNothing({ target: grants.id })
      .returning({ id: grants.id, clientId: grants.clientId }),
  );
  const line = ledgerColumns({
    shardKey: sql`${granted.id}`,
    interactionId: sql`${granted.id}`,
    grantId: sql`${granted.id}`,
    clientId: sql`${granted.clientId}`,
    at: of('now'),
    machine: of('machine'),
    event: of('event'),
    from: of('from'),
    to: of('to'),
    reason: of('reason'),
    policy: of('policy'),
  });
  return db
    .with(list, active, ...(reliesOn === 'consent' ? [standing] : []), granted)
    .insert(transitions)
    .select(
      db
        .select(line)
        .from(granted)
        .innerJoin(sql`listed`, sql`${granted.id} = ${of('id')}`),
    )
    .returning({ grantId: transitions.grantId })
    .prepare(`approve_together_relying_on_${reliesOn}`);
}

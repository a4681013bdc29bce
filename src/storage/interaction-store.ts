/** Loads of interactions; interaction-commits.ts has their commits. */
import { and, eq, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { InteractionStore, StoredInteraction } from '../lifecycles/interaction/lifecycle.ts';
import type { Interaction, RequestedInteraction } from '../model/interaction.ts';
import type { Clock } from '../system/clock.ts';
import type { AuthenticClients } from './authentic-clients.ts';
import { requestLoads } from './authorization-requests.ts';
import { isAuthenticConsent } from './consents.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { interactionCommits } from './interaction-commits.ts';
import { fixedNow, nowOr, readInstant } from './now.ts';
import { ofAnotherKey } from './of-another-key.ts';
import { clients, consents, grants, interactions, pushedRequests, users } from './schema.ts';

export function interactionStore(
  db: Drizzle,
  clock: Clock,
  macs: RowMacs,
  authentic: AuthenticClients,
): InteractionStore {
  const [loadStored, loadRequested] = [prepareLoad(db), prepareLoadRequested(db)];
  /** The row where there is one, else the interaction as it was requested. */
  const load = async (requested: RequestedInteraction, userId: string | null): Promise<StoredInteraction> => {
    const { id, clientId, resources } = requested;
    const now = fixedNow(clock);
    const [row] = await reading(() => loadRequested.execute({ id, clientId, resources: [...resources], userId, now }));
    if (!row) throw new Error('The client of an interaction has no row.');
    return storedFrom(macs, authentic, row, row.interaction ?? { ...requested, state: 'awaitingSignIn', userId: null });
  };
  return {
    loadRequest: requestLoads(db, clock, macs, authentic),
    load: async ({ id, requested }, userId) => {
      if (requested !== null) return load(requested, userId);
      const [row] = await reading(() => loadStored.execute({ id, userId, now: fixedNow(clock) }));
      return row ? storedFrom(macs, authentic, row, row.interaction) : null;
    },
    commit: interactionCommits(db, clock, macs),
  };
}

type Row = Awaited<ReturnType<ReturnType<typeof prepareLoadRequested>['execute']>>[number];

function storedFrom(macs: RowMacs, authentic: AuthenticClients, row: Row, interaction: Interaction): StoredInteraction {
  const { consent, grant, pushed } = row;
  const client = authentic.whole(row.client);
  const stands = consent && consent.userEpoch === row.user?.epoch && consent.clientEpoch === client.epoch;
  const remembered = stands && isAuthenticConsent(macs, consent) ? consent : null;
  return {
    now: row.now,
    interaction,
    isStored: row.interaction !== null,
    client,
    ...(pushed && { pushed }),
    remembered,
    consentRow: consent,
    grant: grant && {
      id: grant.id,
      userId: grant.userId,
      codeHash: grant.codeHash,
      codeEndsAt: grant.codeEndsAt,
      codeIsUnused: grant.state === 'active' && grant.refreshGeneration === null,
    },
  };
}

const LOADED = {
  now: readInstant(nowOr('now')),
  interaction: interactions,
  client: clients,
  pushed: pushedRequests,
  user: { epoch: users.epoch },
  consent: consents,
  grant: {
    id: grants.id,
    userId: grants.userId,
    codeHash: grants.codeHash,
    state: grants.state,
    refreshGeneration: grants.refreshGeneration,
    codeEndsAt: grants.codeEndsAt,
  },
};

const theUser = sql`${users.id} = ${sql.placeholder('userId')}::uuid`;
const theInteraction = sql`${interactions.id} = ${sql.placeholder('id')}::uuid`;
const thePushedRequest = sql`${pushedRequests.id} = ${sql.placeholder('id')}::uuid`;
const theirConsents = (db: Drizzle) =>
  ofAnotherKey(db, consents, sql`${consents.userId} = ${sql.placeholder('userId')}::uuid`);
const theGrant = sql`${grants.id} = ${sql.placeholder('id')}::uuid`;

function prepareLoad(db: Drizzle) {
  return db
    .with(theirConsents(db))
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
    .leftJoin(grants, eq(grants.id, interactions.id))
    .leftJoin(pushedRequests, eq(pushedRequests.id, interactions.id))
    .where(theInteraction)
    .prepare('load_interaction');
}

/** The interaction itself may be in no row, and its grant alone in one. */
function prepareLoadRequested(db: Drizzle) {
  return db
    .with(theirConsents(db))
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
    .leftJoin(grants, theGrant)
    .leftJoin(pushedRequests, thePushedRequest)
    .where(eq(clients.clientId, sql.placeholder('clientId')))
    .prepare('load_requested_interaction');
}

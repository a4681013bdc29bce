/**
 * All tables: those of lifecycles, and those that belong to none. Rights, retention, personal data, counts and triggers are loops over it. A table of schema.ts that is missing here fails
 * a test (test/unit/storage/tables.test.ts).
 */
import { sql } from 'drizzle-orm';
import { anHourBefore, ofDeletedUsers } from '../lifecycles/retention.ts';
import { type DescribedTable, KEPT, PASSING } from '../lifecycles/table.ts';
import { HELD_TABLES } from '../lifecycles/tables.ts';
import { STATISTICS_DAYS } from '../model/statistics.ts';
import {
  clientLogos,
  consoleSessions,
  deniedAccessTokens,
  endedRows,
  idempotencyKeys,
  lastSignIns,
  ledgerRetention,
  ledgerSeals,
  nodes,
  rootSecrets,
  server,
  signInFailures,
  spentChallenges,
  statistics,
  statisticsProgress,
  transitions,
  webhookAttempts,
  webhookReceivers,
} from './schema.ts';

export const TABLES: readonly DescribedTable[] = [
  ...HELD_TABLES,
  { table: server, spreadBy: 'everywhere', rights: ['select', 'update'] },
  // The role of a server only adds entries to the ledger.
  { table: transitions, spreadBy: transitions.shardKey, rights: ['select', 'insert'] },
  { table: ledgerSeals, spreadBy: ledgerSeals.shard, rights: ['select', 'insert'] },
  { table: ledgerRetention, spreadBy: 'everywhere', rights: ['select'] },
  {
    table: statistics,
    spreadBy: 'everywhere',
    rights: PASSING,
    // Its instant is the beginning of a row, and no end.
    removal: (now) => [
      { ended: sql`${statistics.at} < ${now} - make_interval(days => ${STATISTICS_DAYS})`, over: null },
    ],
  },
  { table: statisticsProgress, spreadBy: 'everywhere', rights: KEPT },
  { table: endedRows, spreadBy: 'each node', rights: ['select'] },
  {
    table: deniedAccessTokens,
    spreadBy: deniedAccessTokens.jti,
    rights: PASSING,
    // An hour after its end: an API may still accept the token by its own clock.
    removal: (now) => [
      { ended: sql`${deniedAccessTokens.endsAt} < ${anHourBefore(now)}`, over: deniedAccessTokens.endsAt },
    ],
  },
  {
    table: spentChallenges,
    spreadBy: spentChallenges.challengeHash,
    rights: PASSING,
    removal: (now) => [{ ended: sql`${spentChallenges.endsAt} < ${anHourBefore(now)}`, over: spentChallenges.endsAt }],
  },
  {
    table: signInFailures,
    spreadBy: signInFailures.keyHash,
    rights: PASSING,
    removal: (now) => [{ ended: sql`${signInFailures.windowEndsAt} < ${now}`, over: signInFailures.windowEndsAt }],
  },
  {
    table: idempotencyKeys,
    spreadBy: idempotencyKeys.nameHash,
    rights: PASSING,
    removal: (now) => [{ ended: sql`${idempotencyKeys.endsAt} < ${now}`, over: idempotencyKeys.endsAt }],
  },
  {
    table: consoleSessions,
    spreadBy: consoleSessions.idHash,
    rights: PASSING,
    // An hour after the token's end: until then a form that was left open is still known.
    removal: (now) => [
      { ended: sql`${consoleSessions.tokenEndsAt} < ${anHourBefore(now)}`, over: consoleSessions.tokenEndsAt },
    ],
    personal: {
      name: 'console_sessions',
      owner: consoleSessions.userId,
      shown: [consoleSessions.createdAt, consoleSessions.tokenEndsAt],
      since: consoleSessions.createdAt,
      erasure: 'removed',
    },
  },
  {
    table: lastSignIns,
    spreadBy: lastSignIns.userId,
    rights: PASSING,
    // Of a sign-in during the deletion.
    removal: () => [ofDeletedUsers(lastSignIns.userId)],
    personal: {
      name: 'last_sign_ins',
      owner: lastSignIns.userId,
      shown: [lastSignIns.signedInAt],
      since: lastSignIns.signedInAt,
      erasure: 'removed',
    },
  },
  { table: clientLogos, spreadBy: clientLogos.logoUri, rights: PASSING },
  { table: nodes, spreadBy: 'everywhere', rights: PASSING },
  { table: rootSecrets, spreadBy: 'everywhere', rights: KEPT },
  { table: webhookReceivers, spreadBy: 'everywhere', rights: PASSING },
  // They go with the deliveries, after a time that webhooks.yaml sets (webhooks.ts).
  { table: webhookAttempts, spreadBy: webhookAttempts.eventId, rights: PASSING },
];

/**
 * Does what the triggers refuse, which only the owner of the tables can: for rows as a restored backup or a defect would leave them.
 * The triggers are off only for this transaction.
 */
import { sql } from 'drizzle-orm';
import type { Drizzle } from '../../src/storage/database.ts';
import { PAST_TRIGGERS } from '../cluster/citus.ts';
import { isSpread } from './database.ts';

const HELD = [
  'interactions',
  'grants',
  'signing_keys',
  'sessions',
  'second_factors',
  'recovery_codes',
  'passkeys',
  'trusted_browsers',
  'external_sign_ins',
  'linked_identities',
  'email_challenges',
  'sign_in_codes',
  'operator_set_ups',
  'client_documents',
  'client_registrations',
  'pushed_requests',
  'used_jtis',
  'webhook_deliveries',
  'mails',
  'clients',
  'consents',
  'users',
  'server',
] as const;

export const unheld = <T>(db: Drizzle, work: (db: Drizzle) => Promise<T>): Promise<T> =>
  db.transaction(async (transaction) => {
    const set = async (how: 'disable' | 'enable') => {
      // The tables of a cluster are hundreds, and its connections to their nodes get this setting.
      if (isSpread()) {
        await transaction.execute(sql`set local citus.propagate_set_commands = 'local'`);
        await transaction.execute(
          sql.raw(`set local session_replication_role = '${how === 'disable' ? 'replica' : 'origin'}'`),
        );
        return;
      }
      for (const table of HELD) await transaction.execute(sql.raw(`alter table ${table} ${how} trigger user`));
    };
    await set('disable');
    const done = await work(transaction);
    await set('enable');
    return done;
  });

/** @returns the address by which a connection with `session_replication_role` passes the triggers of every node. */
export function pastTriggers(url: string): string {
  if (!isSpread()) return url;
  const named = new URL(url);
  named.username = PAST_TRIGGERS;
  return named.href;
}

/**
 * Does what the triggers refuse, which only the owner of the tables can: for rows as a restored backup or a defect would leave them.
 * The triggers are off only for this transaction.
 */
import { sql } from 'drizzle-orm';
import type { Drizzle } from '../../src/storage/database.ts';

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
      for (const table of HELD) await transaction.execute(sql.raw(`alter table ${table} ${how} trigger user`));
    };
    await set('disable');
    const done = await work(transaction);
    await set('enable');
    return done;
  });

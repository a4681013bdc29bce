/** The ways to sign in of the end-user whose row a statement joins. */
import { type SQL, sql } from 'drizzle-orm';
import type { WaysToSignIn } from '../../machines/shared/facts.ts';
import { linkedIdentities, passkeys, users } from './schema.ts';

const others = (table: typeof linkedIdentities | typeof passkeys, id: SQL): SQL =>
  sql`(select count(*) from ${table} other where other.user_id = ${users.id} and other.state = 'active' and other.id <> ${id})`;

/** Besides the passkey or linked identity with this id, which may be a column. */
export const otherWays = (id: SQL): SQL<WaysToSignIn> => sql`json_build_object(
  'password', coalesce(${users.passwordHash} <> '', false),
  'passkeys', ${others(passkeys, id)},
  'linkedIdentities', ${others(linkedIdentities, id)})`;

/** Values in rows that a key of the root secret made. They need that root secret after a rotation. */
import { type SQL, sql } from 'drizzle-orm';
import type { Purpose } from '../crypto/root-secret.ts';

export type MadeUnderRoot = {
  readonly purpose: Purpose;
  /** In the plural. */
  readonly what: string;
  readonly remedy: Remedy;
  /** Rows with `key_id` (8 hex digits), `count` and `ends_at`: the values that need each root secret. */
  readonly count: (now: SQL) => SQL;
  /** The column of `root_secrets` that keeps the key of this purpose, sealed under the next root secret. Absent: it is not kept. */
  readonly keptIn?: string;
};

/** `renewed`: every node that lists both renews it within the hour. `atUse`: its holder has to present it. */
export type Remedy = 'renewed' | 'atUse';

export const hex = (octets: SQL): SQL => sql`encode(${octets}, 'hex')`;
/** Of base64url without padding, the first characters of which are given. */
export const octetsOf = (text: SQL): SQL => sql`decode(translate(${text}, '-_', '+/'), 'base64')`;
export const padded = (text: SQL): SQL => sql`rpad(${text}, (length(${text}) + 3) / 4 * 4, '=')`;

const NO_END = sql`null::timestamptz`;
export const byKey = (keyId: SQL, from: SQL): SQL =>
  sql`select ${keyId} as key_id, count(*) as count, ${NO_END} as ends_at from ${from} group by 1`;

/** For values that do not say which root secret made them: at most so many, by when they were made. @param from with the instant `made_at` */
export const whileNodesMade = (from: SQL, endsAt: SQL = NO_END): SQL => sql`
  select r.key_id, count(*) as count, max(${endsAt}) as ends_at
  from root_secrets r join ${from} on made_at <= r.makes_until group by 1`;

/** @throws Error unless the keys of exactly one purpose are kept: `root_secrets` has one column for them. */
export function keptAmong(
  tables: readonly { readonly madeUnderRoot?: readonly MadeUnderRoot[] }[],
): Required<Pick<MadeUnderRoot, 'purpose' | 'keptIn'>> {
  const [kept, ...others] = tables.flatMap(({ madeUnderRoot = [] }) =>
    madeUnderRoot.flatMap(({ purpose, keptIn }) => (keptIn === undefined ? [] : [{ purpose, keptIn }])),
  );
  if (kept === undefined || others.length > 0) throw new Error('the keys of one purpose are kept');
  return kept;
}

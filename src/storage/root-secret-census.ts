/**
 * What each key of the root secret becomes when its entry leaves the list: the register of its purposes (a purpose without an entry does not
 * compile), and the count of stored rows that still need an entry. `check` and `recover` print it.
 */

import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/pg-core';
import type { KeptKey } from '../crypto/kept-key.ts';
import type { Purpose } from '../crypto/root-secret.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { nowOf } from './now.ts';
import { rawRows } from './raw-rows.ts';
import { authenticatedTables } from './renew-row-macs.ts';
import { clients, grants, recoveryCodes, rootSecrets, secondFactors, server, signingKeys } from './schema.ts';

type Stored = {
  /** In the plural. */
  readonly what: string;
  readonly remedy: Remedy;
  /** Rows with `keyId` (8 hex digits), `count` and `endsAt`: what needs each root secret. */
  readonly count: (now: SQL) => SQL;
};
/** `renewed`: every node that lists both renews it within the hour. `atUse`: its holder has to present it. */
export type Remedy = 'renewed' | 'atUse';
type AfterRotation =
  | { readonly counted: readonly Stored[] }
  /** Nothing stored outlives the wait that the guide asks for. */
  | { readonly passes: string };

const hex = (octets: SQL): SQL => sql`encode(${octets}, 'hex')`;
/** Of base64url without padding, the first characters of which are given. */
const octetsOf = (text: SQL): SQL => sql`decode(translate(${text}, '-_', '+/'), 'base64')`;
const padded = (text: SQL): SQL => sql`rpad(${text}, (length(${text}) + 3) / 4 * 4, '=')`;

const NO_END = sql`null::timestamptz`;
const byKey = (keyId: SQL, from: SQL): SQL =>
  sql`select ${keyId} as key_id, count(*) as count, ${NO_END} as ends_at from ${from} group by 1`;

/** The tokens of a chain whose last one was made while a node could make it under this root secret: at most so many. */
const chains = (now: SQL): SQL => sql`
  select r.key_id, count(*) as count, max(g.chain_ends_at) as ends_at
  from ${rootSecrets} r join ${grants} g on coalesce(g.last_used_at, g.created_at) <= r.makes_until
  join ${server} s on s.epoch = g.server_epoch
  where g.state = 'active' and g.refresh_nonce is not null and g.chain_ends_at > ${now}
  group by 1`;

/** A code does not say which root secret made it: at most so many. */
const codes = (): SQL => sql`
  select r.key_id, count(*) as count, ${NO_END} as ends_at
  from ${rootSecrets} r join ${recoveryCodes} c on c.created_at <= r.makes_until
  where c.state = 'active' group by 1`;

export const AFTER_A_ROTATION: Readonly<Record<Purpose, AfterRotation>> = {
  'refresh-token': { counted: [{ what: 'refresh tokens', remedy: 'atUse', count: chains }] },
  'client-secret': {
    counted: [
      {
        what: 'client secrets',
        remedy: 'atUse',
        count: () =>
          byKey(
            sql`stored ->> 'keyId'`,
            sql`${clients} cross join jsonb_array_elements(secret_macs) stored where deleted_at is null`,
          ),
      },
    ],
  },
  'signing-key': {
    counted: [
      {
        what: 'signing keys',
        remedy: 'renewed',
        count: () =>
          byKey(
            sql`convert_from(${octetsOf(padded(sql`split_part(private_jwe, '.', 1)`))}, 'utf8')::jsonb ->> 'kid'`,
            sql`${signingKeys} where private_jwe like '%.%'`,
          ),
      },
    ],
  },
  'second-factor': {
    counted: [
      {
        what: 'authenticator apps',
        remedy: 'renewed',
        count: () =>
          byKey(
            hex(sql`substring(${octetsOf(sql`left(sealed_secret, 8)`)} from 2 for 4)`),
            sql`${secondFactors} where sealed_secret is not null`,
          ),
      },
    ],
  },
  'recovery-code': { counted: [{ what: 'recovery codes', remedy: 'renewed', count: codes }] },
  row: {
    counted: authenticatedTables.map(({ table, alive }) => ({
      what: `rows of ${getTableConfig(table).name}`,
      remedy: 'renewed',
      count: () => byKey(hex(sql`substring(mac from 1 for 4)`), sql`${table} where mac is not null and ${alive}`),
    })),
  },
  'kept-key': { passes: 'seals what recovery codes need, and is counted with them' },
  'authorization-code': { passes: 'a code lives for minutes' },
  interaction: { passes: 'a sign-in page that is open is begun again' },
  form: { passes: 'a form that is open is loaded again' },
  throttle: { passes: 'counts of failures begin again' },
  idempotency: { passes: 'an answer is repeated for a day' },
  console: { passes: 'the console asks for its access token again' },
  'external-sign-in': { passes: 'a federated sign-in that has begun is begun again' },
  device: { passes: 'a browser is known again after its next sign-in; it opens nothing by that' },
  mail: { passes: 'a mail waits for a day at most; one that no listed root secret opens is dropped' },
  passkey: { passes: 'a challenge lives for minutes' },
  'ledger-seal': { passes: 'seals are verified with public keys, and each vouches for the one before' },
  account: { passes: 'the same account has another hash from then on, in ledger and log' },
};

/** What still needs a root secret that is not the first. */
export type Need = {
  readonly keyId: string;
  readonly what: string;
  readonly count: number;
  readonly remedy: Remedy;
  /** Until the last of them has ended; null: they do not end by themselves. */
  readonly endsAt: Date | null;
};

/**
 * @param firstId the id of the first root secret, which is needed anyway.
 * @param isKept whether the first root secret opens this key, so that recovery codes need the older secret no longer.
 * @throws StoreUnavailable
 */
export async function rootSecretNeeds(
  db: Drizzle,
  clock: Clock,
  firstId: string,
  isKept: (kept: KeptKey) => boolean,
): Promise<readonly Need[]> {
  const rows = async <Row>(statement: SQL): Promise<readonly Row[]> =>
    rawRows(await reading(() => db.execute(statement)));
  const stored = await rows<{ keyId: string; sealed: string | null }>(
    sql`select key_id as "keyId", sealed_recovery_code_key as sealed from ${rootSecrets}`,
  );
  const kept = new Set(
    stored.flatMap(({ keyId, sealed }) => (sealed !== null && isKept({ keyId, sealed }) ? [keyId] : [])),
  );
  const needs: Need[] = [];
  for (const [purpose, after] of Object.entries(AFTER_A_ROTATION)) {
    if (!('counted' in after)) continue;
    for (const { what, remedy, count } of after.counted) {
      const found = await rows<{ key_id: string; count: string; ends_at: string | Date | null }>(count(nowOf(clock)));
      for (const { key_id: keyId, count, ends_at } of found) {
        if (keyId === firstId || (purpose === 'recovery-code' && kept.has(keyId))) continue;
        needs.push({ keyId, what, remedy, count: Number(count), endsAt: ends_at === null ? null : new Date(ends_at) });
      }
    }
  }
  return needs;
}

/** Rows of secrets that configuration names (docs/decisions/0100). Their values are sealed; src/registration/configured-secrets.ts opens them. */
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Actor } from '../model/actor.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { administrationLine, entryLine, keyOf, ledgerColumns } from './ledger.ts';
import { nowOf } from './now.ts';
import { configuredSecrets, transitions } from './schema.ts';

export type SecretRow = {
  readonly name: string;
  readonly version: bigint;
  /** Null: removed. */
  readonly sealedValue: string | null;
  readonly changedAt: Date;
};

/** Those that have a value, by name. @throws StoreUnavailable */
export const listSecretRows = (db: Drizzle): Promise<readonly SecretRow[]> =>
  reading(() =>
    db
      .select()
      .from(configuredSecrets)
      .where(isNotNull(configuredSecrets.sealedValue))
      .orderBy(asc(configuredSecrets.name)),
  );

/** Also one that was removed. Null: it was never set. @throws StoreUnavailable */
export async function findSecretRow(db: Drizzle, name: string): Promise<SecretRow | null> {
  const [row] = await reading(() => db.select().from(configuredSecrets).where(eq(configuredSecrets.name, name)));
  return row ?? null;
}

/** Differs after each change of any secret. @throws StoreUnavailable */
export async function changesOfSecrets(db: Drizzle): Promise<string> {
  const [row] = await reading(() =>
    db.select({ changes: sql<string>`coalesce(sum(${configuredSecrets.version}), 0)::text` }).from(configuredSecrets),
  );
  return row?.changes ?? '0';
}

export type SecretChange = {
  readonly name: string;
  /** As it was loaded. Null: there was none. */
  readonly before: SecretRow | null;
  /** Sealed for the next version. Null: the change removes the value. */
  readonly sealedValue: string | null;
};

export const nextVersion = (before: SecretRow | null): bigint => (before?.version ?? 0n) + 1n;

/** The ledger has the name alone. @returns false: another request changed it meanwhile. @throws StoreUnavailable */
export function changeSecretRow(
  db: Drizzle,
  clock: Clock,
  { name, before, sealedValue }: SecretChange,
  actor: Actor,
): Promise<boolean> {
  const now = sql`date_trunc('milliseconds', ${nowOf(clock)})`;
  const values = { version: nextVersion(before), sealedValue, changedAt: now };
  const entry = {
    machine: 'configuredSecret',
    event: sealedValue === null ? 'removalRequested' : 'valueSent',
    from: before === null || before.sealedValue === null ? 'unset' : 'set',
    to: sealedValue === null ? 'unset' : 'set',
    reason: null,
    generation: null,
    actor,
    fields: [`secrets.${name}`],
  };
  const changed = db.$with('changed').as(
    before === null
      ? db
          .insert(configuredSecrets)
          .values({ name, ...values })
          .onConflictDoNothing()
          .returning({ name: configuredSecrets.name })
      : db
          .update(configuredSecrets)
          .set(values)
          .where(and(eq(configuredSecrets.name, name), eq(configuredSecrets.version, before.version)))
          .returning({ name: configuredSecrets.name }),
  );
  const line = ledgerColumns({
    ...entryLine(entry),
    ...administrationLine(entry),
    at: now,
    shardKey: keyOf(sql`${name}`),
  });
  return committing(() =>
    db
      .with(changed)
      .insert(transitions)
      .select(db.select(line).from(changed))
      .returning({ machine: transitions.machine }),
  );
}

/** After a rotation of the root secret. @param reseal null: the row stays as it is. @returns how many were sealed again. @throws StoreUnavailable */
export async function resealSecrets(db: Drizzle, reseal: (row: SecretRow) => string | null): Promise<number> {
  const { name, version } = configuredSecrets;
  let count = 0;
  for (const row of await listSecretRows(db)) {
    const sealedValue = reseal(row);
    if (sealedValue === null) continue;
    const isDone = await committing(() =>
      db
        .update(configuredSecrets)
        .set({ sealedValue })
        .where(and(eq(name, row.name), eq(version, row.version)))
        .returning({ name }),
    );
    if (isDone) count++;
  }
  return count;
}

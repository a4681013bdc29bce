/**
 * The switch of an endpoint (docs/decisions/0096). It gives no access and takes none, and both directions are always
 * allowed, so no machine decides about it. The ledger has an entry of each change.
 */
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Actor } from '../model/actor.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { administrationLine, entryLine, keyOf, ledgerColumns } from './ledger.ts';
import { nowOf } from './now.ts';
import { transitions, webhookReceivers } from './schema.ts';

const CHANGES = {
  off: { event: 'pauseRequested', from: 'sending', to: 'paused' },
  on: { event: 'resumeRequested', from: 'paused', to: 'sending' },
} as const;

/** Changes nothing where it stands like that already. @throws StoreUnavailable */
export async function switchReceiver(
  db: Drizzle,
  clock: Clock,
  name: string,
  to: keyof typeof CHANGES,
  actor: Actor,
): Promise<void> {
  const { pausedAt } = webhookReceivers;
  const now = sql`date_trunc('milliseconds', ${nowOf(clock)})`;
  const entry = {
    machine: 'webhookReceiver',
    ...CHANGES[to],
    reason: null,
    generation: null,
    actor,
    fields: [`receivers.${name}`],
  };
  const switched = db.$with('switched').as(
    db
      .update(webhookReceivers)
      .set({ pausedAt: to === 'off' ? now : null })
      .where(and(eq(webhookReceivers.name, name), to === 'off' ? isNull(pausedAt) : isNotNull(pausedAt)))
      .returning({ name: webhookReceivers.name }),
  );
  const line = ledgerColumns({
    ...entryLine(entry),
    ...administrationLine(entry),
    at: now,
    shardKey: keyOf(sql`${name}`),
  });
  await writing(() =>
    db
      .with(switched)
      .insert(transitions)
      .select(db.select(line).from(switched))
      .returning({ machine: transitions.machine }),
  );
}

/** Since when the server sends it nothing. Null: it sends. @throws StoreUnavailable */
export async function pausedSince(db: Drizzle, name: string): Promise<Date | null> {
  const [row] = await reading(() =>
    db.select({ pausedAt: webhookReceivers.pausedAt }).from(webhookReceivers).where(eq(webhookReceivers.name, name)),
  );
  return row?.pausedAt ?? null;
}

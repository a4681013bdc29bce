/**
 * The outbox is the ledger: each line is written in the statement of its decision. For each receiver it is read once, in the order of its
 * transactions (docs/decisions/0032), and the deliveries of what was read are recorded with the new place, in one statement. So each event is
 * recorded once for each receiver, whichever node reads, and whenever a node dies.
 */
import { eventsNamed, type WebhookReceiver } from '../../policies/webhooks-schema.ts';
import { sha256 } from '../crypto/digest.ts';
import type { Random } from '../crypto/random.ts';
import type { WebhookDelivery } from '../lifecycles/webhook-delivery/entity.ts';
import { eventOf, machinesOf, type OutboxLine } from './events.ts';

/** A place in the order of the ledger: decimal digits both. */
export type OutboxPlace = { readonly recordedIn: string; readonly position: string };

export type NewDelivery = Pick<
  WebhookDelivery,
  'id' | 'receiver' | 'eventId' | 'eventType' | 'userId' | 'data' | 'occurredAt'
>;

export type OutboxStore = {
  /** Those that are new begin at the end of the ledger; the others are noted as still wanted. */
  readonly keep: (receivers: readonly string[]) => Promise<void>;
  /** A bounded number of lines behind the receiver's place. Null: nobody has kept the receiver yet. */
  readonly read: (
    receiver: string,
    machines: readonly string[],
  ) => Promise<{
    readonly from: OutboxPlace;
    /** The last line that was read; null: none is there. */
    readonly to: OutboxPlace | null;
    /** Of these machines alone. */
    readonly lines: readonly OutboxLine[];
  } | null>;
  /** In one statement; false: another node was first, and nothing changed. */
  readonly record: (
    receiver: string,
    move: { readonly from: OutboxPlace; readonly to: OutboxPlace },
    deliveries: readonly NewDelivery[],
    giveUpAfterSeconds: number,
  ) => Promise<boolean>;
};

export type OutboxDeps = { readonly outbox: OutboxStore; readonly random: Pick<Random, 'uuid'> };

/** Reads on until nothing is left. @returns how many deliveries were recorded. @throws StoreUnavailable */
export async function collect(
  { outbox, random }: OutboxDeps,
  { name, events }: Pick<WebhookReceiver, 'name' | 'events'>,
  giveUpAfterSeconds: number,
): Promise<number> {
  const wanted = eventsNamed(events);
  const machines = machinesOf(wanted);
  let recorded = 0;
  for (;;) {
    const read = await outbox.read(name, machines);
    if (read === null) {
      await outbox.keep([name]);
      return recorded;
    }
    if (read.to === null) return recorded;
    const deliveries = read.lines.flatMap((line): NewDelivery[] => {
      const event = eventOf(line);
      if (event === null || !wanted.has(event.type)) return [];
      const { type, ...said } = event;
      return [{ ...said, id: random.uuid(), receiver: name, eventId: eventIdOf(line), eventType: type }];
    });
    const isRecorded = await outbox.record(name, { from: read.from, to: read.to }, deliveries, giveUpAfterSeconds);
    // Another node reads for this receiver; what it leaves is found in the next round.
    if (!isRecorded) return recorded;
    recorded += deliveries.length;
  }
}

/** The same for every receiver, and on every node: a UUID (RFC 9562 §5.8) from the place of the line and its instant. */
export function eventIdOf({ recordedIn, position, at }: Pick<OutboxLine, 'recordedIn' | 'position' | 'at'>): string {
  const hex = sha256(`${recordedIn} ${position} ${at.toISOString()}`).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

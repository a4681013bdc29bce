/**
 * The outbox is the ledger: the statement of each decision writes its entry. The outbox reads the ledger once for each
 * endpoint, in the order of the transactions (docs/decisions/0032). One statement records the deliveries of the
 * entries, and the new place. Each event is therefore recorded once for each endpoint, whichever node reads, and
 * whenever a node crashes.
 */
import { eventsNamed, type WebhookReceiver } from '../../policies/webhooks-schema.ts';
import { sha256 } from '../crypto/digest.ts';
import type { Random } from '../crypto/random.ts';
import type { WebhookDelivery } from '../lifecycles/webhook-delivery/entity.ts';
import { eventOf, machinesOf, type OutboxLine } from './events.ts';

/** A place in the order of the ledger. Both are decimal digits. */
type Place = { readonly recordedIn: string; readonly position: string };
export type OutboxPlace = Place & {
  /** On a cluster, the place in the order of each recording node. Absent: from its start. */
  readonly nodes?: readonly (Place & { readonly node: number })[];
};

export type NewDelivery = Pick<
  WebhookDelivery,
  'id' | 'receiver' | 'eventId' | 'eventType' | 'userId' | 'data' | 'occurredAt'
>;

export type OutboxStore = {
  /** New endpoints begin at the end of the ledger. For the others, the store records that they are still configured. */
  readonly keep: (receivers: readonly string[]) => Promise<void>;
  /** Reads a bounded number of entries after the endpoint's place. Null: the endpoint is not kept yet. */
  readonly read: (
    receiver: string,
    machines: readonly string[],
  ) => Promise<{
    readonly from: OutboxPlace;
    /** The last entry read. Null: none. */
    readonly to: OutboxPlace | null;
    /** Entries of these machines only. */
    readonly lines: readonly OutboxLine[];
  } | null>;
  /** Records in one statement. False: another node was first, and nothing changed. */
  readonly record: (
    receiver: string,
    move: { readonly from: OutboxPlace; readonly to: OutboxPlace },
    deliveries: readonly NewDelivery[],
    giveUpAfterSeconds: number,
  ) => Promise<boolean>;
};

export type OutboxDeps = { readonly outbox: OutboxStore; readonly random: Pick<Random, 'uuid'> };

/** Reads until no entry is left. @returns the number of recorded deliveries. @throws StoreUnavailable */
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
    // Another node reads for this endpoint. The next poll finds the rest.
    if (!isRecorded) return recorded;
    recorded += deliveries.length;
  }
}

/**
 * The same for every endpoint and on every node: a UUID (RFC 9562 §5.8) from the place of the entry and its instant.
 */
export function eventIdOf({ recordedIn, position, at }: Pick<OutboxLine, 'recordedIn' | 'position' | 'at'>): string {
  const hex = sha256(`${recordedIn} ${position} ${at.toISOString()}`).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

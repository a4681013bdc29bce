/**
 * Many requests, one statement. While a batch is in flight, new items wait and form the next batch; a single item is sent
 * alone. A batch is only an optimization: items that it does not answer are sent alone too.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { deadlines } from '../system/deadlines.ts';
import { sentBatches } from '../system/observed.ts';
import { millisecondsLeft, type RequestTime, timeOfRequest, withinTime } from '../system/request-time.ts';
import { inTime, isAboutTheStatement } from './failures.ts';

export type BatchOptions<Item, Answer> = {
  /** For metrics. */
  readonly name: string;
  readonly alone: (item: Item) => Promise<Answer>;
  /** Answers in the order of the items; undefined: send the item alone. */
  readonly together: (items: readonly Item[]) => Promise<readonly (Answer | undefined)[]>;
  /** Items with the same key are never in the same batch. */
  readonly keyOf: (item: Item) => unknown;
  /** The statements change something. */
  readonly writes: boolean;
  /** How long a batch that is on its way holds up the next. */
  readonly maxWaitMilliseconds?: number;
  readonly maxItems?: number;
};

type Waiting<Item, Answer> = {
  readonly item: Item;
  /** Of the request that asks. */
  readonly time: RequestTime | null;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

const MAX_BATCH_ITEMS = 64;
/** Turns of an idle event loop: less than 0.1 ms. */
const LATECOMER_TURNS = 4;
/** A statement that hangs does not delay later batches for longer. */
const MAX_WAIT_MILLISECONDS = 20;
/** Longer than an item ever waits for its batch to be sent. */
const QUEUE_MILLISECONDS = 2_000;

export function batched<Item, Answer>(options: BatchOptions<Item, Answer>): (item: Item) => Promise<Answer> {
  const maxWait = options.maxWaitMilliseconds ?? MAX_WAIT_MILLISECONDS;
  const maxItems = options.maxItems ?? MAX_BATCH_ITEMS;
  let waiting: Waiting<Item, Answer>[] = [];
  let sending = false;
  /** In the last batch. Its answers let about as many clients send their next request, a few turns apart. */
  let lastItems = 1;

  return (item) => {
    const answer = new Promise<Answer>((resolve, reject) => {
      waiting.push({ item, time: timeOfRequest(), resolve, reject });
      // A batch belongs to several requests: none of them may end it for the others.
      if (!sending) void withinTime(null, sendAll);
    });
    // Its statement has a limit too, so that most requests need no second one.
    return millisecondsLeft() > deadlines.databaseMilliseconds + QUEUE_MILLISECONDS
      ? answer
      : inTime(answer, options.writes);
  };

  async function sendAll(): Promise<void> {
    sending = true;
    while (waiting.length > 0) {
      await endOfBurst();
      await Promise.race([send(options, nextBatch()), sleep(maxWait, null, { ref: false })]);
    }
    sending = false;
  }

  /**
   * Collects the items of consecutive turns of the event loop until a turn brings none. While there are fewer than in
   * the last batch, it takes a few such turns.
   */
  async function endOfBurst(): Promise<void> {
    let quietTurns = 0;
    while (waiting.length < maxItems && quietTurns <= (waiting.length < lastItems ? LATECOMER_TURNS : 0)) {
      const known = waiting.length;
      await setImmediate();
      quietTurns = waiting.length > known ? 0 : quietTurns + 1;
    }
  }

  function nextBatch(): readonly Waiting<Item, Answer>[] {
    const batch = new Map<unknown, Waiting<Item, Answer>>();
    const later: Waiting<Item, Answer>[] = [];
    for (const entry of waiting) {
      const key = options.keyOf(entry.item);
      if (batch.size < maxItems && !batch.has(key)) batch.set(key, entry);
      else later.push(entry);
    }
    waiting = later;
    lastItems = batch.size;
    return [...batch.values()];
  }
}

/** Never rejects: failures reach the callers of the items. */
async function send<Item, Answer>(
  options: BatchOptions<Item, Answer>,
  batch: readonly Waiting<Item, Answer>[],
): Promise<void> {
  const [first] = batch;
  sentBatches.publish(() => ({ name: options.name, items: batch.length }));
  if (first && batch.length === 1) return sendAlone(options, first);
  try {
    const answers = await options.together(batch.map(({ item }) => item));
    for (const [index, entry] of batch.entries()) {
      const answer = answers[index];
      if (answer === undefined) void sendAlone(options, entry);
      else entry.resolve(answer);
    }
  } catch (error) {
    for (const entry of batch) {
      // An item that makes the statement fail must not fail the others.
      if (isAboutTheStatement(error)) void sendAlone(options, entry);
      else entry.reject(error);
    }
  }
}

const sendAlone = async <Item, Answer>(
  { alone }: BatchOptions<Item, Answer>,
  { item, time, resolve, reject }: Waiting<Item, Answer>,
): Promise<void> => withinTime(time, () => alone(item)).then(resolve, reject);

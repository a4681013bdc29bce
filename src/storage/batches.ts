/**
 * Many requests, one statement. While one batch is on its way, those that arrive wait and go together as the next; who comes
 * alone goes alone. A batch is only a shorter way: whoever it does not answer goes alone too.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '../engine/errors.ts';

export type Ways<Item, Answer> = {
  readonly alone: (item: Item) => Promise<Answer>;
  /** In the order of the items; undefined: not answered here. */
  readonly together: (items: readonly Item[]) => Promise<readonly (Answer | undefined)[]>;
  /** Two of one key never go together. */
  readonly keyOf: (item: Item) => unknown;
  /** How long a batch that is on its way holds up the next. */
  readonly longestWaitMilliseconds?: number;
};

type Waiting<Item, Answer> = {
  readonly item: Item;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

const MAX_IN_A_BATCH = 64;
/** A statement that hangs does not hold up those that come after it. */
const LONGEST_WAIT_MILLISECONDS = 20;

export function batched<Item, Answer>(ways: Ways<Item, Answer>): (item: Item) => Promise<Answer> {
  const longestWait = ways.longestWaitMilliseconds ?? LONGEST_WAIT_MILLISECONDS;
  let waiting: Waiting<Item, Answer>[] = [];
  let sending = false;

  return (item) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!sending) void sendAll();
    });

  async function sendAll(): Promise<void> {
    sending = true;
    while (waiting.length > 0) {
      await endOfTheBurst();
      await Promise.race([send(ways, nextBatch()), sleep(longestWait, null, { ref: false })]);
    }
    sending = false;
  }

  /** What one turn of the event loop brings goes together, and what the next one brings, for as long as there is more. */
  async function endOfTheBurst(): Promise<void> {
    let known: number;
    do {
      known = waiting.length;
      await setImmediate();
    } while (waiting.length > known && waiting.length < MAX_IN_A_BATCH);
  }

  function nextBatch(): readonly Waiting<Item, Answer>[] {
    const batch = new Map<unknown, Waiting<Item, Answer>>();
    const later: Waiting<Item, Answer>[] = [];
    for (const one of waiting) {
      const key = ways.keyOf(one.item);
      if (batch.size < MAX_IN_A_BATCH && !batch.has(key)) batch.set(key, one);
      else later.push(one);
    }
    waiting = later;
    return [...batch.values()];
  }
}

/** Never rejects: whoever is in the batch is told. */
async function send<Item, Answer>(ways: Ways<Item, Answer>, batch: readonly Waiting<Item, Answer>[]): Promise<void> {
  const [first] = batch;
  if (first && batch.length === 1) return sendAlone(ways, first);
  try {
    const answers = await ways.together(batch.map(({ item }) => item));
    for (const [index, one] of batch.entries()) {
      const answer = answers[index];
      if (answer === undefined) void sendAlone(ways, one);
      else one.resolve(answer);
    }
  } catch (error) {
    for (const one of batch) {
      if (error instanceof StoreUnavailable) one.reject(error);
      // What one of them has done wrong is not the others' fault.
      else void sendAlone(ways, one);
    }
  }
}

const sendAlone = async <Item, Answer>(
  { alone }: Ways<Item, Answer>,
  { item, resolve, reject }: Waiting<Item, Answer>,
): Promise<void> => alone(item).then(resolve, reject);

/** A queue for expensive work. It bounds the running and the waiting work, and rejects the rest immediately. */

export type QueueLimits = {
  readonly running: number;
  /** In all lines together. */
  readonly waiting: number;
  readonly waitingPerLine: number;
  /** Running or waiting under one ticket. */
  readonly perTicket: number;
  /** The queue also rejects work that has waited for longer. */
  readonly waitMilliseconds: number;
};

export type QueuePlace = {
  /** Work of one line runs in order, one item at a time. Lines take turns, so a long line delays no other. */
  readonly line: string;
  readonly ticket: string;
  /** The line takes every other turn, and has a waiting room of the same size, which other lines cannot fill. */
  readonly ahead?: boolean;
  /** The queue drops work that has not started when the signal aborts. */
  readonly signal: AbortSignal;
};

/** `full`: rejected. `abandoned`: the caller no longer waits for it. In both cases the work has not started. */
export type Queued<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'full' | 'abandoned' };

export type BoundedQueue = {
  /** The number of running and waiting items. */
  readonly length: () => { readonly running: number; readonly waiting: number };
  /** Passes on the errors of `work`. */
  readonly run: <T>(place: QueuePlace, work: () => Promise<T>) => Promise<Queued<T>>;
};

type Turn = 'began' | 'full' | 'abandoned';
type Waiting = { readonly answer: (turn: Turn) => void };
type WaitingRoom = { readonly lines: Map<string, Waiting[]>; waiting: number };
const waitingRoom = (): WaitingRoom => ({ lines: new Map(), waiting: 0 });

export function boundedQueue(limits: QueueLimits): BoundedQueue {
  /** Lines that go ahead, and the others. Each group is in the order of its turns. */
  const rooms = { ahead: waitingRoom(), ordinary: waitingRoom() };
  let aheadWasLast = false;
  const runningLines = new Set<string>();
  const tickets = new Map<string, number>();

  function turnOf({ line, signal, ahead = false }: QueuePlace): Turn | Promise<Turn> {
    if (signal.aborted) return 'abandoned';
    if (runningLines.size < limits.running && !runningLines.has(line)) {
      runningLines.add(line);
      return 'began';
    }
    const room = ahead ? rooms.ahead : rooms.ordinary;
    const ofLine = room.lines.get(line) ?? [];
    if (room.waiting >= limits.waiting || ofLine.length >= limits.waitingPerLine) return 'full';
    room.lines.set(line, ofLine);
    return waitIn(room, line, ofLine, signal);
  }

  function waitIn(room: WaitingRoom, line: string, ofLine: Waiting[], signal: AbortSignal): Promise<Turn> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        answer: (turn) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abandon);
          room.waiting--;
          ofLine.splice(ofLine.indexOf(waiting), 1);
          if (ofLine.length === 0) room.lines.delete(line);
          resolve(turn);
        },
      };
      const abandon = () => waiting.answer('abandoned');
      const timer = setTimeout(() => waiting.answer('full'), limits.waitMilliseconds);
      timer.unref();
      signal.addEventListener('abort', abandon);
      ofLine.push(waiting);
      room.waiting++;
    });
  }

  function end(line: string): void {
    runningLines.delete(line);
    for (const { lines } of [rooms.ahead, rooms.ordinary]) {
      const ofLine = lines.get(line);
      if (!ofLine) continue;
      // To the end of the lines: the others come first.
      lines.delete(line);
      lines.set(line, ofLine);
    }
    beginNext();
  }

  function beginNext(): void {
    const { ahead, ordinary } = rooms;
    const began = aheadWasLast ? (beginIn(ordinary) ?? beginIn(ahead)) : (beginIn(ahead) ?? beginIn(ordinary));
    aheadWasLast = began === ahead;
  }

  /** @returns the room. Null: no work there may start. */
  function beginIn(room: WaitingRoom): WaitingRoom | null {
    for (const [line, [first]] of room.lines) {
      if (runningLines.has(line) || first === undefined) continue;
      runningLines.add(line);
      first.answer('began');
      return room;
    }
    return null;
  }

  return {
    length: () => ({ running: runningLines.size, waiting: rooms.ahead.waiting + rooms.ordinary.waiting }),
    run: async (place, work) => {
      const { line, ticket } = place;
      const ofTicket = tickets.get(ticket) ?? 0;
      if (ofTicket >= limits.perTicket) return { kind: 'full' };
      tickets.set(ticket, ofTicket + 1);
      try {
        const turn = await turnOf(place);
        if (turn !== 'began') return { kind: turn };
        try {
          return { kind: 'done', value: await work() };
        } finally {
          end(line);
        }
      } finally {
        const left = (tickets.get(ticket) ?? 1) - 1;
        if (left === 0) tickets.delete(ticket);
        else tickets.set(ticket, left);
      }
    },
  };
}

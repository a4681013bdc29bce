/** A queue for work that is dear: so much runs at once, so much waits, and the rest is turned away at once. */

export type QueueLimits = {
  readonly running: number;
  /** In all lines together. */
  readonly waiting: number;
  readonly waitingPerLine: number;
  /** Running or waiting under one ticket. */
  readonly perTicket: number;
  /** Work that has waited for longer is turned away too. */
  readonly waitMilliseconds: number;
};

export type QueuePlace = {
  /** Work of one line runs in order, one at a time. Lines take turns, so a long line delays no other. */
  readonly line: string;
  readonly ticket: string;
  /** Work that has not begun when the signal comes is dropped. */
  readonly signal: AbortSignal;
};

/** `full`: turned away. `abandoned`: nobody waits for it any more. In both cases the work has not begun. */
export type Queued<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'full' | 'abandoned' };

export type BoundedQueue = {
  /** Passes on what `work` throws. */
  readonly run: <T>(place: QueuePlace, work: () => Promise<T>) => Promise<Queued<T>>;
};

type Turn = 'began' | 'full' | 'abandoned';
type Waiting = { readonly answer: (turn: Turn) => void };

export function boundedQueue(limits: QueueLimits): BoundedQueue {
  /** In the order in which they take turns. */
  const lines = new Map<string, Waiting[]>();
  const runningLines = new Set<string>();
  const tickets = new Map<string, number>();
  let waitingInAll = 0;

  function turnOf({ line, signal }: QueuePlace): Turn | Promise<Turn> {
    if (signal.aborted) return 'abandoned';
    if (runningLines.size < limits.running && !runningLines.has(line)) {
      runningLines.add(line);
      return 'began';
    }
    const ofLine = lines.get(line) ?? [];
    if (waitingInAll >= limits.waiting || ofLine.length >= limits.waitingPerLine) return 'full';
    lines.set(line, ofLine);
    return waitIn(line, ofLine, signal);
  }

  function waitIn(line: string, ofLine: Waiting[], signal: AbortSignal): Promise<Turn> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        answer: (turn) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abandon);
          waitingInAll--;
          ofLine.splice(ofLine.indexOf(waiting), 1);
          if (ofLine.length === 0) lines.delete(line);
          resolve(turn);
        },
      };
      const abandon = () => waiting.answer('abandoned');
      const timer = setTimeout(() => waiting.answer('full'), limits.waitMilliseconds);
      timer.unref();
      signal.addEventListener('abort', abandon);
      ofLine.push(waiting);
      waitingInAll++;
    });
  }

  function end(line: string): void {
    runningLines.delete(line);
    const ofLine = lines.get(line);
    if (ofLine) {
      // To the end of the lines: the others come first.
      lines.delete(line);
      lines.set(line, ofLine);
    }
    beginNext();
  }

  function beginNext(): void {
    for (const [line, ofLine] of lines) {
      const [first] = ofLine;
      if (runningLines.has(line) || first === undefined) continue;
      runningLines.add(line);
      first.answer('began');
      return;
    }
  }

  return {
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

/**
 * Numbers for open pages, as server-sent events. A node asks the API once for all watchers, with the token of each in
 * turn, and of a new watcher first. A user without a role therefore gets no numbers, and one who lost the role gets no
 * more. A stream ends after some minutes, and the browser opens another.
 */
import { PassThrough } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import type { ManagementApi, Page } from './management-api.ts';
import { type MachineNumbers, numbersOf } from './numbers.ts';

export type LiveDeps = {
  /** Between two requests to the API. */
  readonly pollMilliseconds: number;
};

const MAX_WATCHERS = 50;
const STREAM_MILLISECONDS = 4 * 60_000;

type Watcher = {
  readonly api: ManagementApi;
  /** Whether the session of its page is active. */
  readonly isSignedIn: () => Promise<boolean>;
  readonly stream: PassThrough;
  /** Of this machine only. Empty: of all. */
  readonly machine: string;
  sent: string;
  /** A request to the API used the token of this watcher. */
  wasAsked: boolean;
  /** The API has answered such a request: a watcher gets no numbers before. */
  maySee: boolean;
};

export function liveNumbers({ pollMilliseconds }: LiveDeps, log: Pick<FastifyBaseLogger, 'warn'>) {
  /** The watcher whose token is next comes first. */
  let watchers: readonly Watcher[] = [];
  let timer: NodeJS.Timeout | null = null;
  let isAsking = false;

  function end(watcher: Watcher): void {
    watchers = watchers.filter((other) => other !== watcher);
    watcher.stream.end();
    if (watchers.length > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  async function ask(): Promise<void> {
    const [asking, ...others] = watchers;
    if (asking === undefined || isAsking) return;
    watchers = [...others, asking];
    isAsking = true;
    asking.wasAsked = true;
    try {
      if (!(await asking.isSignedIn())) {
        write(asking, 'renew', '{}');
        end(asking);
        return;
      }
      const answer = await asking.api.list<MachineNumbers>('/machines');
      asking.maySee = answer.ok;
      if (answer.ok) tell(answer.value);
      else if (answer.problem.status === 401 || answer.problem.status === 403) {
        write(asking, 'renew', '{}');
        end(asking);
      }
    } catch (error) {
      log.warn({ err: error }, 'the numbers of the machines could not be read');
    } finally {
      isAsking = false;
      // Arrived during the answers to the others.
      if (watchers[0]?.wasAsked === false) void ask();
    }
  }

  function tell({ items }: Page<MachineNumbers>): void {
    for (const watcher of watchers.filter(({ maySee }) => maySee)) {
      const numbers = JSON.stringify(
        numbersOf(items.filter(({ name }) => watcher.machine === '' || name === watcher.machine)),
      );
      // An empty comment line shows the browser, and any proxy, that the stream is open.
      if (numbers === watcher.sent) watcher.stream.write(':\n\n');
      else write(watcher, 'numbers', numbers);
      watcher.sent = numbers;
    }
  }

  const write = ({ stream }: Watcher, event: string, data: string) =>
    stream.write(`event: ${event}\ndata: ${data}\n\n`);

  return {
    /** Ends all streams, when the server closes. */
    end: () => watchers.forEach(end),
    watch: (
      reply: FastifyReply,
      {
        machine,
        api,
        renewalIsDue,
        isSignedIn,
      }: { machine: string; api: ManagementApi; renewalIsDue: boolean; isSignedIn: () => Promise<boolean> },
    ): FastifyReply => {
      if (watchers.length >= MAX_WATCHERS) return reply.code(503).header('retry-after', '60').send('');
      const stream = new PassThrough();
      const watcher: Watcher = { api, isSignedIn, stream, machine, sent: '', wasAsked: false, maySee: false };
      stream.write(`retry: ${pollMilliseconds}\n\n`);
      if (renewalIsDue) {
        write(watcher, 'renew', '{}');
        stream.end();
      } else {
        watchers = [watcher, ...watchers];
        const over = setTimeout(() => end(watcher), STREAM_MILLISECONDS);
        over.unref();
        stream.once('close', () => {
          clearTimeout(over);
          end(watcher);
        });
        timer ??= setInterval(() => void ask(), pollMilliseconds).unref();
        void ask();
      }
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
    },
  };
}

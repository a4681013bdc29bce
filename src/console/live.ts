/**
 * Numbers for pages that are being watched, as server-sent events. However many watch, a node asks the API once for all of them, in turn
 * with the token of each, and of a new watcher first: so a person who has no role gets no numbers, and a person who lost it gets no more. A stream ends after some minutes, and the browser opens another.
 */
import { PassThrough } from 'node:stream';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import type { ManagementApi, Page } from './management-api.ts';
import { type MachineNumbers, numbersOf } from './numbers.ts';

export type LiveDeps = {
  /** Between two questions to the API. */
  readonly pollMilliseconds: number;
};

const MAX_WATCHERS = 50;
const STREAM_MILLISECONDS = 4 * 60_000;

type Watcher = {
  readonly api: ManagementApi;
  /** The session that its page came from has not ended. */
  readonly isSignedIn: () => Promise<boolean>;
  readonly stream: PassThrough;
  /** Of this machine only; empty: of all. */
  readonly machine: string;
  sent: string;
  /** The API was asked with the token of this watcher. */
  wasAsked: boolean;
  /** And it answered: nobody gets numbers before. */
  maySee: boolean;
};

export function liveNumbers({ pollMilliseconds }: LiveDeps, log: Pick<FastifyBaseLogger, 'warn'>) {
  /** Whose token is used next comes first. */
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
      // Came while others were answered.
      if (watchers[0]?.wasAsked === false) void ask();
    }
  }

  function tell({ items }: Page<MachineNumbers>): void {
    for (const watcher of watchers.filter(({ maySee }) => maySee)) {
      const numbers = JSON.stringify(
        numbersOf(items.filter(({ name }) => watcher.machine === '' || name === watcher.machine)),
      );
      // A line without meaning says that the stream is alive, also to what stands in between.
      if (numbers === watcher.sent) watcher.stream.write(':\n\n');
      else write(watcher, 'numbers', numbers);
      watcher.sent = numbers;
    }
  }

  const write = ({ stream }: Watcher, event: string, data: string) =>
    stream.write(`event: ${event}\ndata: ${data}\n\n`);

  return {
    /** Of all who watch: the server closes. */
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

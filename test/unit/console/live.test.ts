/** Live numbers: one request for all viewers, streams that end, and no stream without the role. */
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveNumbers } from '../../../src/console/live.ts';
import type { Answer, ManagementApi } from '../../../src/console/management-api.ts';
import { until } from '../../support/until.ts';

let app: FastifyInstance;
let asked: string[];
let answer: (token: string) => Answer<unknown>;
let renewalIsDue: boolean;
let isSignedIn: boolean;
/** Of the watcher of this name. */
let other: ManagementApi | null;

const MACHINE = {
  name: 'grant',
  exact: true,
  states: [{ name: 'active', rows: 1234 }],
  arms: [
    { from: 'active', event: 'ended', to: 'revoked', reason: 'a', last_5_minutes: 2 },
    { from: 'active', event: 'ended', to: 'revoked', reason: 'b', last_5_minutes: 3 },
  ],
};
const good: Answer<unknown> = {
  status: 200,
  ok: true,
  etag: null,
  value: { items: [MACHINE, { ...MACHINE, name: 'other' }], next: null },
};
const refused = { ok: false, problem: { status: 403 } } as Answer<unknown>;

const apiOf = (token: string) =>
  ({
    list: async () => {
      asked.push(token);
      return answer(token);
    },
  }) as unknown as ManagementApi;

beforeEach(async () => {
  asked = [];
  answer = () => good;
  renewalIsDue = false;
  isSignedIn = true;
  other = null;
  app = Fastify();
  const live = liveNumbers({ pollMilliseconds: 5 }, app.log);
  app.addHook('preClose', async () => live.end());
  app.get<{ Params: { token: string } }>('/:token', (request, reply) =>
    live.watch(reply, {
      machine: 'grant',
      renewalIsDue,
      isSignedIn: async () => isSignedIn,
      api: (request.params.token === 'other' && other) || apiOf(request.params.token),
    }),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => app.close());

async function watch(token: string) {
  const { port } = app.server.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/${token}`);
  let text = '';
  let over = false;
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  void (async () => {
    for (;;) {
      const part = await reader?.read().catch(() => undefined);
      if (!part || part.done) break;
      text += part.value;
    }
    over = true;
  })();
  return { response, text: () => text, isOver: () => over, leave: () => reader?.cancel() };
}

describe('a stream', () => {
  it('sends the numbers of its machine, arms of all reasons together, as an event stream', async () => {
    const watcher = await watch('a');
    await until(async () => watcher.text().includes('event: numbers'));
    expect(watcher.response.headers.get('content-type')).toBe('text/event-stream');
    const data = /data: (.*)/.exec(watcher.text())?.[1] ?? '';
    expect(JSON.parse(data)).toEqual({ 'grant state active': '1,234', 'grant arm active ended revoked': 5 });
  });

  it('sends unchanged numbers once', async () => {
    const watcher = await watch('a');
    await until(async () => watcher.text().split(':\n\n').length > 3);
    expect(watcher.text().split('event: numbers')).toHaveLength(2);
  });

  it('shares one request among all viewers, with the token of each in turn', async () => {
    const watchers = [await watch('a'), await watch('b'), await watch('c')];
    await until(async () => asked.length >= 12);
    expect(new Set(asked.slice(-6))).toEqual(new Set(['a', 'b', 'c']));
    for (const watcher of watchers) expect(watcher.text()).toContain('event: numbers');
  });

  it('of an administrator who lost the role ends; those of others continue', async () => {
    const [loser, other] = [await watch('loser'), await watch('other')];
    answer = (token) => (token === 'loser' ? refused : good);
    await until(async () => loser.isOver());
    expect(loser.text()).toContain('event: renew');
    expect(other.isOver()).toBe(false);
    const before = asked.length;
    await until(async () => asked.length > before + 3);
    expect(asked.slice(before + 1)).not.toContain('loser');
  });

  it('of a user without a role gets no numbers, not even those on their way to others', async () => {
    const [asking, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const apiOfOther = {
      list: async () => {
        asking.resolve();
        await gate.promise;
        return good;
      },
    } as unknown as ManagementApi;
    other = apiOfOther;
    const watcher = await watch('other');
    await asking.promise;
    answer = () => refused;
    const loser = await watch('loser');
    gate.resolve();
    await until(async () => loser.isOver() && watcher.text().includes('event: numbers'));
    expect(loser.text()).toContain('event: renew');
    expect(loser.text()).not.toContain('event: numbers');
  });

  it('with a token about to expire requests a renewal immediately', async () => {
    renewalIsDue = true;
    const watcher = await watch('a');
    await until(async () => watcher.isOver());
    expect(watcher.text()).toContain('event: renew');
    expect(asked).toEqual([]);
  });

  it('ends for a browser whose session has ended', async () => {
    isSignedIn = false;
    const watcher = await watch('a');
    await until(async () => watcher.isOver());
    expect(watcher.text()).toContain('event: renew');
    expect(watcher.text()).not.toContain('event: numbers');
    expect(asked).toEqual([]);
  });

  it('makes no request without a viewer', async () => {
    const watcher = await watch('a');
    await until(async () => asked.length > 2);
    await watcher.leave();
    let before = -1;
    await until(async () => {
      const same = asked.length === before;
      before = asked.length;
      return same;
    });
    const another = await watch('b');
    await until(async () => another.text().includes('event: numbers'));
    expect(asked.slice(before)).not.toContain('a');
  });

  it('survives a failure of the API', async () => {
    answer = () => {
      throw new Error('broken');
    };
    const watcher = await watch('a');
    await until(async () => asked.length > 3);
    answer = () => good;
    await until(async () => watcher.text().includes('event: numbers'));
  });

  it('is one of fifty at most', async () => {
    const watchers = await Promise.all(Array.from({ length: 50 }, (_, index) => watch(`w${index}`)));
    const refusal = await watch('one-too-many');
    expect(refusal.response.status).toBe(503);
    expect(refusal.response.headers.get('retry-after')).toBe('60');
    await Promise.all(watchers.map(({ leave }) => leave()));
  });

  it('ends when the server closes, which waits for none', async () => {
    const watcher = await watch('a');
    await app.close();
    await until(async () => watcher.isOver());
  });
});

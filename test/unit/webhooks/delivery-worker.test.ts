/** The worker on deliveries in memory: its polls, their end, the failures that concern one delivery or all, and the log. */
import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailable, Unavailable } from '../../../src/engine/errors.ts';
import type { AttemptOutcome } from '../../../src/lifecycles/webhook-delivery/attempt.ts';
import type { WebhookDelivery } from '../../../src/lifecycles/webhook-delivery/entity.ts';
import { webhookAttempts } from '../../../src/system/observed.ts';
import type { Attempt, Attempted } from '../../../src/webhooks/attempt.ts';
import {
  type DeliveryWorkerDeps,
  type DueDelivery,
  type EndedAttempt,
  openDeliveryWorker,
} from '../../../src/webhooks/delivery-worker.ts';
import { WEBHOOK_SECRET } from '../../support/receiver.ts';
import { type WrittenReceiver, webhooksFile } from '../../support/webhooks.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const CRM = { name: 'crm', url: 'https://crm.test/hooks', events: ['user'], allowPrivateNetwork: false };
const ERP = { ...CRM, name: 'erp', url: 'https://erp.test/hooks' };

const deliveryOf = (id: string, change: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  id,
  receiver: 'crm',
  eventId: `event-${id}`,
  eventType: 'user.created',
  userId: null,
  data: { sub: 'alice' },
  occurredAt: NOW,
  state: 'pending',
  attempts: 0,
  nextAttemptAt: NOW,
  givesUpAt: new Date('2030-02-01T00:00:00Z'),
  createdAt: NOW,
  endedAt: null,
  abandonedReason: null,
  lastOutcome: null,
  ...change,
});

type Logged = readonly [level: 'info' | 'warn' | 'error', fields: object, text: string];

type WrittenFile = { readonly receivers?: readonly WrittenReceiver[] } & Readonly<Record<string, unknown>>;

/** As an endpoint answers with this status. Null: it does not answer. */
const answered = (outcome: AttemptOutcome, status: number | null = null) => ({ outcome, status });

/** @param first deliveries, all of them due. */
function bench(
  first: readonly WebhookDelivery[],
  { receivers = [CRM], ...rest }: WrittenFile = {},
  change: Partial<DeliveryWorkerDeps> = {},
) {
  const rows = new Map(first.map((row) => [row.id, row]));
  const asked: Attempt[] = [];
  const logged: Logged[] = [];
  const pages: (readonly [receiver: string, limit: number, after: string | null])[] = [];
  const loads: string[] = [];
  const recorded: EndedAttempt[] = [];
  let milliseconds = 0;
  const log =
    (level: Logged[0]) =>
    (fields: object, text: string): void =>
      void logged.push([level, fields, text]);
  const file = webhooksFile(receivers, rest);
  const deps: DeliveryWorkerDeps = {
    issuer: 'https://as.test',
    sign: (claims) => JSON.stringify(claims),
    outbox: { keep: async () => {}, read: async (_name) => null, record: async () => true },
    random: { uuid: () => 'a-uuid' },
    deliveries: {
      load: async (id) => {
        loads.push(id);
        const delivery = rows.get(id);
        return delivery === undefined ? null : { now: NOW, delivery };
      },
      commit: async ({ writes }) => {
        for (const write of writes) {
          const row = write.kind === 'update' ? rows.get(String(write.loaded['id'])) : undefined;
          if (row && write.kind === 'update') rows.set(row.id, { ...row, ...write.set });
        }
        return true;
      },
    },
    due: async (receiver, limit, after) => {
      pages.push([receiver, limit, after?.id ?? null]);
      const due = first.filter((row) => row.receiver === receiver);
      const from = after === null ? 0 : due.findIndex(({ id }) => id === after.id) + 1;
      return due.slice(from, from + limit).map(({ id }): DueDelivery => ({ id, at: 'now' }));
    },
    webhooks: () => file,
    secretsOf: async () => [WEBHOOK_SECRET],
    now: () => NOW,
    chance: () => 0.5,
    sleep: async () => {},
    logger: { info: log('info'), warn: log('warn'), error: log('error') } as unknown as DeliveryWorkerDeps['logger'],
    attempt: async (attempt) => {
      asked.push(attempt);
      return answered('delivered');
    },
    record: async (ended) => void recorded.push(ended),
    milliseconds: () => (milliseconds += 40),
    ...change,
  };
  return { ...openDeliveryWorker(deps), deps, rows, asked, logged, pages, loads, recorded };
}

/** Attempts that end when the test says so. `started`: this many have begun. */
function pendingAttempt(count = 1) {
  const begun: Attempt[] = [];
  const { promise, resolve } = Promise.withResolvers<Attempted>();
  const started = Promise.withResolvers<void>();
  const attempt = (asked: Attempt) => {
    if (begun.push(asked) === count) started.resolve();
    return promise;
  };
  return { begun, attempt, started: started.promise, end: (outcome: AttemptOutcome) => resolve(answered(outcome)) };
}

describe('an attempt', () => {
  it('gets the address, the body, the secrets and the limits of its endpoint', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const { round, asked, rows, logged } = bench([deliveryOf('one')], { timeoutSeconds: 7 });
    await round();
    expect(asked).toEqual([
      {
        url: CRM.url,
        id: 'evt_event-one',
        body: {
          contentType: 'application/json',
          text: JSON.stringify({ type: 'user.created', timestamp: NOW.toISOString(), data: { sub: 'alice' } }),
        },
        secrets: [WEBHOOK_SECRET],
        allowPrivateNetwork: false,
        at: NOW,
        signal: expect.any(AbortSignal),
      },
    ]);
    expect(timeout).toHaveBeenCalledExactlyOnceWith(7000);
    timeout.mockRestore();
    expect(rows.get('one')).toMatchObject({ state: 'delivered', attempts: 1, lastOutcome: 'delivered' });
    expect(logged).toEqual([]);
  });

  it('ends at its timeout', async () => {
    const time = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    const waiting = pendingAttempt();
    const { round } = bench([deliveryOf('one')], {}, waiting);
    const running = round();
    await waiting.started;
    timeout.mockRestore();
    expect(waiting.begun[0]?.signal.aborted).toBe(false);
    time.abort();
    expect(waiting.begun[0]?.signal.aborted).toBe(true);
    waiting.end('timed_out');
    await running;
  });

  it('is recorded with its outcome, the status of the answer and its time, also where it failed', async () => {
    const refused = { attempt: async () => answered('refused', 403) };
    const [one, other] = [bench([deliveryOf('one')]), bench([deliveryOf('two')], {}, refused)];
    await Promise.all([one.round(), other.round()]);
    const rest = { at: NOW, milliseconds: 40 };
    expect(one.recorded).toEqual([{ id: 'one', eventId: 'event-one', outcome: 'delivered', status: null, ...rest }]);
    expect(other.recorded).toEqual([{ id: 'two', eventId: 'event-two', outcome: 'refused', status: 403, ...rest }]);
  });

  it('is published with its endpoint and its outcome', async () => {
    const heard: unknown[] = [];
    const end = webhookAttempts.listen((message) => void heard.push(message));
    const one = bench([deliveryOf('one')], {}, { attempt: async () => answered('refused') });
    await one.round();
    end();
    expect(heard).toEqual([{ receiver: 'crm', outcome: 'refused' }]);
  });

  it.each([
    ['standard', ['claim', 'report']],
    ['set', ['body', 'claim', 'report']],
  ] as const)('in the format %s is signed before its claim only where a key signs it', async (format, expected) => {
    const events = ['user.disabled'];
    const change = { eventType: 'user.disabled' };
    const { round, loads, asked } = bench([deliveryOf('one', change)], { receivers: [{ ...CRM, format, events }] });
    await round();
    expect(loads).toHaveLength(expected.length);
    expect(asked.map(({ body }) => body.contentType)).toEqual([
      format === 'set' ? 'application/secevent+jwt' : 'application/json',
    ]);
  });

  it.each([
    ['was delivered', { state: 'delivered', nextAttemptAt: null, endedAt: NOW }],
    ['is claimed by another node', { nextAttemptAt: new Date(NOW.getTime() + 1) }],
    ['has no attempt left', { attempts: 12 }],
  ] as const)('does not take place for a delivery that %s', async (_, change) => {
    for (const format of ['standard', 'set'] as const) {
      const row = deliveryOf('one', { ...change, eventType: 'user.disabled' });
      const one = bench([row], { receivers: [{ ...CRM, format, events: ['user.disabled'] }] });
      await one.round();
      expect(one.asked).toEqual([]);
      expect(one.logged).toEqual([]);
    }
  });

  it.each(['standard', 'set'] as const)('does not take place for a removed delivery (%s)', async (format) => {
    const one = bench([deliveryOf('one')], { receivers: [{ ...CRM, format, events: ['user.disabled'] }] });
    one.rows.clear();
    await one.round();
    expect(one.asked).toEqual([]);
    expect(one.logged).toEqual([]);
  });
});

describe('the log', () => {
  const SAID = { receiver: 'crm', deliveryId: 'one', eventId: 'event-one', eventType: 'user.created', attempts: 1 };
  it('has a warning for a failed attempt, with the next one', async () => {
    const { round, logged } = bench([deliveryOf('one')], {}, { attempt: async () => answered('failed') });
    await round();
    const fields = { ...SAID, outcome: 'failed', nextAttemptAt: new Date(NOW.getTime() + 5000) };
    expect(logged).toEqual([['warn', fields, 'an event was not delivered; the worker tries again']]);
  });

  it('has an error for a dead-lettered event', async () => {
    const { round, logged } = bench(
      [deliveryOf('one')],
      { maxAttempts: 1 },
      { attempt: async () => answered('failed') },
    );
    await round();
    const fields = { ...SAID, outcome: 'failed', reason: 'attempts_used_up' };
    expect(logged).toEqual([['error', fields, 'an event is dead-lettered: its endpoint did not accept it']]);
  });

  it('has an error for a secret that cannot be read, and no attempt takes place', async () => {
    const { round, logged, pages } = bench([deliveryOf('one')], {}, { secretsOf: async () => null });
    await round();
    expect(logged).toEqual([
      ['error', { receiver: 'crm' }, 'the secret of a receiver cannot be read; its events wait'],
    ]);
    expect(pages).toEqual([]);
  });
});

describe('a failure', () => {
  const unreachable = new StoreUnavailable(false);
  const unexpected = new StoreUnavailable(false, { isUnexpected: true });
  const FAILURES: readonly (readonly [string, Error, 'all' | 'one'])[] = [
    ['the database is away', unreachable, 'all'],
    ['the database refuses a statement', unexpected, 'one'],
    ['no signature', new Unavailable('signing_unavailable'), 'all'],
    ['no signature, for a reason of the device', new Unavailable('signing_unavailable', { cause: new Error() }), 'all'],
    ['the database is away, for the engine', new Unavailable('store_unavailable', { cause: unreachable }), 'all'],
    ['the database refuses it, for the engine', new Unavailable('store_unavailable', { cause: unexpected }), 'one'],
    ['a lost commit', new Unavailable('commit_unknown', { cause: unreachable }), 'all'],
    ['conflicts without end', new Unavailable('too_many_conflicts'), 'one'],
    ['conflicts, and a database that is away', new Unavailable('too_many_conflicts', { cause: unreachable }), 'one'],
    ['a defect', new TypeError('at is no Date'), 'one'],
  ];

  it.each(FAILURES)('%s', async (_, error, concerns) => {
    const failing = async () => {
      throw error;
    };
    const ids = Array.from({ length: 20 }, (__, index) => `${index}`);
    const all = bench(
      ids.map((id) => deliveryOf(id, { eventType: 'user.disabled' })),
      { receivers: [{ ...CRM, format: 'set', events: ['user.disabled'] }] },
    );
    const { load } = all.deps.deliveries;
    (all.deps.deliveries as { load: typeof load }).load = (id) => (id === '3' ? failing() : load(id));
    await all.round();
    const others = ids.filter((id) => id !== '3');
    const untouched = others.filter((id) => all.rows.get(id)?.state === 'pending');
    if (concerns === 'all') {
      expect(all.logged).toEqual([
        ['warn', { receiver: 'crm', err: error }, 'webhook deliveries failed; the next poll retries'],
      ]);
      expect(untouched).toEqual(ids.slice(8));
    } else {
      expect(all.logged).toEqual([['warn', { receiver: 'crm', deliveryId: '3', err: error }, 'a delivery is skipped']]);
      expect(untouched).toEqual([]);
    }
  });

  it('of one delivery is logged once, and again after a poll without it, for each endpoint', async () => {
    const defects = new Set(['1', '9']);
    const rows = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((id) => deliveryOf(id));
    const all = bench([...rows, deliveryOf('other', { receiver: 'erp' })], { receivers: [CRM, ERP] });
    const { load } = all.deps.deliveries;
    (all.deps.deliveries as { load: typeof load }).load = async (id) => {
      if (defects.has(id)) throw new TypeError(id);
      return load(id);
    };
    const skipped = () => all.logged.splice(0).map(([, fields]) => Object.values(fields).slice(0, 2).join(' '));
    await all.round();
    expect(skipped()).toEqual(['crm 1']);
    await all.round();
    expect(skipped()).toEqual([]);
    defects.delete('1');
    defects.add('other');
    await all.round();
    expect(skipped().toSorted()).toEqual(['crm 9', 'erp other']);
    defects.clear();
    await all.round();
    expect(skipped()).toEqual([]);
    defects.add('9');
    await all.round();
    expect(skipped()).toEqual(['crm 9']);
  });
});

describe('a poll', () => {
  it('reads page after page, forward only', async () => {
    const ids = Array.from({ length: 17 }, (_, index) => `${index}`);
    const { round, pages, rows } = bench(ids.map((id) => deliveryOf(id)));
    await round();
    expect(pages).toEqual([
      ['crm', 8, null],
      ['crm', 8, '7'],
      ['crm', 8, '15'],
      ['crm', 8, '16'],
    ]);
    expect([...rows.values()].every(({ state }) => state === 'delivered')).toBe(true);
  });

  it('skips an endpoint that an earlier poll still serves', async () => {
    const waiting = pendingAttempt(2);
    const rows = [deliveryOf('slow'), deliveryOf('other', { receiver: 'erp' })];
    const polled = bench(rows, { receivers: [CRM, ERP] }, waiting);
    const readBy = () => [...new Set(polled.pages.splice(0).map(([receiver]) => receiver))];
    const first = polled.round();
    await waiting.started;
    expect(readBy()).toEqual(['crm', 'erp']);
    await polled.round();
    expect(readBy()).toEqual([]);
    waiting.end('delivered');
    await first;
    readBy();
    await polled.round();
    expect(readBy()).toEqual(['crm', 'erp']);
  });

  it('serves the other endpoints while one has not answered', async () => {
    const waiting = pendingAttempt();
    const polled = bench([deliveryOf('slow')], { receivers: [CRM, ERP] }, waiting);
    const first = polled.round();
    await waiting.started;
    const before = polled.pages.length;
    await polled.round();
    expect(polled.pages.slice(before)).toEqual([['erp', 8, null]]);
    waiting.end('delivered');
    await first;
  });

  it('records the events of its endpoint before it reads what is due', async () => {
    const read = vi.fn(async () => null);
    const keep = vi.fn(async () => {});
    const outbox = { read, keep, record: async () => true };
    const { round } = bench([], {}, { outbox });
    await round();
    expect(read).toHaveBeenCalledExactlyOnceWith('crm', ['user']);
    expect(keep).toHaveBeenCalledExactlyOnceWith(['crm']);
  });

  it('gives recorded events the time of the file', async () => {
    const record = vi.fn(async () => true);
    const place = { recordedIn: '1', position: '1' };
    const read = vi
      .fn()
      .mockResolvedValueOnce({ from: place, to: { ...place, position: '2' }, lines: [] })
      .mockResolvedValue({ from: place, to: null, lines: [] });
    const outbox = { read, keep: async () => {}, record };
    await bench([], { giveUpAfterSeconds: 77 }, { outbox }).round();
    expect(record).toHaveBeenCalledExactlyOnceWith('crm', { from: place, to: { ...place, position: '2' } }, [], 77);
  });
});

describe('after close', () => {
  it.each([
    ['delivered', { state: 'delivered', lastOutcome: 'delivered' }],
    // The endpoint did not cause this end. The claim expires, and the attempt is repeated.
    ['timed_out', { state: 'pending', attempts: 1, lastOutcome: null }],
    ['unreachable', { state: 'pending', attempts: 1, lastOutcome: null }],
  ] as const)('an attempt that ends as %s is reported only if it was delivered', async (outcome, stored) => {
    const waiting = pendingAttempt(8);
    const heard: unknown[] = [];
    const end = webhookAttempts.listen((message) => void heard.push(message));
    const rows = Array.from({ length: 9 }, (_, index) => deliveryOf(`${index}`));
    const read = vi.fn(async () => null);
    const closed = bench(rows, {}, { ...waiting, outbox: { read, keep: async () => {}, record: async () => true } });
    const running = closed.round();
    await waiting.started;
    let isClosed = false;
    const closing = closed.close().then(() => {
      isClosed = true;
    });
    expect(waiting.begun[0]?.signal.aborted).toBe(true);
    await Promise.resolve();
    expect(isClosed).toBe(false);
    waiting.end(outcome);
    await closing;
    expect(closed.rows.get('0')).toMatchObject(stored);
    expect(heard).toHaveLength(outcome === 'delivered' ? 8 : 0);
    await running;
    end();
    // No further page, and no further poll.
    await closed.round();
    expect(closed.pages).toHaveLength(1);
    expect(read).toHaveBeenCalledOnce();
    expect(closed.rows.get('8')).toMatchObject({ attempts: 0 });
  });
});

/** The outbox on a ledger in memory: the entries that become deliveries, page after page, and the id of an event. */
import { describe, expect, it, vi } from 'vitest';
import type { OutboxLine } from '../../../src/webhooks/events.ts';
import { collect, eventIdOf, type OutboxStore } from '../../../src/webhooks/outbox.ts';

const place = (position: number) => ({ recordedIn: '7', position: `${position}` });
const lineAt = (position: number, change: Partial<OutboxLine> = {}): OutboxLine => ({
  ...place(position),
  at: new Date('2030-01-01T00:00:00.250Z'),
  machine: 'user',
  event: 'disableRequested',
  from: 'enabled',
  to: 'disabled',
  reason: null,
  clientId: null,
  userId: 'alice',
  sessionId: null,
  grantId: null,
  signingKeyId: null,
  actor: null,
  fields: null,
  address: null,
  userAgent: null,
  ...change,
});
const pageOf = (from: number, ...lines: readonly OutboxLine[]) => ({
  from: place(from),
  to: lines.at(-1) ? place(Number(lines.at(-1)?.position)) : null,
  lines,
});

/** @param pages the answers of the ledger, in order. */
function bench(pages: readonly Awaited<ReturnType<OutboxStore['read']>>[], recorded: readonly boolean[] = []) {
  const left = [...pages];
  const answers = [...recorded];
  const outbox = {
    keep: vi.fn(async (_: readonly string[]) => {}),
    read: vi.fn(async (_name: string, _machines: readonly string[]) => left.shift() ?? null),
    record: vi.fn(async (..._given: Parameters<OutboxStore['record']>) => answers.shift() ?? true),
  };
  let made = 0;
  const random = { uuid: () => `made-${++made}` };
  const asked = { name: 'crm', events: ['user', 'session.ended'] } as const;
  return { ...outbox, collect: () => collect({ outbox, random }, { ...asked, events: [...asked.events] }, 77) };
}

describe('the outbox', () => {
  it('begins a new endpoint at the end of the ledger', async () => {
    const ledger = bench([null]);
    expect(await ledger.collect()).toBe(0);
    expect(ledger.keep).toHaveBeenCalledExactlyOnceWith(['crm']);
    expect(ledger.record).not.toHaveBeenCalled();
  });

  it('reads the entries of the machines of its events', async () => {
    const ledger = bench([pageOf(1)]);
    await ledger.collect();
    expect(ledger.read).toHaveBeenCalledExactlyOnceWith('crm', ['session', 'user']);
    expect(ledger.keep).not.toHaveBeenCalled();
  });

  it('records wanted events alone, and its place, page after page until no entry is left', async () => {
    const started = lineAt(5, { machine: 'session', from: 'awaitingSecondFactor', to: 'active' });
    const noEvent = lineAt(6, { event: 'signedIn', to: 'enabled' });
    const ledger = bench([
      pageOf(1, lineAt(2), lineAt(4)),
      pageOf(4, started, noEvent),
      pageOf(6, lineAt(9)),
      pageOf(9),
    ]);
    expect(await ledger.collect()).toBe(3);
    const delivery = (id: number, position: number) => ({
      id: `made-${id}`,
      receiver: 'crm',
      eventId: eventIdOf(lineAt(position)),
      eventType: 'user.disabled',
      userId: 'alice',
      data: { sub: 'alice' },
      occurredAt: lineAt(position).at,
    });
    expect(ledger.record.mock.calls).toEqual([
      ['crm', { from: place(1), to: place(4) }, [delivery(1, 2), delivery(2, 4)], 77],
      ['crm', { from: place(4), to: place(6) }, [], 77],
      ['crm', { from: place(6), to: place(9) }, [delivery(3, 9)], 77],
    ]);
  });

  it('stops where another node was first', async () => {
    const ledger = bench([pageOf(1, lineAt(2)), pageOf(2, lineAt(3)), pageOf(3, lineAt(4))], [true, false]);
    expect(await ledger.collect()).toBe(1);
    expect(ledger.record).toHaveBeenCalledTimes(2);
  });
});

describe('the id of an event', () => {
  it('is the same in every version of the server', () => {
    expect(eventIdOf(lineAt(2))).toBe('186275ba-c3ce-8e05-a03f-ae506e3e15bd');
  });

  it('differs with each part of the place and with the instant', () => {
    const others = [
      lineAt(2),
      lineAt(3),
      { ...lineAt(2), recordedIn: '8' },
      // The parts are apart: neither joins the other.
      { ...lineAt(2), recordedIn: '72', position: '' },
      { ...lineAt(2), at: new Date('2030-01-01T00:00:00.251Z') },
    ];
    expect(new Set(others.map(eventIdOf)).size).toBe(others.length);
  });
});

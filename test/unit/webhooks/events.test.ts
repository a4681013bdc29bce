/** The table of the events, checked against the machines: every rule covers an arm, and no entry yields two events. */
import { describe, expect, it } from 'vitest';
import { WEBHOOK_EVENTS, WEBHOOK_GROUPS } from '../../../policies/webhooks-schema.ts';
import { armsOf } from '../../../src/catalogue/read.ts';
import { EVENTS, eventOf, type OutboxLine } from '../../../src/webhooks/events.ts';
import { subjects } from '../machines/catalogue.ts';

const LINE: OutboxLine = {
  recordedIn: '1',
  position: '1',
  at: new Date(0),
  machine: '',
  event: '',
  from: '',
  to: '',
  reason: null,
  clientId: null,
  userId: null,
  sessionId: null,
  grantId: null,
  signingKeyId: null,
  actor: null,
  fields: null,
  address: null,
  userAgent: null,
};

/** A line for each arm of each machine, with each reason that the arm writes. */
const LINES: readonly OutboxLine[] = subjects.flatMap(({ name, machine, events }) =>
  machine.states.flatMap(({ name: from }) =>
    events.flatMap((event) =>
      armsOf(machine, from, event).flatMap(({ to, effects }) => {
        const reasons = effects.flatMap(({ params }) =>
          typeof params['reason'] === 'string' ? [params['reason']] : [],
        );
        return (reasons.length === 0 ? [null] : reasons).flatMap((reason) =>
          [['password'], ['username', 'claims']].map((fields) => ({
            ...LINE,
            machine: name,
            event,
            from,
            to,
            reason,
            fields,
          })),
        );
      }),
    ),
  ),
);

const alone = (name: keyof typeof EVENTS, line: OutboxLine) => eventOf(line)?.type === name;

describe('the table of the events', () => {
  it.each(WEBHOOK_EVENTS.filter((name) => name !== 'session.started'))('every rule of %s covers an arm', (name) => {
    for (const rule of EVENTS[name]) {
      const words = (of: 'event' | 'from' | 'to' | 'reason') =>
        new Set(LINES.filter(({ machine }) => machine === rule.machine).map((line) => line[of]));
      for (const event of rule.events ?? []) expect(words('event')).toContain(event);
      for (const state of [...(rule.from ?? []), ...(rule.to ?? [])])
        expect(new Set([...words('from'), ...words('to')])).toContain(state);
      for (const reason of [...(rule.reasons ?? []), ...(rule.notReasons ?? [])])
        expect(words('reason')).toContain(reason);
    }
    expect(LINES.some((line) => alone(name, line))).toBe(true);
  });

  it('no entry yields two events, in any order of the table', () => {
    for (const line of LINES) {
      const matching = WEBHOOK_EVENTS.filter((name) => {
        const others = Object.fromEntries(Object.entries(EVENTS).filter(([key]) => key === name));
        return eventOf(line, others)?.type === name;
      });
      expect(matching.length, JSON.stringify(line)).toBeLessThanOrEqual(1);
    }
  });

  it('every group has events, and every event a group', () => {
    const groups = new Set(WEBHOOK_EVENTS.map((name) => name.replace(/\..*/, '')));
    expect([...groups].toSorted()).toEqual([...WEBHOOK_GROUPS].toSorted());
  });

  it('an entry with an instant that the server does not write yields no event', () => {
    const line = { ...LINE, machine: 'user', event: 'disableRequested', from: 'enabled', to: 'disabled' };
    expect(eventOf(line)?.type).toBe('user.disabled');
    for (const at of [Number.NaN, -1, Date.UTC(10_000, 0)]) expect(eventOf({ ...line, at: new Date(at) })).toBeNull();
  });

  it('contains ids, names of fields, reasons and the actor', () => {
    const line = {
      ...LINE,
      machine: 'grant',
      event: 'refreshTokenReused',
      from: 'active',
      to: 'revoked',
      reason: 'refresh_token_reused',
      clientId: 'shop',
      userId: 'alice',
      grantId: 'grant',
    };
    expect(eventOf(line)).toEqual({
      type: 'grant.reuse_detected',
      userId: 'alice',
      occurredAt: LINE.at,
      data: {
        sub: 'alice',
        client_id: 'shop',
        grant_id: 'grant',
        reason: 'refresh_token_reused',
        initiated_by: 'system',
      },
    });
    expect(eventOf({ ...line, event: 'revocationRequested', reason: 'revocation_requested' })?.type).toBe(
      'grant.revoked',
    );
    expect(eventOf({ ...line, machine: 'refreshToken', from: 'active', to: 'used', reason: null })).toBeNull();
  });

  it.each([
    ['operator 2f1c', 'admin'],
    ['command_line', 'admin'],
    ['configuration', 'admin'],
    ['client bot', 'admin'],
    ['end_user 2f1c', 'user'],
    ['server', 'system'],
  ])('%s is %s, and is not named', (actor, initiator) => {
    const event = eventOf({
      ...LINE,
      machine: 'user',
      event: 'disableRequested',
      from: 'enabled',
      to: 'disabled',
      actor,
    });
    expect(event?.data).toEqual({ initiated_by: initiator });
  });
});

it('only the event of a reuse has an address and a User-Agent', () => {
  const presented = { address: '198.51.100.66', userAgent: 'curl/8' };
  const seen = LINES.flatMap((line) => eventOf({ ...line, ...presented }) ?? []).filter(
    ({ data }) => 'address' in data || 'user_agent' in data,
  );
  expect(new Set(seen.map(({ type }) => type))).toEqual(new Set(['grant.reuse_detected']));
  for (const { data } of seen) expect(data).toMatchObject({ address: '198.51.100.66', user_agent: 'curl/8' });
});

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

it('names the end-user by the imported sub, and without one by the id', () => {
  const line = {
    ...LINE,
    machine: 'user',
    event: 'disableRequested',
    from: 'enabled',
    to: 'disabled',
    userId: 'an id',
  };
  expect(eventOf(line)).toMatchObject({ userId: 'an id', data: { sub: 'an id' } });
  expect(eventOf({ ...line, sub: 'auth0|1' })).toMatchObject({ userId: 'an id', data: { sub: 'auth0|1' } });
});

/** A line for each arm of each machine, with each reason that the arm writes. */
const LINES: readonly OutboxLine[] = subjects.flatMap(({ name, machine, events }) =>
  machine.states.flatMap(({ name: from }) =>
    events.flatMap((event) =>
      armsOf(machine, from, event).flatMap(({ to, effects }) => {
        const reasons = effects.flatMap(({ params }) =>
          typeof params['reason'] === 'string' ? [params['reason']] : [],
        );
        return (reasons.length === 0 ? [null] : reasons).flatMap((reason) =>
          [null, ['password'], ['username', 'claims']].map((fields) => ({
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

  it('an entry of the first and of the last instant that the server writes yields its event', () => {
    const line = { ...LINE, machine: 'user', event: 'disableRequested', from: 'enabled', to: 'disabled' };
    for (const at of [0, Date.UTC(10_000, 0) - 1]) expect(eventOf({ ...line, at: new Date(at) })).not.toBeNull();
  });

  const PASSWORD = ['user.credential_changed', 'password'];
  const OTHER = ['user.changed', undefined];
  it.each([
    ['registrationRequested', null, OTHER],
    ['registrationRequested', [], OTHER],
    ['registrationRequested', ['claims'], OTHER],
    ['registrationRequested', ['password_by_link'], OTHER],
    ['registrationRequested', ['password'], PASSWORD],
    ['registrationRequested', ['claims', 'password'], PASSWORD],
    ['addressVerified', ['claims'], OTHER],
    ['addressChanged', ['claims'], OTHER],
    ['addressRestored', ['claims'], OTHER],
    ['passwordChangeRequested', null, PASSWORD],
    ['passwordReset', ['password', 'claims'], PASSWORD],
  ] as const)('%s of an end-user with the changed fields %j is %j', (event, fields, expected) => {
    const line = { ...LINE, machine: 'user', event, from: 'enabled', to: 'enabled', fields };
    const found = eventOf(line);
    expect([found?.type, found?.data['kind']]).toEqual(expected);
    expect(found?.data['fields']).toEqual(fields?.length ? fields : undefined);
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
    ['upstream acme', 'user'],
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

/** The initiator of an event whose entry has no actor, by the reason of the entry. `undefined`: unknown. */
const INITIATORS = {
  signed_out: 'user',
  ended_by_user: 'user',
  signed_in_again: 'user',
  removed_by_user: 'user',
  session_idle: 'policy',
  session_too_old: 'policy',
  ended_by_administrator: 'admin',
  removed_by_administrator: 'admin',
  authorization_code_reused: 'system',
  refresh_token_reused: 'system',
  chain_behind_token: 'system',
  revocation_requested: undefined,
  user_deleted: undefined,
} as const;

it('the reason of an entry without an actor says who initiated its event, for every reason', () => {
  const events = LINES.filter(({ from, to }) => from !== to).flatMap((line) => eventOf(line) ?? []);
  const initiators = new Map(events.map(({ data: { reason = null, initiated_by } }) => [reason, initiated_by]));
  expect(Object.fromEntries(initiators)).toEqual({ null: undefined, ...INITIATORS });
  // An actor says more than a reason.
  for (const line of LINES.filter(({ reason }) => reason !== null))
    expect(eventOf({ ...line, actor: 'operator 2f1c' })?.data['initiated_by'] ?? 'admin').toBe('admin');
});

it('an entry of an unknown kind of actor does not say who initiated its event', () => {
  const line = { ...LINE, machine: 'session', from: 'active', to: 'ended', reason: 'signed_out' };
  expect(eventOf({ ...line, actor: 'a later version' })?.data).toEqual({ reason: 'signed_out' });
});

it('an entry of another machine has no address, even with the reason of a reuse', () => {
  const line = { ...LINE, machine: 'session', from: 'active', to: 'ended', reason: 'refresh_token_reused' };
  const event = eventOf({ ...line, address: '198.51.100.66', userAgent: 'curl/8' });
  expect(event).toMatchObject({ type: 'session.ended' });
  expect(Object.keys(event?.data ?? {})).not.toContain('address');
  expect(Object.keys(event?.data ?? {})).not.toContain('user_agent');
});

it('only the event of a reuse has an address and a User-Agent', () => {
  const presented = { address: '198.51.100.66', userAgent: 'curl/8' };
  const seen = LINES.flatMap((line) => eventOf({ ...line, ...presented }) ?? []).filter(
    ({ data }) => 'address' in data || 'user_agent' in data,
  );
  expect(new Set(seen.map(({ type }) => type))).toEqual(new Set(['grant.reuse_detected']));
  for (const { data } of seen) expect(data).toMatchObject({ address: '198.51.100.66', user_agent: 'curl/8' });
});

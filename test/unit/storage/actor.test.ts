/** The ledger names the administrator who ended a grant or a session, or changed a key. */
import { desc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administratorEndRequest, revokeGrant } from '../../../src/lifecycles/grant/lifecycle.ts';
import { endSessionByAdministrator } from '../../../src/lifecycles/session/lifecycle.ts';
import { passTime, requestRevocation, requestRotation } from '../../../src/lifecycles/signing-key/lifecycle.ts';
import { type Actor, commandLine } from '../../../src/model/actor.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { databaseKinds } from '../../support/database.ts';
import { keysOf } from '../../support/signing-keys.ts';
import {
  givenGrant,
  givenSession,
  givenUser,
  ledgerOf,
  loadGrant,
  openPorts,
  type Ports,
  SESSION_LIFETIME_SECONDS,
} from './ports.ts';

const OPERATOR: Actor = { kind: 'operator', id: '7b2c0f0e-0000-4000-8000-000000000000', addressHash: 'keyed hash' };
const ASKED = { actor: `operator ${OPERATOR.id}`, addressHash: 'keyed hash' };

describe.each(databaseKinds)('the actor, on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const grantPorts = () => ({ store: ports.grants, sleep: async () => {} });
  const newest = (id: string) =>
    ledgerOf(ports, id).then((lines) => lines.find(({ toState }) => /revoked|ended/.test(toState)));

  test('of a grant that an administrator ended: once, with its own reason', async () => {
    const granted = await givenGrant(ports);
    const first = { now: ports.clock.now(), grant: await loadGrant(ports, granted) };
    expect(await revokeGrant(grantPorts(), first, administratorEndRequest(OPERATOR))).toBe(true);
    expect(await revokeGrant(grantPorts(), first, administratorEndRequest(OPERATOR))).toBe(false);
    expect(await loadGrant(ports, granted)).toMatchObject({ revokedReason: 'ended_by_administrator' });
    const ends = (await ledgerOf(ports, granted.grantId)).filter(({ machine }) => machine === 'grant');
    expect(ends).toMatchObject([
      { event: 'endRequestedByAdministrator', reason: 'ended_by_administrator', clientId: granted.clientId, ...ASKED },
    ]);
  });

  test('of a grant that its client or its end-user ended: none', async () => {
    const granted = await givenGrant(ports);
    await revokeGrant(grantPorts(), { now: ports.clock.now(), grant: await loadGrant(ports, granted) });
    expect(await newest(granted.grantId)).toMatchObject({
      reason: 'revocation_requested',
      actor: null,
      addressHash: null,
    });
  });

  test('of a session that an administrator ended', async () => {
    const { sid, userId } = await givenSession(ports, await givenUser(ports));
    const sessions = {
      sessions: ports.sessions,
      lifetimes: () => ({ sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS }),
      sleep: async () => {},
    };
    expect(await endSessionByAdministrator(sessions, { sid, userId }, OPERATOR)).toBe(true);
    expect(await endSessionByAdministrator(sessions, { sid, userId }, OPERATOR)).toBe(false);
    expect(await newest(sid)).toMatchObject({
      event: 'endRequestedByAdministrator',
      reason: 'ended_by_administrator',
      sessionId: sid,
      ...ASKED,
    });
  });

  test('of every key that a rotation or a revocation moved; none for a move by time', async () => {
    const keys = keysOf(ports.db, ports.clock);
    const lines = () =>
      ports.db
        .select({ event: transitions.event, actor: transitions.actor, addressHash: transitions.addressHash })
        .from(transitions)
        .where(eq(transitions.machine, 'signingKey'))
        .orderBy(desc(transitions.recordedIn), desc(transitions.position));
    await passTime(keys);
    const ofTime = await lines();
    expect(ofTime.every(({ actor }) => actor === null)).toBe(true);
    const [rotated] = await requestRotation(keys, 'ES256', true, OPERATOR);
    const ofRotation = (await lines()).slice(0, -ofTime.length);
    expect(ofRotation.length).toBeGreaterThan(1);
    for (const line of ofRotation) expect(line).toMatchObject(ASKED);
    await requestRevocation(keys, rotated?.kid ?? '', commandLine);
    expect((await lines())[0]).toMatchObject({ actor: 'command_line', addressHash: null });
  });
});

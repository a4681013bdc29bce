import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grants } from '../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { deleteClient, disableUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import {
  givenGrant,
  ledgerOf,
  loadGrant,
  moveHead,
  NOBODY_ASKED,
  nextMove,
  openPorts,
  type Ports,
  reuseOf,
  revoke,
} from './ports.ts';

describe.each(databaseKinds)('revoking a grant on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  test('it ends with its reason, and the ledger has both the presented credential and the ended one', async () => {
    const granted = await givenGrant(ports);
    ports.clock.advanceSeconds(1);
    await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    ports.clock.advanceSeconds(1);
    const revocation = reuseOf(ports, await loadGrant(ports, granted));
    expect(await revoke(ports, revocation)).toBe(true);
    const [row] = await ports.db.select().from(grants).where(eq(grants.id, granted.grantId));
    expect(row).toMatchObject({ state: 'revoked', revokedReason: 'refresh_token_reused', revokedAt: revocation.now });

    const common = {
      at: revocation.now,
      shardKey: granted.grantId,
      grantId: granted.grantId,
      interactionId: null,
      toState: 'revoked',
      reason: 'refresh_token_reused',
      generation: 0n,
      clientId: granted.clientId,
      policy: 'default',
      signingKeyId: null,
      sessionId: null,
      scopeWithheld: null,
      ...NOBODY_ASKED,
    };
    const lines = await ledgerOf(ports, granted.grantId);
    expect(lines.slice(2)).toEqual([
      { ...common, machine: 'grant', event: 'refreshTokenReused', fromState: 'active' },
      { ...common, machine: 'refreshToken', event: 'presented', fromState: 'used' },
    ]);
  });

  test('on request of a user, it leaves one entry', async () => {
    const granted = await givenGrant(ports);
    const reuse = reuseOf(ports, await loadGrant(ports, granted));
    const entries = reuse.entries.filter(({ machine }) => machine === 'grant');
    expect(await revoke(ports, { ...reuse, reason: 'revocation_requested', policy: null, entries })).toBe(true);
    const lines = await ledgerOf(ports, granted.grantId);
    expect(lines.filter(({ toState }) => toState === 'revoked')).toHaveLength(1);
  });

  test('a second time changes nothing: the first reason stays, and no entry is added', async () => {
    const granted = await givenGrant(ports);
    const first = reuseOf(ports, await loadGrant(ports, granted));
    await revoke(ports, first);
    ports.clock.advanceSeconds(1);
    const second = { ...first, now: ports.clock.now(), reason: 'chain_behind_token' as const };
    const lines = await ledgerOf(ports, granted.grantId);
    expect(await revoke(ports, second)).toBe(false);
    expect(await loadGrant(ports, granted)).toMatchObject({ revokedReason: 'refresh_token_reused' });
    expect(await ledgerOf(ports, granted.grantId)).toEqual(lines);
  });

  test('of many concurrent ones, one ends it', async () => {
    const granted = await givenGrant(ports);
    const revocation = reuseOf(ports, await loadGrant(ports, granted));
    const ended = await Promise.all(Array.from({ length: 10 }, () => revoke(ports, revocation)));
    expect(ended.filter(Boolean)).toHaveLength(1);
  });

  test('it is still written when the epochs of client, user and server have risen', async () => {
    const granted = await givenGrant(ports);
    const revocation = reuseOf(ports, await loadGrant(ports, granted));
    await deleteClient(ports.db, granted.clientId);
    await disableUser(ports.db, granted.person.username);
    await raiseServerEpoch(ports.db);
    expect(await revoke(ports, revocation)).toBe(true);
  });

  test('running against rotations it always succeeds: no head moves after it', async () => {
    const granted = await givenGrant(ports);
    await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    const revocation = reuseOf(ports, await loadGrant(ports, granted));
    const rotate = async () => moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    const [revoked] = await Promise.all([revoke(ports, revocation), rotate(), rotate(), rotate(), rotate()]);
    expect(revoked).toBe(true);
    expect(await loadGrant(ports, granted)).toMatchObject({ state: 'revoked' });
    expect(await rotate()).toBe(false);
  });
});

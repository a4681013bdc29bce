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
  openWorld,
  reuseOf,
  revoke,
  type World,
} from './world.ts';

describe.each(databaseKinds)('revoking a grant on %s', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  test('it ends with its reason, and the ledger has both the presented credential and the ended one', async () => {
    const granted = await givenGrant(world);
    world.clock.advanceSeconds(1);
    await moveHead(world, nextMove(world, await loadGrant(world, granted)));
    world.clock.advanceSeconds(1);
    const revocation = reuseOf(world, await loadGrant(world, granted));
    expect(await revoke(world, revocation)).toBe(true);
    const [row] = await world.db.select().from(grants).where(eq(grants.id, granted.grantId));
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
    const lines = await ledgerOf(world, granted.grantId);
    expect(lines.slice(2)).toEqual([
      { ...common, machine: 'grant', event: 'refreshTokenReused', fromState: 'active' },
      { ...common, machine: 'refreshToken', event: 'presented', fromState: 'used' },
    ]);
  });

  test('on request of a user, it leaves one entry', async () => {
    const granted = await givenGrant(world);
    const reuse = reuseOf(world, await loadGrant(world, granted));
    const entries = reuse.entries.filter(({ machine }) => machine === 'grant');
    expect(await revoke(world, { ...reuse, reason: 'revocation_requested', policy: null, entries })).toBe(true);
    const lines = await ledgerOf(world, granted.grantId);
    expect(lines.filter(({ toState }) => toState === 'revoked')).toHaveLength(1);
  });

  test('a second time changes nothing: the first reason stays, and no entry is added', async () => {
    const granted = await givenGrant(world);
    const first = reuseOf(world, await loadGrant(world, granted));
    await revoke(world, first);
    world.clock.advanceSeconds(1);
    const second = { ...first, now: world.clock.now(), reason: 'chain_behind_token' as const };
    const lines = await ledgerOf(world, granted.grantId);
    expect(await revoke(world, second)).toBe(false);
    expect(await loadGrant(world, granted)).toMatchObject({ revokedReason: 'refresh_token_reused' });
    expect(await ledgerOf(world, granted.grantId)).toEqual(lines);
  });

  test('of many concurrent ones, one ends it', async () => {
    const granted = await givenGrant(world);
    const revocation = reuseOf(world, await loadGrant(world, granted));
    const ended = await Promise.all(Array.from({ length: 10 }, () => revoke(world, revocation)));
    expect(ended.filter(Boolean)).toHaveLength(1);
  });

  test('it is still written when the epochs of client, user and server have risen', async () => {
    const granted = await givenGrant(world);
    const revocation = reuseOf(world, await loadGrant(world, granted));
    await deleteClient(world.db, granted.clientId);
    await disableUser(world.db, granted.person.username);
    await raiseServerEpoch(world.db);
    expect(await revoke(world, revocation)).toBe(true);
  });

  test('running against rotations it always succeeds: no head moves after it', async () => {
    const granted = await givenGrant(world);
    await moveHead(world, nextMove(world, await loadGrant(world, granted)));
    const revocation = reuseOf(world, await loadGrant(world, granted));
    const rotate = async () => moveHead(world, nextMove(world, await loadGrant(world, granted)));
    const [revoked] = await Promise.all([revoke(world, revocation), rotate(), rotate(), rotate(), rotate()]);
    expect(revoked).toBe(true);
    expect(await loadGrant(world, granted)).toMatchObject({ state: 'revoked' });
    expect(await rotate()).toBe(false);
  });
});

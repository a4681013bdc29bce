/** A signing key's life in the table, from its creation to its end, with time and with operators' requests. */
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  passTime,
  requestRevocation,
  requestRotation,
  type SigningKeyPorts,
} from '../../../src/lifecycles/signing-key/lifecycle.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { codeOf } from '../../../src/storage/failures.ts';
import { signingKeys } from '../../../src/storage/schema.ts';
import { databaseKinds } from '../../support/database.ts';
import { changes, keyLedger, keysOf, LIFETIMES, stateOf, storedKeys } from '../../support/signing-keys.ts';
import { openPorts, type Ports } from './ports.ts';

const FIRST = 'noKeySigns: unpublished → signing';
const CREATED = 'successorNeeded: unpublished → published';
const { publishedBeforeSigningSeconds, signingLifetimeSeconds, successorLeadSeconds, retiringSeconds } = LIFETIMES;

describe.each(databaseKinds)('signing keys on %s', (kind) => {
  let ports: Ports;
  let keys: SigningKeyPorts;
  beforeEach(async () => {
    ports = await openPorts(kind);
    keys = keysOf(ports.db, ports.clock);
  });
  afterEach(() => ports.close());

  const tick = async () => changes(await passTime(keys));
  const states = async () => (await storedKeys(ports.db)).map((one) => one.state);
  const kids = async () => (await storedKeys(ports.db)).map((one) => one.kid);
  const later = (seconds: number) => ports.clock.advanceSeconds(seconds);

  test('the first of an algorithm signs immediately', async () => {
    expect(await tick()).toEqual([FIRST]);
    expect(await tick()).toEqual([]);
    const [key, ...others] = await storedKeys(ports.db);
    expect(others).toEqual([]);
    expect(key).toMatchObject({
      alg: 'ES256',
      state: 'signing',
      createdAt: ports.clock.now(),
      beganSigningAt: ports.clock.now(),
      rotationAskedAt: null,
      retiredAt: null,
    });
    expect(await keyLedger(ports.db, key?.kid ?? '')).toEqual([FIRST]);
  });

  test('they rotate by themselves, and none stops before its successor has waited for caches', async () => {
    await tick();
    later(signingLifetimeSeconds - successorLeadSeconds - 1);
    expect(await tick()).toEqual([]);
    later(1);
    expect(await tick()).toEqual([CREATED]);
    expect(await tick()).toEqual([]);
    later(successorLeadSeconds - 1);
    expect(await tick()).toEqual([]);
    expect(await states()).toEqual(['signing', 'published']);
    later(1);
    const handover = ['timePassed: signing → retiring', 'signerStopped: published → signing'];
    expect(await tick()).toEqual(handover);
    expect(await states()).toEqual(['retiring', 'signing']);
    later(retiringSeconds - 1);
    expect(await tick()).toEqual([]);
    later(1);
    expect(await tick()).toEqual(['timePassed: retiring → retired (tokens_expired)']);
    const [first = '', second = ''] = await kids();
    expect(await keyLedger(ports.db, first)).toEqual([
      FIRST,
      'timePassed: signing → retiring',
      'timePassed: retiring → retired (tokens_expired)',
    ]);
    expect(await keyLedger(ports.db, second)).toEqual([CREATED, 'signerStopped: published → signing']);
  });

  test('a server that was down at the end of a key publishes first, and signs on until caches hold the next', async () => {
    await tick();
    later(10 * signingLifetimeSeconds);
    expect(await tick()).toEqual([CREATED]);
    later(publishedBeforeSigningSeconds - 1);
    expect(await tick()).toEqual([]);
    later(1);
    expect(await tick()).toHaveLength(2);
    expect(await states()).toEqual(['retiring', 'signing']);
  });

  test('the private half is erased when a key no longer signs', async () => {
    await tick();
    await requestRotation(keys, 'ES256', false, commandLine);
    const [first, second] = await storedKeys(ports.db);
    expect([first?.privateJwe, second?.privateJwe]).toEqual([expect.any(String), expect.any(String)]);
    later(publishedBeforeSigningSeconds);
    await tick();
    expect((await storedKeys(ports.db)).map((one) => one.privateJwe)).toEqual([null, second?.privateJwe]);
    await requestRevocation(keys, second?.kid ?? '', commandLine);
    expect((await storedKeys(ports.db)).map((one) => one.privateJwe)).toEqual([null, null, expect.any(String)]);
  });

  test('a rotation publishes a successor now, and signs with it when caches hold it', async () => {
    await tick();
    const asked = changes(await requestRotation(keys, 'ES256', false, commandLine));
    expect(asked).toEqual([CREATED, 'rotationRequested: signing → signing']);
    expect(await requestRotation(keys, 'ES256', false, commandLine)).toEqual([]);
    expect(await tick()).toEqual([]);
    later(publishedBeforeSigningSeconds - 1);
    expect(await tick()).toEqual([]);
    later(1);
    expect(await tick()).toEqual(['timePassed: signing → retiring', 'signerStopped: published → signing']);
    // Its own life begins now: no request ends this one early.
    later(signingLifetimeSeconds - successorLeadSeconds - 1);
    expect((await tick()).filter((one) => one.includes('published'))).toEqual([]);
  });

  test('a rotation that finds a successor hastens it', async () => {
    await tick();
    later(signingLifetimeSeconds - successorLeadSeconds);
    await tick();
    expect(changes(await requestRotation(keys, 'ES256', false, commandLine))).toEqual([
      'rotationRequested: signing → signing',
    ]);
    expect(await requestRotation(keys, 'ES256', false, commandLine)).toEqual([]);
    expect(await states()).toEqual(['signing', 'published']);
    later(publishedBeforeSigningSeconds);
    expect(await tick()).toHaveLength(2);
  });

  test('an immediate rotation signs with the waiting key, or with a fresh one', async () => {
    await tick();
    expect(changes(await requestRotation(keys, 'ES256', true, commandLine))).toEqual([
      CREATED,
      'rotationRequested: signing → retiring',
      'signerStopped: published → signing',
    ]);
    expect(await states()).toEqual(['retiring', 'signing']);
    await requestRotation(keys, 'ES256', false, commandLine);
    later(1);
    expect(changes(await requestRotation(keys, 'ES256', true, commandLine))).toEqual([
      'rotationRequested: signing → retiring',
      'signerStopped: published → signing',
    ]);
    expect(await states()).toEqual(['retiring', 'retiring', 'signing']);
  });

  test('a rotation without a signer makes the first key', async () => {
    expect(changes(await requestRotation(keys, 'ES256', false, commandLine))).toEqual([FIRST]);
  });

  test('revoking the signer starts the waiting key, however short it has waited, or a fresh one', async () => {
    await tick();
    const revoke = async (kid = '') => changes(await requestRevocation(keys, kid, commandLine));
    const [first] = await kids();
    expect(await revoke(first)).toEqual([
      CREATED,
      'revocationRequested: signing → retired (revocation_requested)',
      'signerStopped: published → signing',
    ]);
    later(1);
    await requestRotation(keys, 'ES256', false, commandLine);
    const [, second] = await kids();
    expect(await revoke(second)).toEqual([
      'revocationRequested: signing → retired (revocation_requested)',
      'signerStopped: published → signing',
    ]);
    expect(await states()).toEqual(['retired', 'retired', 'signing']);
    expect(await revoke(second)).toEqual([]);
    expect((await storedKeys(ports.db))[1]).toMatchObject({ retiredReason: 'revocation_requested' });
  });

  test('revoking a waiting or retiring key does not affect the signer', async () => {
    await tick();
    await requestRotation(keys, 'ES256', false, commandLine);
    const [signer = '', waits = ''] = await kids();
    await requestRevocation(keys, waits, commandLine);
    expect(await states()).toEqual(['signing', 'retired']);
    later(1);
    await requestRotation(keys, 'ES256', true, commandLine);
    expect(await stateOf(ports.db, signer)).toBe('retiring');
    await requestRevocation(keys, signer, commandLine);
    expect(await states()).toEqual(['retired', 'retired', 'signing']);
  });

  test('an unknown key is reported as unknown, and changes nothing', async () => {
    await tick();
    const before = await storedKeys(ports.db);
    expect(await requestRevocation(keys, 'unknown', commandLine)).toBeNull();
    expect(await storedKeys(ports.db)).toEqual(before);
  });

  test('an algorithm that the policy drops signs to the end of its time, and has no successor', async () => {
    await passTime(keysOf(ports.db, ports.clock, { algorithms: ['ES256', 'EdDSA'] }));
    const edwards = async () =>
      (await storedKeys(ports.db)).filter((one) => one.alg === 'EdDSA').map((one) => one.state);
    later(signingLifetimeSeconds - 1);
    await tick();
    expect(await edwards()).toEqual(['signing']);
    later(1);
    await tick();
    expect(await edwards()).toEqual(['retiring']);
    later(retiringSeconds);
    await tick();
    expect(await edwards()).toEqual(['retired']);
  });

  test('a longer wait for caches applies to keys that are published from then on, a shorter one too', async () => {
    await tick();
    await requestRotation(keys, 'ES256', false, commandLine);
    keys = keysOf(ports.db, ports.clock, { publishedBeforeSigningSeconds: 600, jwksMaxAgeSeconds: 60 });
    later(publishedBeforeSigningSeconds - 1);
    // Caches that fetched before the change may still be as old as the policy of then allowed.
    expect(await tick()).toEqual([]);
    later(1);
    expect(await tick()).toHaveLength(2);
    await requestRotation(keys, 'ES256', false, commandLine);
    later(600);
    expect(await tick()).toHaveLength(2);
  });

  describe('the table itself', () => {
    const refusal = async (work: Promise<unknown>) => codeOf(await work.catch((error: unknown) => error));

    test('lets one key of an algorithm sign, and one wait', async () => {
      await tick();
      await requestRotation(keys, 'ES256', false, commandLine);
      const [row] = await storedKeys(ports.db);
      if (!row) throw new Error('no key');
      const insert = (state: 'signing' | 'published') =>
        ports.db.insert(signingKeys).values({ ...row, kid: state, state });
      expect(await refusal(insert('signing'))).toBe('23P01');
      expect(await refusal(insert('published'))).toBe('23P01');
      const other = { ...row, kid: 'other', alg: 'EdDSA' as const };
      expect(await refusal(ports.db.insert(signingKeys).values(other))).toBeUndefined();
    });

    test('keeps no private half of a key that no longer signs, and no unknown state', async () => {
      await tick();
      const set = (change: object) =>
        refusal(ports.db.update(signingKeys).set(change).where(eq(signingKeys.alg, 'ES256')));
      const now = ports.clock.now();
      const retired = { retiredAt: now, retiredReason: 'revocation_requested' };
      expect(await set({ state: 'retiring', stoppedSigningAt: now })).toBe('23514');
      expect(await set({ state: 'retired', ...retired })).toBe('23514');
      expect(await set({ state: 'retired', privateJwe: null })).toBe('23514');
      expect(await set({ state: 'used' })).toBe('23514');
      expect(await set({ privateJwe: null })).toBe('23514');
      expect(await set({ state: 'retired', privateJwe: null, ...retired })).toBeUndefined();
    });

    test('a row whose instants contradict its state does not change', async () => {
      await tick();
      await ports.db.update(signingKeys).set({ stoppedSigningAt: sql`now()` });
      await expect(passTime(keys)).rejects.toThrow('is stored as signing');
    });
  });
});

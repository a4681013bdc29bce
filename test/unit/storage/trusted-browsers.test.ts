/** Trusted browsers on both databases: the search for a row, the facts of a commit, and the ends without a write to the row. */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { askTrustedBrowser, beginTrust } from '../../../src/lifecycles/trusted-browser/lifecycle.ts';
import { secondFactorStore, trustedBrowserStore } from '../../../src/storage/factors.ts';
import { secondFactors, server, transitions, trustedBrowsers, users } from '../../../src/storage/schema.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { givenSession, givenUser, openPorts, type Ports } from './ports.ts';

const LIFETIME_SECONDS = 600;
const ASKED = { lifetimeSeconds: LIFETIME_SECONDS, proofIsDemanded: false } as const;
const PRESENTED = { type: 'presented', ...ASKED } as const;

describe.each(databaseKinds)('on %s', (kind) => {
  let ports: Ports;
  afterEach(() => ports.close());

  async function given() {
    ports = await openPorts(kind);
    const { db, clock } = ports;
    const store = trustedBrowserStore(db, clock, testMacs);
    const person = await givenUser(ports);
    const factorId = randomUUID();
    await secondFactorStore(db, clock).insertApp({ id: factorId, userId: person.id, sealedSecret: 'sealed' });
    await db
      .update(secondFactors)
      .set({ state: 'active', lastStep: 1, confirmedAt: clock.now() })
      .where(eq(secondFactors.id, factorId));
    const { userEpoch, serverEpoch } = await givenSession(ports, person);
    const secretHash = randomBytes(32);
    const key = { id: randomUUID(), userId: person.id };
    const browser = { ...key, userEpoch, serverEpoch, factorId, userAgent: 'browser', secretHash };
    const trusting = { trustedBrowsers: store, sleep: async () => {} };
    const removeFactor = () =>
      db
        .update(secondFactors)
        .set({ state: 'removed', sealedSecret: null, removedAt: clock.now() })
        .where(eq(secondFactors.id, factorId));
    const present = async () => {
      const loaded = await store.find(person.id, [secretHash]);
      return loaded && askTrustedBrowser(trusting, key, PRESENTED, loaded);
    };
    return { store, trusting, person, key, browser, present, removeFactor };
  }

  it('is found by its secret and its end-user, and used while it is active', async () => {
    const { store, trusting, browser, present, person } = await given();
    expect(await beginTrust(trusting, browser, ASKED)).toEqual({ kind: 'accepted' });
    expect(await present()).toEqual({ kind: 'accepted' });
    const [row] = await ports.db.select().from(trustedBrowsers);
    expect(row).toMatchObject({ state: 'active', lastUsedAt: ports.clock.now(), userAgent: 'browser' });
    const other = await givenUser(ports);
    expect(await store.find(other.id, [browser.secretHash])).toBeNull();
    expect(await store.find(person.id, [randomBytes(32)])).toBeNull();
    expect(await store.find(person.id, [])).toBeNull();
    const entries = await ports.db.select().from(transitions).where(eq(transitions.machine, 'trustedBrowser'));
    expect(entries.map(({ event, userId }) => [event, userId])).toEqual([
      ['factorProven', person.id],
      ['presented', person.id],
    ]);
  });

  it('begins only with an active factor, and with the password as it was', async () => {
    const { trusting, browser, removeFactor } = await given();
    const old = { ...browser, userEpoch: browser.userEpoch - 1n };
    expect(await beginTrust(trusting, old, ASKED)).toEqual({ kind: 'rejected', reason: 'user_ended' });
    await removeFactor();
    expect(await beginTrust(trusting, browser, ASKED)).toEqual({ kind: 'rejected', reason: 'factor_removed' });
    expect(await ports.db.select().from(trustedBrowsers)).toEqual([]);
  });

  it('drops its secret with its end, and is never found again', async () => {
    const { store, trusting, browser, key, present } = await given();
    await beginTrust(trusting, browser, ASKED);
    await askTrustedBrowser(trusting, key, { type: 'endRequested' });
    expect(await present()).toBeNull();
    expect(await store.list(key.userId)).toEqual([]);
    const again = await askTrustedBrowser(trusting, key, PRESENTED);
    expect(again).toEqual({ kind: 'rejected', reason: 'trust_ended' });
  });

  it.each([
    ['a new password', 'user_ended', () => ports.db.update(users).set({ epoch: 99n })],
    ['a recovery', 'server_epoch_raised', () => ports.db.update(server).set({ epoch: 99n })],
  ] as const)('ends with %s, without a write to its row', async (_, reason, change) => {
    const { store, trusting, browser, key, present } = await given();
    await beginTrust(trusting, browser, ASKED);
    await change();
    expect(await present()).toEqual({ kind: 'rejected', reason });
    expect(await store.list(key.userId)).toEqual([]);
  });

  it('ends with its factor, without a write to its row', async () => {
    const { trusting, browser, present, removeFactor } = await given();
    await beginTrust(trusting, browser, ASKED);
    await removeFactor();
    expect(await present()).toEqual({ kind: 'rejected', reason: 'factor_removed' });
  });

  it.each([
    ['a millisecond before', -1, { kind: 'accepted' }],
    ['at', 0, { kind: 'rejected', reason: 'trust_expired' }],
  ])('%s its end', async (_, milliseconds, answer) => {
    const { trusting, browser, present } = await given();
    await beginTrust(trusting, browser, ASKED);
    ports.clock.advanceSeconds(LIFETIME_SECONDS + milliseconds / 1000);
    expect(await present()).toEqual(answer);
  });

  it('has to be a row of this server', async () => {
    const { store, trusting, browser, key } = await given();
    await beginTrust(trusting, browser, ASKED);
    const [row] = await ports.db.select().from(trustedBrowsers);
    const forged = { ...(row as NonNullable<typeof row>), id: randomUUID(), secretHash: randomBytes(32) };
    await ports.db.insert(trustedBrowsers).values(forged);
    expect(await store.find(key.userId, [forged.secretHash])).toBeNull();
    expect(await store.list(key.userId)).toHaveLength(1);
  });
});

import { fc, test as propertyTest } from '@fast-check/vitest';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Grant } from '../../../src/model/grant.ts';
import { authorizationCodeState, endedBy, grantState, refreshTokenState } from '../../../src/model/grant.ts';
import type { Drizzle } from '../../../src/storage/database.ts';
import { clients, grants, server, users } from '../../../src/storage/schema.ts';
import { epochs, generations, nonces } from '../../support/arbitraries.ts';
import { databaseKinds } from '../../support/database.ts';
import { unheld } from '../../support/unheld.ts';
import { type Granted, givenGrant, loadGrant, openPorts, type Ports } from './ports.ts';

const INSTANT = new Date('2030-01-01T00:00:00.000Z');

/** The events that can end an authorization: none, one or two of these together. */
const ENDS = ['revoked', 'clientEpoch', 'clientDeleted', 'userEpoch', 'userDisabled', 'serverEpoch'] as const;

/** Everything that the states of an authorization depend on. */
const rows = fc.record({
  ends: fc.subarray([...ENDS], { maxLength: 2 }),
  revokedReason: fc.constantFrom('refresh_token_reused', 'revocation_requested'),
  head: fc.option(
    fc.record({ refreshGeneration: generations, refreshNonce: nonces.map((bytes) => Buffer.from(bytes)) }),
    { freq: 2 },
  ),
  clientEpoch: epochs,
  userEpoch: epochs,
  serverEpoch: epochs,
  /** Forwards, or backwards as after a restored backup. */
  step: fc.constantFrom(1n, -1n),
});
type Row = typeof rows extends fc.Arbitrary<infer T> ? T : never;

const REASON_OF = { client: 'client_ended', user: 'user_ended', server: 'server_epoch_raised' } as const;

function reasonOf(grant: Grant): string | null {
  const ended = endedBy(grant);
  return grant.state === 'revoked' ? grant.revokedReason : ended && REASON_OF[ended];
}

describe.each(databaseKinds)('the views on %s match what the server derives', (kind) => {
  let ports: Ports;
  let granted: Granted;
  beforeAll(async () => {
    ports = await openPorts(kind);
    granted = await givenGrant(ports);
  });
  afterAll(() => ports.close());

  async function store(
    db: Drizzle,
    { ends, revokedReason, head, clientEpoch, userEpoch, serverEpoch, step }: Row,
  ): Promise<void> {
    const has = (end: (typeof ENDS)[number]) => ends.includes(end);
    const moved = (epoch: bigint, end: (typeof ENDS)[number]) => (has(end) ? epoch + step : epoch);
    await db
      .update(grants)
      .set({
        state: has('revoked') ? 'revoked' : 'active',
        revokedReason: has('revoked') ? revokedReason : null,
        refreshGeneration: head?.refreshGeneration ?? null,
        refreshNonce: head?.refreshNonce ?? null,
        clientEpoch,
        userEpoch,
        serverEpoch,
      })
      .where(eq(grants.id, granted.grantId));
    await db
      .update(clients)
      .set({ epoch: moved(clientEpoch, 'clientEpoch'), deletedAt: has('clientDeleted') ? INSTANT : null })
      .where(eq(clients.clientId, granted.clientId));
    await db
      .update(users)
      .set({ epoch: moved(userEpoch, 'userEpoch'), disabledAt: has('userDisabled') ? INSTANT : null })
      .where(eq(users.id, granted.person.id));
    await db.update(server).set({ epoch: moved(serverEpoch, 'serverEpoch') });
  }

  async function view(name: string): Promise<{ state: string; reason: string | null } | null> {
    const statement = sql`select state, reason from ${sql.identifier(name)} where grant_id = ${granted.grantId}::uuid`;
    const result: unknown = await ports.db.execute(statement);
    const [row] = (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as {
      state: string;
      reason: string | null;
    }[];
    return row ?? null;
  }

  propertyTest.prop([rows], { numRuns: 150 })('for any row', async (row) => {
    await unheld(ports.db, (db) => store(db, row));
    const grant = await loadGrant(ports, granted);
    const reason = reasonOf(grant);
    expect(await view('grant_states')).toEqual({ state: grantState(grant), reason });
    expect(await view('authorization_codes')).toEqual({ state: authorizationCodeState(grant), reason });
    const { refreshGeneration: generation, refreshNonce: nonce } = grant;
    const head =
      generation === null || nonce === null ? null : { state: refreshTokenState(grant, { generation, nonce }), reason };
    expect(await view('refresh_token_heads')).toEqual(head);
  });
});

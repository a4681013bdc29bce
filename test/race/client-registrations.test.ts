/** One registration that its client changes and deletes together, at two nodes. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientRegistrations, clients } from '../../src/storage/schema.ts';
import { acceptingRegistrations, manage, metadataOf, register } from '../support/client-registrations.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';

const ROUNDS = 8;
const MOST = 20;

describe('a registration at two nodes', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes({ configuration: acceptingRegistrations({ maxRegistrations: MOST }) });
  });
  afterAll(() => scene.close());

  it('that is changed and deleted together ends, whichever comes first', async () => {
    const [one, other] = scene.nodes;
    const { drizzle } = scene.database;
    for (let round = 0; round < ROUNDS; round++) {
      const registered = await register(one);
      const { client_id: clientId } = registered.json;
      const payload = metadataOf({ client_id: clientId, client_name: `Agent ${round}` });
      const [changed, deleted] = await Promise.all([
        manage(one, registered, { method: 'PUT', payload }),
        manage(other, registered, { method: 'DELETE' }),
        manage(one, registered, { method: 'PUT', payload: { ...payload, client_name: 'Another' } }),
      ]);
      expect([200, 401]).toContain(changed.status);
      expect(deleted.status).toBe(204);
      const [client] = await drizzle.select().from(clients).where(eq(clients.clientId, clientId));
      expect(client).toMatchObject({ epoch: 1n, deletedAt: expect.any(Date) });
      expect((await manage(other, registered)).status).toBe(401);
    }
  });

  it('many together stay near the total of the rules', async () => {
    const answers = await Promise.all(
      Array.from({ length: 3 * MOST }, (_, n) => register(scene.nodes[n % 2 === 0 ? 0 : 1])),
    );
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 201 || status === 503)).toBe(true);
    const stored = await scene.database.drizzle.select().from(clientRegistrations);
    // Commits that meet exceed it by their number.
    expect(stored.length).toBeLessThanOrEqual(2 * MOST);
    expect((await register(scene.nodes[0])).status).toBe(503);
  });
});

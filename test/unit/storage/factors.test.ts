/** The facts that a store of factors reads beside the factor itself. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passkeyStore, secondFactorStore } from '../../../src/storage/factors.ts';
import { secondFactors } from '../../../src/storage/schema.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { givenUser, openPorts, type Ports } from './ports.ts';

describe.each(databaseKinds)('a factor on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const apps = () => secondFactorStore(ports.db, ports.clock);
  async function givenApp(userId: string): Promise<string> {
    const id = randomUUID();
    await apps().insertApp({ id, userId, sealedSecret: 'sealed' });
    await ports.db
      .update(secondFactors)
      .set({ state: 'active', lastStep: 1, confirmedAt: ports.clock.now() })
      .where(eq(secondFactors.id, id));
    return id;
  }
  const givenPasskey = async ({ id, username }: { readonly id: string; readonly username: string }) =>
    (
      await registeredPasskey({ database: { drizzle: ports.db } as never, clock: ports.clock }, {
        id,
        username,
      } as never)
    ).id;

  const has = {
    app: async (userId: string, id: string) => (await apps().load(userId, id))?.hasAnother,
    passkey: async (userId: string, id: string) =>
      (await passkeyStore(ports.db, ports.clock, testMacs).load({ userId, id }))?.hasAnother,
  };
  const given = { app: ({ id }: { readonly id: string }) => givenApp(id), passkey: givenPasskey };
  const KINDS = ['app', 'passkey'] as const;

  it.each(KINDS.flatMap((one) => KINDS.map((other) => [one, other] as const)))(
    'is the only one (%s) until the same end-user has another (%s)',
    async (one, other) => {
      const [user, stranger] = [await givenUser(ports), await givenUser(ports)];
      const id = await given[one](user);
      await given[other](stranger);
      expect(await has[one](user.id, id)).toBe(false);
      await given[other](user);
      expect(await has[one](user.id, id)).toBe(true);
    },
  );
});

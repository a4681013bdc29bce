/** The facts that a store of factors reads beside the factor itself. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passkeyStore, secondFactorStore } from '../../../src/storage/factors.ts';
import { secondFactors } from '../../../src/storage/schema.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { givenUser, openWorld, type World } from './world.ts';

describe.each(databaseKinds)('a factor on %s', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  const apps = () => secondFactorStore(world.db, world.clock);
  async function givenApp(userId: string): Promise<string> {
    const id = randomUUID();
    await apps().insertApp({ id, userId, sealedSecret: 'sealed' });
    await world.db
      .update(secondFactors)
      .set({ state: 'active', lastStep: 1, confirmedAt: world.clock.now() })
      .where(eq(secondFactors.id, id));
    return id;
  }
  const givenPasskey = async ({ id, username }: { readonly id: string; readonly username: string }) =>
    (
      await registeredPasskey({ database: { drizzle: world.db } as never, clock: world.clock }, {
        id,
        username,
      } as never)
    ).id;

  const has = {
    app: async (userId: string, id: string) => (await apps().load(userId, id))?.hasAnother,
    passkey: async (userId: string, id: string) =>
      (await passkeyStore(world.db, world.clock, testMacs).load({ userId, id }))?.hasAnother,
  };
  const given = { app: ({ id }: { readonly id: string }) => givenApp(id), passkey: givenPasskey };
  const KINDS = ['app', 'passkey'] as const;

  it.each(KINDS.flatMap((one) => KINDS.map((other) => [one, other] as const)))(
    'is the only one (%s) until the same end-user has another (%s)',
    async (one, other) => {
      const [user, stranger] = [await givenUser(world), await givenUser(world)];
      const id = await given[one](user);
      await given[other](stranger);
      expect(await has[one](user.id, id)).toBe(false);
      await given[other](user);
      expect(await has[one](user.id, id)).toBe(true);
    },
  );
});

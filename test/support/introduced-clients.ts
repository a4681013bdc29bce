/** An app whose rules for clients that introduce themselves change as after a reload, until the test ends. */
import { eq } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import type { Configuration } from '../../src/config/configuration.ts';
import { clients } from '../../src/storage/schema.ts';
import type { TestAppOptions } from './app.ts';
import { anyDatabase, type DatabaseKind } from './database.ts';
import { openScene } from './scene.ts';

type Options = TestAppOptions & {
  readonly configuration: Configuration;
  /** Any, where it is left out. */
  readonly database?: DatabaseKind;
};

export async function openIntroductionScene({ configuration: first, database = anyDatabase, ...options }: Options) {
  let configuration = first;
  const scene = await openScene(database, {
    ...options,
    configuration,
    reloaded: () => ({ registration: configuration.registration }),
  });
  onTestFinished(scene.close);
  const db = scene.database.drizzle;
  return {
    ...scene,
    db,
    /** @param next null: no client may introduce itself. */
    reloadRules: (next: Configuration | null) => {
      configuration = next ?? { ...configuration, registration: {} };
    },
    storedClient: async (clientId: string) =>
      (await db.select().from(clients).where(eq(clients.clientId, clientId)))[0],
  };
}

/** Several nodes of one server: apps with their own connections to the same Postgres. */
import { openPostgres } from '../../src/storage/postgres.ts';
import { openTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { openScene, type Scene } from './scene.ts';

export type Nodes = Scene & {
  /** The scene's own app is the first. */
  readonly nodes: readonly [TestApp, TestApp];
};

export async function openNodes(options: TestAppOptions = {}): Promise<Nodes> {
  const scene = await openScene('postgres', options);
  const database = openPostgres(scene.url ?? '');
  const second = await openTestApp(database, { ...options, clock: scene.clock });
  const close = async () => {
    await second.app.close();
    await database.close();
    await scene.close();
  };
  return { ...scene, nodes: [scene, second], close };
}

/** docs/the-walk-of-one-refresh.md names every file that one rotation runs. */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refresh } from '../support/actors.ts';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(anyDatabase);
});
afterAll(() => scene.close());

/** The files below src and machines of which `work` calls a function, or reads what they export. */
async function filesCalled(work: () => Promise<void>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return (
    result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
      .flatMap(({ url }) => /\/((?:src|machines)\/[^?]+\.ts)/.exec(url)?.[1] ?? [])
      // The clock that tests set, and the guard of APIs, which another test in this process may still use.
      .filter((file) => !/^src\/(review|guard)\//.test(file))
      .toSorted()
  );
}

it('the guide names every file that one rotation runs', async () => {
  const first = await scene.chain();
  const { json: warm } = await refresh(scene, scene.client, first);
  const called = await filesCalled(async () => {
    const { status } = await refresh(scene, scene.client, String(warm['refresh_token']));
    expect(status).toBe(200);
  });
  expect(called).toContain('src/engine/run.ts');
  const page = readFileSync('docs/the-walk-of-one-refresh.md', 'utf8');
  expect(called.filter((file) => !page.includes(file))).toEqual([]);
});

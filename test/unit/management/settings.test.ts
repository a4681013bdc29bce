/** The settings over the management API: usernames are for callers who may read users. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { anyDatabase } from '../../support/database.ts';
import { callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  const configuration = withBot();
  const operators = { ...configuration.operators, operators: ['olga'], auditors: ['ada'] };
  scene = await openScene(anyDatabase, { configuration: { ...configuration, operators } });
  await makeBot(scene);
});
afterAll(() => scene.close());

const namesFor = async (scopes: readonly (typeof MANAGEMENT_SCOPE_NAMES)[number][]): Promise<string[]> => {
  const call = callerWith(scene, () => tokenOf(scene, scopes));
  const { items } = (await call('GET', '/settings')).json();
  return items.map(({ name }: { name: string }) => name);
};

it('name operators and auditors to a caller who may read users, and to no other', async () => {
  const all = await namesFor(['configuration:read', 'users:read']);
  expect(all).toEqual(expect.arrayContaining(['olga', 'ada', 'openid']));
  const others = await namesFor(['configuration:read']);
  expect(others).toContain('openid');
  expect(others).toEqual(all.filter((name) => name !== 'olga' && name !== 'ada'));
});

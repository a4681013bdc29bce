/** A key that signs now, and a key that no longer does: the management API follows both. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { anyDatabase } from '../../support/database.ts';
import { callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(anyDatabase, { configuration: withBot() });
  await makeBot(scene);
});
afterAll(() => scene.close());

it('the management API accepts tokens of the successor seconds after a key was revoked, and rejects those of the revoked key', async () => {
  const before = tokenOf(scene, MANAGEMENT_SCOPE_NAMES);
  const call = callerWith(scene, () => before);
  const { kid } = scene.deps.keyRing.signerOf('ES256');
  expect((await call('DELETE', `/signing-keys/${kid}`)).statusCode).toBe(204);
  scene.clock.advanceSeconds(2);
  expect(scene.deps.keyRing.signerOf('ES256').kid).not.toBe(kid);
  const after = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  expect((await after('GET', '')).statusCode).toBe(200);
  expect((await call('GET', '')).statusCode).toBe(401);
});

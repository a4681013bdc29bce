/** Where browsers and password managers find the account: no page of their own, and no question to an end-user. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ISSUER } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(anyDatabase);
});
afterAll(() => scene.close());

it('/.well-known/change-password leads a password manager to the page that changes the password', async () => {
  const { statusCode, headers } = await scene.app.inject('/.well-known/change-password');
  expect([statusCode, headers.location]).toEqual([302, `${ISSUER}/account/password`]);
  // The page exists: it requires a sign-in first.
  expect((await scene.app.inject('/account/password')).statusCode).toBeLessThan(404);
});

it('the server publishes the pages where passkeys are added and managed', async () => {
  const reply = await scene.app.inject('/.well-known/passkey-endpoints');
  const page = `${ISSUER}/account/sign-in-methods`;
  expect([reply.statusCode, reply.json()]).toEqual([200, { enroll: page, manage: page }]);
  expect(reply.headers['content-type']).toContain('application/json');
  expect((await scene.app.inject('/account/sign-in-methods')).statusCode).toBeLessThan(404);
});

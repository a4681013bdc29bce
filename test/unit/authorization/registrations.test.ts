/** Clients that register themselves: which credential manages which client, as docs/authorization-matrix.md says. */
import { expect, it, onTestFinished } from 'vitest';
import {
  acceptingRegistrations,
  manage,
  metadataOf,
  type Registered,
  register,
} from '../../support/client-registrations.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene } from '../../support/scene.ts';
import { rowsWith } from './matrix.ts';

const rows = rowsWith('Token endpoints', "another client's token").filter(
  ({ request }) => !request?.startsWith('POST'),
);

it.each(rows)('$request', async (row) => {
  const scene = await openScene(anyDatabase, { configuration: acceptingRegistrations() });
  onTestFinished(scene.close);
  const method = row['request']?.split(' ')[0] as 'GET' | 'PUT' | 'DELETE';
  const ask = async (registered: Registered, token?: string) => {
    const payload = metadataOf({ client_id: registered.json.client_id });
    return String((await manage(scene, registered, { method, ...(method === 'PUT' && { payload }) }, token)).status);
  };
  const [own, another] = [await register(scene), await register(scene)];
  expect(await ask(own, another.json.registration_access_token)).toBe(row["another client's token"]);
  expect(await ask(own, '')).toBe(row['no token']);
  expect(await ask(own)).toBe(row['own token']);
  const last = await register(scene);
  await manage(scene, last, { method: 'DELETE' });
  expect(await ask(last)).toBe(row['own token after the deletion']);
});

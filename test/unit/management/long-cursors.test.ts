/** Each link to the next page leads there, however long the names are that its cursor contains. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { ISSUER } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

describe('lists of items with names of maximum length', () => {
  let scene: Scene;
  let call: Caller;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot() });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  });
  afterAll(() => scene.close());

  async function itemsOf(path: string) {
    const items: object[] = [];
    for (let next: string | undefined = `${ISSUER}/management/v1${path}`; next !== undefined; ) {
      const answer = await call('GET', next.slice(ISSUER.length));
      expect(answer.statusCode, answer.body).toBe(200);
      items.push(...answer.json().items);
      next = answer.json()._links.next?.href;
    }
    return items;
  }

  it.each([
    ['中'.repeat(256)],
    // Three bytes each, and 18 characters under NFKC.
    ['\ufdfa'.repeat(256)],
    [`${'"'.repeat(255)}a`],
  ])('end-users (%#)', async (username) => {
    const made = await call('POST', '/users', { body: { username } });
    expect(made.statusCode, made.body).toBe(201);
    for (const sort of ['username', 'created_at', 'last_sign_in_at']) {
      const found = await itemsOf(`/users?limit=1&fields=username&sort=${sort}`);
      expect(found).toContainEqual(expect.objectContaining({ username }));
    }
  });

  it.each([
    ['中', 'a'],
    ['"', '"'],
    ['😀', '\\'],
  ])('clients with names of %s', async (character, ofId) => {
    const client_name = character.repeat(200 / character.length);
    const client_id = ofId.repeat(255);
    const made = await call('POST', '/clients', {
      body: { client_id, client_name, redirect_uris: ['https://a.example/'] },
    });
    expect(made.statusCode, made.body).toBe(201);
    for (const sort of ['client_id', 'client_name', 'created_at'])
      expect(await itemsOf(`/clients?limit=1&fields=client_id&sort=${sort}`)).toContainEqual({ client_id });
  });
});

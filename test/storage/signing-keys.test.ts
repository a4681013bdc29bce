import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { makeSigningKey } from '../../src/crypto/signing-keys.ts';
import { insertSigningKeyIfNone, listSigningKeys } from '../../src/storage/signing-keys.ts';
import { databaseKinds } from '../support/database.ts';
import { openWorld, type World } from './world.ts';

const keys = rootKeys(['a root secret for tests, of 32 bytes or more']);

describe.each(databaseKinds)('signing keys on %s', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  test('nodes that start at once end up with one key, whole', async () => {
    expect(await listSigningKeys(world.db)).toEqual([]);
    const made = await Promise.all(Array.from({ length: 8 }, () => makeSigningKey(keys, 'ES256')));
    await Promise.all(made.map((key) => insertSigningKeyIfNone(world.db, key)));
    const [stored, ...others] = await listSigningKeys(world.db);
    expect(others).toEqual([]);
    expect(stored).toMatchObject({ signing: true });
    expect(stored).toMatchObject({ ...made.find(({ kid }) => kid === stored?.kid) });
  });

  test('a later start inserts no other', async () => {
    await insertSigningKeyIfNone(world.db, await makeSigningKey(keys, 'ES256'));
    const before = await listSigningKeys(world.db);
    await insertSigningKeyIfNone(world.db, await makeSigningKey(keys, 'ES256'));
    expect(await listSigningKeys(world.db)).toEqual(before);
  });
});

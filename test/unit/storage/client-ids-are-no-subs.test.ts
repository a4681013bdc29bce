/** RFC 9700 §4.15: no client has the `sub` of an end-user as its id, whichever is registered first, or both concurrently. */

import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { codeOf } from '../../../src/storage/failures.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { users } from '../../../src/storage/schema.ts';
import { isSub } from '../../../src/storage/users.ts';
import { insertUser, saveClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { findClient } from '../../support/stored-clients.ts';
import { openPorts, type Ports, registration } from './ports.ts';

/** The message of the triggers of this database. */
const REFUSED = 'SH001';
const user = (id: string) => ({ id, username: `user ${id}`, passwordHash: storedPasswordHash('x'), claims: {} });
const outcomeOf = (saved: Promise<unknown>) =>
  saved.then(
    () => 'saved',
    (error: unknown) => codeOf(error),
  );

describe.each(databaseKinds)('ids of clients and users on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());
  const userExists = async (id: string) =>
    (await ports.db.select({ id: users.id }).from(users).where(eq(users.id, id))).length > 0;

  test('a client does not get the sub of a user, in letters of either case', async () => {
    const id = randomUUID();
    await insertUser(ports.db, user(id));
    for (const clientId of [id, id.toUpperCase()]) {
      expect(await isSub(ports.db, clientId)).toBe(true);
      expect(await outcomeOf(saveClient(ports.db, registration(clientId)))).toBe(REFUSED);
      expect(await findClient(ports.db, clientId)).toBeNull();
    }
  });

  test('a user does not get the id of a client', async () => {
    for (const [clientId, sub] of [randomUUID(), randomUUID()].map(
      (id, n) => [n ? id.toUpperCase() : id, id] as const,
    )) {
      await saveClient(ports.db, registration(clientId));
      expect(await outcomeOf(insertUser(ports.db, user(sub)))).toBe(REFUSED);
      expect(await userExists(sub)).toBe(false);
    }
  });

  test('every other id is free, and a client with the form of a sub can be saved again', async () => {
    const id = randomUUID();
    for (const clientId of [id, `${id}x`, id.replaceAll('-', ''), `{${id}}`, '', "' or 1=1 --", 'shop']) {
      expect(await isSub(ports.db, clientId)).toBe(false);
      expect(await outcomeOf(saveClient(ports.db, registration(clientId)))).toBe('saved');
      expect(await outcomeOf(saveClient(ports.db, registration(clientId)))).toBe('saved');
    }
  });

  if (kind === 'postgres')
    test('of two concurrent registrations over two connections one succeeds', async () => {
      const [one, other] = [openPostgres(ports.url ?? ''), openPostgres(ports.url ?? '')];
      try {
        const outcomes = await Promise.all(
          Array.from({ length: 60 }, async () => {
            const id = randomUUID();
            const both = [
              outcomeOf(saveClient(one.drizzle, registration(id))),
              outcomeOf(insertUser(other.drizzle, user(id))),
            ];
            return (await Promise.all(both)).sort();
          }),
        );
        expect(outcomes).toEqual(Array.from({ length: 60 }, () => [REFUSED, 'saved']));
      } finally {
        await Promise.all([one.close(), other.close()]);
      }
    });
});

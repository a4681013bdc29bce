/** Rotation of the root secret, as docs/deploying.md describes: append, move to the front, drop. The signing key stays the same. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SIGNING_KEYS } from '../../../policies/schema.ts';
import { openSigning } from '../../../src/boot/key-ring.ts';
import { keysInDatabase } from '../../../src/crypto/key-source.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { makeLogger } from '../../../src/system/logger.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const OLD = 'the old root secret, of more than 32 bytes';
const NEW = 'the new root secret, of more than 32 bytes';

describe('the stored signing key', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
  });
  afterAll(() => opened.close());

  it('follows the root secret to the current one, so that the old one can be dropped', async () => {
    const partsUnder = (secrets: string[]) => ({
      db: opened.database.drizzle,
      keys: rootKeys(secrets),
      source: keysInDatabase(rootKeys(secrets)),
      clock: databaseClock,
      policy: () => DEFAULT_SIGNING_KEYS,
      logger: makeLogger({ level: 'silent', readable: false }),
    });
    const kidUnder = async (...secrets: string[]) =>
      (await openSigning(partsUnder(secrets))).keyRing.signerOf('ES256').kid;
    const kid = await kidUnder(OLD);
    expect(await kidUnder(OLD, NEW)).toBe(kid);
    await expect(kidUnder(NEW)).rejects.toThrow(/does not list/);
    expect(await kidUnder(NEW, OLD)).toBe(kid);
    expect(await kidUnder(NEW)).toBe(kid);
    // A node that still has the old one in front opens it too.
    expect(await kidUnder(OLD, NEW)).toBe(kid);
    await expect(kidUnder(OLD)).resolves.toBe(kid);
  });
});

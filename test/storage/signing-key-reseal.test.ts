/** Rotating the root secret, as docs/deploying.md says: append, move to the front, drop. The signing key stays the same. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { openKeyRing } from '../../src/signing.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

const OLD = 'the old root secret, of more than 32 bytes';
const NEW = 'the new root secret, of more than 32 bytes';

describe('the stored signing key', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
  });
  afterAll(() => opened.close());

  it('follows the root secret to the one that makes, so that the old one can be dropped', async () => {
    const kidUnder = async (...secrets: string[]) =>
      (await openKeyRing(opened.database.drizzle, rootKeys(secrets))).signerOf('ES256').kid;
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

/** A browser that an end-user trusts already, for a passkey of theirs. */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { trustedBrowserFacts } from '../../src/lifecycles/trusted-browser/table.ts';
import { trustedBrowsers, users } from '../../src/storage/schema.ts';
import type { TestUser } from './actors.ts';
import type { TestApp } from './app.ts';
import { testMacs } from './macs.ts';
import { registeredPasskey } from './registered-passkey.ts';

/** @returns its id. */
export async function trustedBrowser(test: TestApp, user: TestUser, userAgent = 'Mozilla/5.0'): Promise<string> {
  const db = test.database.drizzle;
  const [owner] = await db.select({ epoch: users.epoch }).from(users).where(eq(users.id, user.id));
  const { id: factorId } = await registeredPasskey(test, user);
  const now = test.clock.now();
  const row = {
    ...{ id: randomUUID(), userId: user.id, secretHash: randomBytes(32), factorId, userAgent },
    ...{ userEpoch: owner?.epoch ?? 0n, serverEpoch: 0n, macVersion: 0n },
    ...{ createdAt: now, endsAt: new Date(now.getTime() + 864e5), lastUsedAt: null, endedAt: null },
  };
  const mac = testMacs.macOf(...trustedBrowserFacts(row));
  await db.insert(trustedBrowsers).values({ ...row, state: 'active', mac });
  return row.id;
}

/** After a rotation of the root secret, each row that a MAC protects gets one of the new secret. */
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { authenticateRows, countIgnoredRows, renewRowMacs } from '../../../src/storage/renew-row-macs.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { openTestDatabase } from '../../support/database.ts';
import { linkPorts } from '../../support/links.ts';

const SESSION_COOKIE = '__Host-statehouse-session';
const ADDRESS = 'ada@example.com';

it('MACs of rows follow the root secret, so that the old one can be dropped; an operator can add missing ones', async () => {
  const other = await openTestDatabase('postgres');
  const [OLD, NEW] = ['the old root secret, of at least 32 bytes', 'the new root secret, of at least 32 bytes'];
  const db = other.database.drizzle;
  const appUnder = (secrets: readonly string[]) => openTestApp(other.database, { keys: rootKeys(secrets) });
  const canSignIn = async (of: TestApp, user: TestUser) => {
    const browser = new Browser(of.app);
    await browser.submit(await browser.get('/sign-in'), { username: user.username, password: PASSWORD });
    return browser.cookies.has(SESSION_COOKIE);
  };
  const before = await appUnder([OLD]);
  const user = await makeUser(before, 'ada');
  expect(await canSignIn(before, user)).toBe(true);
  const link = await linkPorts(before).ask('sign_up', null, ADDRESS);

  const both = await appUnder([NEW, OLD]);
  expect(await canSignIn(both, user)).toBe(true);
  expect(await renewRowMacs(db, rowMacs(both.keys))).toMatchObject({
    users: 1,
    sessions: 1,
    email_challenges: 1,
  });
  expect(await renewRowMacs(db, rowMacs(both.keys))).toMatchObject({ users: 0, sessions: 0, signing_keys: 0 });
  const after = await appUnder([NEW]);
  expect(await canSignIn(after, user)).toBe(true);
  expect(await linkPorts(before).press(link)).toEqual({ kind: 'rejected', reason: 'link_unknown' });
  // An account more.
  expect(await linkPorts(after).press(link)).toMatchObject({ kind: 'used' });

  await db.execute(sql`update users set mac = null, mac_version = mac_version + 1`);
  expect(await canSignIn(await appUnder([NEW]), user)).toBe(false);
  expect(await countIgnoredRows(db, rowMacs(rootKeys([NEW])))).toMatchObject({ users: 2, sessions: 0 });
  expect(await authenticateRows(db, rowMacs(rootKeys([NEW])))).toMatchObject({ users: 2 });
  expect(await canSignIn(await appUnder([NEW]), user)).toBe(true);
  await other.close();
});

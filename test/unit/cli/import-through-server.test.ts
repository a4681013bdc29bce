/** An import with every member, through a running server: the same rows as on the database itself. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkedIdentities, passkeys, recoveryCodes, secondFactors, users } from '../../../src/storage/schema.ts';
import { exportFile } from '../../support/exports.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'statehouse-through-server-'));
const lines = {} as Record<(typeof ways)[number], CommandLine>;
beforeAll(async () => {
  for (const way of ways) lines[way] = await openCommandLine(undefined, way);
});
afterAll(async () => {
  for (const way of ways) await lines[way].close();
});

const importing = (way: (typeof ways)[number], ...flags: string[]) =>
  lines[way].run([
    'users',
    'import',
    '--from',
    'keycloak',
    exportFile('keycloak-realm.json'),
    '--rp-id',
    'localhost',
    ...flags,
  ]);

async function rowsOf(way: (typeof ways)[number]) {
  const db = lines[way].runtime.database.drizzle;
  // The id is random where the `sub` is none of this server.
  const { sub, username, passwordHash, claims, createdAt, disabledAt } = users;
  const people = await db
    .select({ sub, username, passwordHash, claims, createdAt, disabledAt })
    .from(users)
    .orderBy(username);
  const keys = await db.select().from(passkeys).orderBy(passkeys.id);
  return {
    people: people.map(({ disabledAt: at, ...rest }) => ({ ...rest, isDisabled: at !== null })),
    keys: keys.map(({ mac, ...rest }) => rest),
    identities: (await db.select().from(linkedIdentities)).map(({ id: key, userId, issuer, subject }) => [
      key,
      userId,
      issuer,
      subject,
    ]),
    apps: (await db.select().from(secondFactors)).map(({ id: key, userId, state }) => [key, userId, state]),
    codes: (await db.select().from(recoveryCodes))
      .map(({ userId, codeHash, state }) => [userId, codeHash.toString('hex'), state])
      .sort(),
  };
}

describe('a Keycloak realm through a running server', () => {
  it('is summed up in the same words, and nothing changes', async () => {
    const before = await rowsOf('server');
    const [direct, served] = [await importing('database', '--dry-run'), await importing('server', '--dry-run')];
    expect(served).toEqual(direct);
    expect(served.out).toContain('  1 sign in with a passkey only\n');
    expect(await rowsOf('server')).toEqual(before);
  });

  it('makes the same rows, and the same pairs', async () => {
    const files = ways.map((way) => join(folder, `${way}.jsonl`));
    const [direct, served] = [
      await importing('database', '--pairs', files[0] ?? ''),
      await importing('server', '--pairs', files[1] ?? ''),
    ];
    expect(served).toEqual(direct);
    expect(served.status).toBe(0);
    const [own, over] = files.map((file) => readFileSync(file, 'utf8'));
    expect(over).toBe(own);
    const [here, there] = [await rowsOf('database'), await rowsOf('server')];
    expect(there.keys).toHaveLength(3);
    expect(there).toEqual(here);
    const [eli] = await lines.server.runtime.database.drizzle.select().from(users).where(eq(users.usernameKey, 'eli'));
    expect(eli?.disabledAt).not.toBeNull();
  });

  it('comes again without a change', async () => {
    const before = await rowsOf('server');
    expect((await importing('server')).out.match(/^unchanged/gm)).toHaveLength(9);
    expect(await rowsOf('server')).toEqual(before);
  });
});

it.each(ways)('reads long texts of any script (%s)', async (way) => {
  const record = (_: unknown, place: number) =>
    `${JSON.stringify({ username: `long${place}`, name: '\u5c71'.repeat(600), without_password: true })}\n`;
  const stdin = Array.from({ length: 25 }, record).join('');
  const { status, out, err } = await lines[way].run(['users', 'import', '-'], { stdin });
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(out.match(/^created/gm)).toHaveLength(25);
});

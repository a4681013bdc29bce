/** Passkeys and recovery codes in records of our own format: which come in, and why others do not. */
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSecondFactorOnly, MAX_PASSKEYS } from '../../../src/lifecycles/passkey/entity.ts';
import { passkeyFacts } from '../../../src/lifecycles/passkey/table.ts';
import { trustedBrowserFacts } from '../../../src/lifecycles/trusted-browser/table.ts';
import { coseKeyOf } from '../../../src/review/simulation/devices/passkey.ts';
import { passkeys, recoveryCodes, transitions, trustedBrowsers, users } from '../../../src/storage/schema.ts';
import { testMacs } from '../../support/macs.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

const HASH = '$2b$10$moJWuUvrSpSpe9NqGP0EyuZe6amh4FIE85vZbUs94LVRpDfnsjsUa';
const folder = mkdtempSync(join(tmpdir(), 'statehouse-factors-'));
describe.each(ways)('through the %s', (way) => {
  let line: CommandLine;
  let serial = 0;
  const db = () => line.runtime.database.drizzle;

  beforeAll(async () => {
    line = await openCommandLine(undefined, way);
  });
  afterAll(() => line.close());

  const publicKeyOf = (namedCurve: string) =>
    coseKeyOf(generateKeyPairSync('ec', { namedCurve }).publicKey).toString('base64url');
  const passkey = (change: object = {}) => ({
    credential_id: randomBytes(16).toString('base64url'),
    public_key: publicKeyOf('P-256'),
    user_handle: Buffer.from('the handle of another system').toString('base64url'),
    rp_id: 'localhost',
    ...change,
  });
  const codeHash = (code: string) => `$sha512$${createHash('sha512').update(code).digest('base64')}`;
  const person = (change: object = {}) => ({ username: `factor${++serial}`, password_hash: HASH, ...change });
  const importing = (records: readonly object[], ...flags: string[]) =>
    line.run(['users', 'import', '-', ...flags], { stdin: records.map((one) => `${JSON.stringify(one)}\n`).join('') });
  const imported = async (records: readonly object[], ...flags: string[]) => {
    const { status, out, err } = await importing(records, '--json', ...flags);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    return JSON.parse(out).users as { sub: string; outcome: string; changed: string[]; warnings: string[] }[];
  };
  const keysOf = (userId = '') => db().select().from(passkeys).where(eq(passkeys.userId, userId));
  const userNamed = async (name: string) => (await db().select().from(users).where(eq(users.usernameKey, name)))[0];

  describe('a passkey in a record', () => {
    it('is stored as one that was registered here, through its machine', async () => {
      const key = passkey({
        counter: 7,
        transports: ['usb', 'nfc'],
        backup_eligible: false,
        backup_state: false,
        discoverable: true,
        user_verified: true,
        algorithm: -7,
        name: 'Blue\u202e key',
        created_at: '2021-05-04T03:02:01Z',
      });
      const [one] = await imported([person({ passkeys: [key] })]);
      const [row] = await keysOf(one?.sub);
      expect(row).toMatchObject({
        state: 'active',
        name: 'Blue key',
        counter: 7,
        transports: ['usb', 'nfc'],
        backupEligible: false,
        createdAt: new Date('2021-05-04T03:02:01Z'),
        lastUsedAt: null,
      });
      expect(row && testMacs.isRight(...passkeyFacts(row), row.mac)).toBe(true);
      expect(row && isSecondFactorOnly(row)).toBe(false);
      const entries = await db()
        .select()
        .from(transitions)
        .where(eq(transitions.userId, one?.sub ?? ''));
      expect(entries.find(({ machine }) => machine === 'passkey')).toMatchObject({
        event: 'registered',
        actor: 'command_line',
      });
    });

    it('may be on several devices where the record does not say it, since that is the weaker claim', async () => {
      const [one] = await imported([person({ passkeys: [passkey()] })]);
      expect(await keysOf(one?.sub)).toMatchObject([{ backupEligible: true, counter: 0, name: 'Passkey' }]);
    });

    it.each([{ second_factor_only: true }, { discoverable: false }, { user_verified: false }])(
      'is a second factor only: %j',
      async (change) => {
        const [one] = await imported([person({ passkeys: [passkey(change)] })]);
        const [row] = await keysOf(one?.sub);
        expect(row && isSecondFactorOnly(row)).toBe(true);
      },
    );

    it('comes again without a change, and not at all after its removal', async () => {
      const record = person({ passkeys: [passkey()] });
      const [one] = await imported([record]);
      const before = await keysOf(one?.sub);
      expect(await imported([record])).toMatchObject([{ outcome: 'unchanged', warnings: [] }]);
      expect(await keysOf(one?.sub)).toEqual(before);
      await db()
        .update(passkeys)
        .set({ state: 'removed', publicKey: null, removedAt: new Date() })
        .where(eq(passkeys.userId, one?.sub ?? ''));
      expect(await imported([record])).toMatchObject([{ outcome: 'unchanged', warnings: [] }]);
      await db()
        .delete(passkeys)
        .where(eq(passkeys.userId, one?.sub ?? ''));
      expect(await imported([record])).toMatchObject([{ outcome: 'unchanged', warnings: [] }]);
      expect(await keysOf(one?.sub)).toEqual([]);
    });

    it('with the credential id of another user refuses the whole record, and nothing of it is stored', async () => {
      const taken = passkey();
      await imported([person({ passkeys: [taken] })]);
      const thief = person({ passkeys: [passkey(), taken] });
      const other = person();
      const report = join(folder, 'refused.jsonl');
      for (const flag of ['--dry-run', '--skip-refused']) {
        const { err } = await importing([thief, other], flag, '--report', report);
        expect(err).toContain(
          `record 1 (username "${thief.username}"): passkeys.1.credential_id: Expected one that no other end-user has had, found that of another end-user`,
        );
        const [refused, ...rest] = readFileSync(report, 'utf8').trim().split('\n');
        expect(rest).toEqual([]);
        expect(JSON.parse(refused ?? '')).toMatchObject({ record: 1, username: thief.username });
      }
      expect(await userNamed(thief.username)).toBeUndefined();
      expect(await userNamed(other.username)).toBeDefined();
      // Of a stored user, neither the passkey nor the new claims.
      const { status } = await importing([{ ...other, email: 'new@example.com', passkeys: [taken] }]);
      expect(status).toBe(1);
      expect((await userNamed(other.username))?.claims).toEqual({});
    });

    it('that two records of a file have refuses the second', async () => {
      const key = passkey();
      const { status, err } = await importing([person({ passkeys: [key] }), person({ passkeys: [key] })]);
      expect(status).toBe(1);
      expect(err).toContain('credential_id: Expected a value that no other record has, found that of record 1');
    });

    it.each([
      [
        'for another host name',
        { rp_id: 'login.example.com' },
        'passkeys.0.rp_id: Expected "localhost", the host name',
      ],
      ['for no host name', { rp_id: undefined }, 'passkeys.0.rp_id: Expected a host name'],
      ['without a handle', { user_handle: undefined }, 'passkeys.0.user_handle: Expected 1 to 64 bytes in base64url'],
      ['a handle of 65 bytes', { user_handle: 'A'.repeat(87) }, 'passkeys.0.user_handle: Expected 1 to 64 bytes'],
      [
        'base64 for base64url',
        { credential_id: '+/+/+/+/+/+/+/+/+/+/+w==' },
        'passkeys.0.credential_id: Expected 1 to',
      ],
      ['a key that is none', { public_key: 'AAAA' }, 'passkeys.0.public_key: Expected a COSE public key'],
      [
        'a point off the curve',
        { public_key: `${publicKeyOf('P-256').slice(0, -4)}AAAA` },
        'passkeys.0.public_key: Expected a COSE public key',
      ],
      ['another algorithm than its key', { algorithm: -257 }, 'passkeys.0.algorithm'],
      ['a counter below zero', { counter: -1 }, 'passkeys.0.counter: Expected a number from 0'],
      ['a member that is unknown', { secret: 'x' }, 'passkeys.0.secret'],
    ])('is refused: %s', async (_, change, words) => {
      const { status, err } = await importing([person({ passkeys: [passkey(change)] })]);
      expect(status).toBe(1);
      expect(err.toLowerCase()).toContain(words.toLowerCase());
    });

    it('is refused where there are more than one user may have', async () => {
      const { err } = await importing([
        person({ passkeys: Array.from({ length: MAX_PASSKEYS + 1 }, () => passkey()) }),
      ]);
      expect(err).toContain(`passkeys: Expected a list of at most ${MAX_PASSKEYS}`);
      const [one] = await imported([person({ passkeys: Array.from({ length: MAX_PASSKEYS }, () => passkey()) })]);
      expect(await keysOf(one?.sub)).toHaveLength(MAX_PASSKEYS);
    });

    it('that is one too many for its user is named, and the others stay', async () => {
      const record = person({ passkeys: Array.from({ length: MAX_PASSKEYS }, () => passkey()) });
      await imported([record]);
      expect(await imported([{ ...record, passkeys: [passkey()] }])).toMatchObject([
        { outcome: 'unchanged', warnings: ['passkey: the end-user has as many as there may be'] },
      ]);
    });

    it('of a disabled user is named, and of a user who is disabled by the record it comes first', async () => {
      const record = person({ disabled: true, passkeys: [passkey()] });
      const [one] = await imported([record]);
      expect(await keysOf(one?.sub)).toHaveLength(1);
      const [again] = await imported([{ ...record, passkeys: [passkey()] }]);
      expect(again?.warnings).toContain('passkey: the end-user is disabled already');
    });

    it('that is a second factor only stays behind where there is no password that it could stand behind', async () => {
      const record = { username: `factor${++serial}`, without_password: true };
      const [one] = await imported([{ ...record, passkeys: [passkey({ second_factor_only: true }), passkey()] }]);
      expect(one?.warnings).toEqual([
        'security key: it is a second factor only, and the end-user has no password here',
      ]);
      expect(await keysOf(one?.sub)).toHaveLength(1);
    });

    it('for a stored user ends the trust in browsers, since it is another factor', async () => {
      const record = person();
      const [one] = await imported([record]);
      const row = {
        ...{ id: randomUUID(), userId: one?.sub ?? '', secretHash: randomBytes(32), factorId: randomUUID() },
        ...{
          userEpoch: 0n,
          serverEpoch: 0n,
          createdAt: new Date(),
          endsAt: new Date(Date.now() + 1e9),
          macVersion: 0n,
        },
      };
      const mac = testMacs.macOf(...trustedBrowserFacts(row as never));
      await db()
        .insert(trustedBrowsers)
        .values({ ...row, state: 'active', mac });
      await imported([{ ...record, passkeys: [passkey()] }]);
      const [browser] = await db().select().from(trustedBrowsers).where(eq(trustedBrowsers.id, row.id));
      expect(browser?.state).toBe('ended');
    });
  });

  describe('recovery codes in a record', () => {
    const codesOf = (userId = '') => db().select().from(recoveryCodes).where(eq(recoveryCodes.userId, userId));

    it('come with a factor, once, as a keyed hash of the hash', async () => {
      const hash = codeHash('7KQ2M0WXC93K');
      const record = person({ passkeys: [passkey()], recovery_codes: [hash, codeHash('D4JH8TNB2RVY')] });
      const [one] = await imported([record]);
      const rows = await codesOf(one?.sub);
      expect(rows.map(({ state }) => state)).toEqual(['active', 'active']);
      const digest = Buffer.from(hash.slice(8), 'base64');
      for (const { codeHash: stored } of rows) expect(Buffer.from(stored).includes(digest.subarray(0, 32))).toBe(false);
      expect(await imported([record])).toMatchObject([{ outcome: 'unchanged', warnings: [] }]);
      // Those that are used or replaced do not come back.
      await db()
        .update(recoveryCodes)
        .set({ state: 'replaced', endedAt: new Date() })
        .where(eq(recoveryCodes.userId, one?.sub ?? ''));
      await imported([record]);
      expect((await codesOf(one?.sub)).map(({ state }) => state)).toEqual(['replaced', 'replaced']);
      await db()
        .delete(recoveryCodes)
        .where(eq(recoveryCodes.userId, one?.sub ?? ''));
      await imported([record]);
      expect(await codesOf(one?.sub)).toEqual([]);
    });

    it('stay behind without a factor, and beside the codes of this server', async () => {
      const record = person({ recovery_codes: [codeHash('a')] });
      const [one] = await imported([record]);
      expect(one?.warnings).toEqual(['recovery codes: the end-user has no second factor here']);
      const factors = { passkeys: [passkey()], recovery_codes: [codeHash('b')] };
      await imported([{ ...record, ...factors }]);
      const [again] = await imported([{ ...record, recovery_codes: [codeHash('c')] }]);
      expect(again?.warnings).toEqual(['recovery codes: the end-user has others here']);
      expect(await codesOf(one?.sub)).toHaveLength(1);
    });

    it.each(['7KQ2M0WXC93K', '$sha256$AAAA', '$sha512$AAAA'])('are refused, without the text: %s', async (text) => {
      const { status, err } = await importing([person({ recovery_codes: [text] })]);
      expect(status).toBe(1);
      expect(err).toContain('recovery_codes.0: Expected "$sha512$", and the SHA-512 of the code in base64');
      expect(err).not.toContain(text);
    });
  });
});

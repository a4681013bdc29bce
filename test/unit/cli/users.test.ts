import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchesPassword } from '../../../src/crypto/password.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { emailChallenges } from '../../../src/storage/schema.ts';
import { findUserForSignIn } from '../../../src/storage/users.ts';
import { listUsers } from '../../support/listed-users.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

describe.each(ways)('users, through the %s', (way) => {
  let line: CommandLine;
  beforeAll(async () => {
    line = await openCommandLine(undefined, way);
  });
  afterAll(() => line.close());

  const find = (username: string) => findUserForSignIn(line.runtime.database.drizzle, username);
  const accepts = async (username: string, password: string) =>
    matchesPassword((await find(username))?.passwordHash ?? null, rawSecret(password));
  const importing = (document: unknown, ...flags: string[]) =>
    line.run(['users', 'import', '-', ...flags], { stdin: JSON.stringify(document) });

  describe('users invite', () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-invite-'));
    cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
    const file = join(folder, 'sign-in.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('signUp: off', 'signUp: invitation'));
    const env = { STATEHOUSE_CONFIG: folder };

    it('prints a link with which an account is created, and which the next invitation replaces', async () => {
      const invite = () => line.run(['users', 'invite', 'ada@example.com', '--json'], { env });
      const [first, second] = [await invite(), await invite()];
      expect(first.err).toBe('');
      expect(JSON.parse(second.out)).toMatchObject({ outcome: 'invited', email: 'ada@example.com' });
      const links = [first, second].map(({ out }) => String(JSON.parse(out).link));
      expect(new Set(links).size).toBe(2);
      for (const link of links) expect(link).toMatch(/^http:\/\/localhost:3000\/email\/link\?t=[\w-]{43}$/);
      const rows = await line.runtime.database.drizzle.select().from(emailChallenges);
      expect(rows.map(({ state }) => state).toSorted()).toEqual(['active', 'superseded']);
    });

    it('mails the link through a running server, and never from the command itself', async () => {
      const { status, out, err } = await line.run(
        ['users', 'invite', 'bea@example.com', '--mail', '--language', 'de'],
        { env },
      );
      if (way === 'database') expect(err).toContain('Mails are sent by a server that runs');
      else expect(out).toContain('sent by mail');
      expect(status).toBe(way === 'database' ? 1 : 0);
    });

    it.each([
      [['ada@example.com'], {}, 'signUp'],
      [['no address'], env, 'e-mail address'],
      [['ada@example.com', '--language', 'de'], env, 'add --mail'],
    ])('rejects %j, with a remedy', async (args, variables, words) => {
      const { status, out, err } = await line.run(['users', 'invite', ...args], { env: variables });
      expect([status, out]).toEqual([1, '']);
      expect(err).toContain(words);
    });
  });

  describe('users create', () => {
    it('takes the password from the environment verbatim', async () => {
      const password = ` "'\\ padded and long `;
      const { status, out } = await line.run(['users', 'create', 'env'], { env: { STATEHOUSE_PASSWORD: password } });
      expect(status).toBe(0);
      expect(out).toBe(`created\n  username  env\n  sub       ${(await find('env'))?.id}\n`);
      expect(await accepts('env', password)).toBe(true);
    });

    it('takes the first line of standard input', async () => {
      await line.run(['users', 'create', 'pipe', '--email', 'p@example.com'], { stdin: 'correct horse\nbattery' });
      expect(await accepts('pipe', 'correct horse')).toBe(true);
      expect((await find('pipe'))?.claims).toEqual({ email: 'p@example.com' });
    });

    it('accepts every claim of OpenID Connect, with its type', async () => {
      const given = {
        given_name: 'Ada = A',
        email_verified: 'true',
        phone_number: '46812345',
        updated_at: '1700000000',
        address: '{"country": "SE"}',
      };
      const flags = Object.entries(given).flatMap(([name, value]) => ['--claim', `${name}=${value}`]);
      const args = [
        'users',
        'create',
        'claims',
        '--generate-password',
        '--email',
        'a@example.com',
        '--display-name',
        'Ada',
      ];
      expect((await line.run([...args, ...flags])).status).toBe(0);
      expect((await find('claims'))?.claims).toEqual({
        email: 'a@example.com',
        name: 'Ada',
        given_name: 'Ada = A',
        email_verified: true,
        phone_number: '46812345',
        updated_at: 1_700_000_000,
        address: { country: 'SE' },
      });
    });

    it('accepts custom claims, as JSON or else as text, and warns of a typing error', async () => {
      const given = ['groups=["staff","admins"]', 'level=3', 'badge=007', 'emial=ada@example.com'];
      const flags = given.flatMap((claim) => ['--claim', claim]);
      const { status, out } = await line.run(['users', 'create', 'further', '--generate-password', ...flags]);
      expect(status).toBe(0);
      expect(out).toContain('claims.emial: is not a claim of OpenID Connect. Did you mean "email"?');
      expect((await find('further'))?.claims).toEqual({
        groups: ['staff', 'admins'],
        level: 3,
        badge: '007',
        emial: 'ada@example.com',
      });
    });

    it.each([
      ['email_verified=yes', 'email_verified: Expected true or false, found "yes".'],
      ['email_verified="true"', 'email_verified: Expected'],
      ['address=Street 1', 'address: Expected'],
      ['sub=me', 'sub: Expected'],
      ['1planet=Earth', 'claims: Expected a letter'],
      ['__proto__=x', 'claims: Expected a letter'],
      [`groups="${'x'.repeat(4100)}"`, 'claims.groups: Expected at most 4096 bytes'],
      ['given_name', '--claim: Expected name=value'],
      ['=Ada', '--claim: Expected name=value'],
      ['given_name=', 'given_name: Expected'],
      ['username=other', '--claim cannot set username'],
      ['password=hunter2hunter2', '--claim cannot set password'],
      ['email=b@example.com', 'A claim is given twice'],
    ])('rejects --claim %s, and creates no user', async (claim, words) => {
      const args = ['users', 'create', 'unknown', '--generate-password', '--email', 'a@example.com', '--claim', claim];
      const refused = await line.run(args);
      expect(refused).toMatchObject({ status: 1, out: '', err: expect.stringContaining(words) });
      expect(refused.err).not.toContain('hunter2');
      expect(await find('unknown')).toBeNull();
    });

    it('prompts twice at a terminal', async () => {
      await line.run(['users', 'create', 'typed'], { types: ['correct horse', 'correct horse'] });
      expect(await accepts('typed', 'correct horse')).toBe(true);
      const { status, err } = await line.run(['users', 'create', 'mistyped'], {
        types: ['correct horse', 'correct hose'],
      });
      expect({ status, err }).toEqual({ status: 1, err: 'The two passwords differ; nothing was changed.\n' });
      expect(await find('mistyped')).toBeNull();
    });

    it('generates a password and prints it once', async () => {
      const { out } = await line.run(['users', 'create', 'made', '--generate-password', '--json']);
      const { user } = JSON.parse(out);
      expect(user).toEqual({
        username: 'made',
        sub: expect.any(String),
        password: expect.stringMatching(/^[\w-]{22}$/),
      });
      expect(await accepts('made', user.password)).toBe(true);
      const hash = (await find('made'))?.passwordHash ?? '';
      for (const flags of [[], ['--json']]) {
        const listed = await line.run(['users', 'list', ...flags]);
        expect(listed.out).toContain(user.sub);
        expect(listed.out).not.toContain(user.password);
        expect(listed.out).not.toContain(hash);
      }
    });

    it('lists those alone that a search finds', async () => {
      const email = 'lady.of@search.example';
      await line.run(['users', 'create', 'searched', '--generate-password', '--email', email]);
      for (const words of ['searched', 'LADY.OF@SEARCH', `"Searched" <${email}>`]) {
        const { users } = JSON.parse((await line.run(['users', 'list', '--search', words, '--json'])).out);
        expect(users.map(({ username }: { username: string }) => username)).toEqual(['searched']);
      }
      expect(await line.run(['users', 'list', '--search', 'unregistered'])).toEqual({
        status: 0,
        out: 'No user matches.\n',
        err: '',
      });
      expect(await line.run(['users', 'list', '--search', ''])).toMatchObject({
        status: 1,
        out: '',
        err: expect.stringContaining('Expected 1 to 200 characters'),
      });
    });

    it('never accepts a password as an argument', async () => {
      for (const typed of [
        ['--password', "hunter2'hunter2"],
        ["--password=hunter2'hunter2"],
        ["hunter2'\nhunter2"],
        ['-phunter2'],
        ['a', 'hunter2'],
      ]) {
        const { status, out, err } = await line.run(['users', 'create', 'argv', ...typed]);
        expect({ status, out }).toEqual({ status: 1, out: '' });
        expect(err).toMatch(/unknown option '(--password|-p)'|too many arguments/);
        expect(err).not.toContain('hunter2');
      }
    });

    it('does not replace a user', async () => {
      await line.run(['users', 'create', 'taken'], { stdin: 'correct horse' });
      expect((await line.run(['users', 'create', 'Taken'], { stdin: 'correct horse' })).out).toMatch(/^unchanged\n/);
      const { status, err } = await line.run(['users', 'create', 'taken'], { stdin: 'another one' });
      expect({ status, err }).toMatchObject({
        status: 1,
        err: expect.stringContaining('differs in password; nothing was changed'),
      });
      expect(await accepts('taken', 'correct horse')).toBe(true);
    });

    it('reports missing or invalid fields before it prompts for a password', async () => {
      expect((await line.run(['users', 'create', 'unknown'])).err).toMatch('No password: set STATEHOUSE_PASSWORD');
      expect((await line.run(['users', 'create', '  '], { types: [] })).err).toMatch('username: Expected 1 to 256');
      expect((await line.run(['users', 'create', 'x', '--email', 'nowhere'])).err).toMatch(
        /email: Expected .*, found "nowhere"/,
      );
    });
  });

  const PRODUCTION = {
    NODE_ENV: 'production',
    STATEHOUSE_ISSUER: 'https://as.test',
    STATEHOUSE_SECRET: 'a root secret of more than 32 bytes',
    DATABASE_URL: 'postgres://nowhere/at_all',
  };

  describe('a weak password in production', () => {
    it.each([
      ['users create', ['users', 'create', 'weak'], 'short\n'],
      ['users create, when it is soon guessed', ['users', 'create', 'weak'], 'password123password\n'],
      ['users import', ['users', 'import', '-'], JSON.stringify({ username: 'weak', password: 'short' })],
    ])('is rejected by %s, and nothing is stored', async (_, args, stdin) => {
      const { status, out, err } = await line.run(args, { env: PRODUCTION, stdin });
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(/password: Expected at least 15 characters in production/);
      expect(err).not.toContain('short');
      expect(await find('weak')).toBeNull();
    });
  });

  describe('users import', () => {
    const people = [
      { username: 'ann', password: 'correct horse battery', email: 'ann@example.com', email_verified: true },
      { username: 'ben', password: 'short' },
    ];

    it('creates, then changes nothing, then updates', async () => {
      expect((await importing({ users: people })).out).toBe(
        'created    ann\ncreated    ben\n  warning: password: 5 characters; expected at least 15 characters in production, 3 of them different, no common password, and no name that stands beside it\n',
      );
      const before = await listUsers(line.runtime.database.drizzle);
      expect((await importing(people)).out).toMatch(/^unchanged {2}ann\nunchanged {2}ben\n/);
      expect(await listUsers(line.runtime.database.drizzle)).toEqual(before);
      expect((await importing({ ...people[0], password: 'battery staple horse', name: 'Ann' })).out).toBe(
        'updated    ann  (password, claims)\n',
      );
    });

    it('keeps the sub of another system, writes the pairs, and never changes or repeats a sub', async () => {
      const moved = [
        { sub: `auth0|1`, username: 'mona', password: 'correct horse battery' },
        { sub: '7d1f6a3c-5f0e-4a51-9a7b-0a4b2c3d4e5f', username: 'nils', password: 'correct horse battery' },
      ];
      const pairs = join(mkdtempSync(join(tmpdir(), 'statehouse-pairs-')), 'pairs.jsonl');
      const first = await importing(moved, '--pairs', pairs);
      expect([first.status, first.err]).toEqual([0, '']);
      const expected = moved.map(({ username, sub }) => ({ username, sub }));
      const written = () =>
        readFileSync(pairs, 'utf8')
          .trim()
          .split('\n')
          .map((text) => JSON.parse(text));
      expect(written()).toEqual(expected);
      const again = await importing(moved, '--pairs', pairs, '--json');
      expect(JSON.parse(again.out).users).toMatchObject(expected.map((pair) => ({ ...pair, outcome: 'unchanged' })));
      expect(written()).toEqual(expected);
      for (const [record, words] of [
        [{ ...moved[0], sub: 'auth0|another' }, 'sub'],
        [{ ...moved[0], username: 'other' }, 'sub'],
        [{ ...moved[1], username: 'other' }, 'sub'],
        [{ sub: 'a b', username: 'other', password: 'correct horse battery' }, 'sub: Expected 1 to 255 printable'],
      ] as const) {
        const { status, err } = await importing([record]);
        expect(status).toBe(1);
        expect(err).toContain(words);
      }
      const twice = ['one', 'two'].map((username) => ({ sub: 'same', username, password: 'correct horse battery' }));
      expect((await importing(twice)).err).toContain('sub: Expected a value that no other record has');
      const uuid = '0e5f7d1f-6a3c-4a51-9a7b-4b2c3d4e5f0a';
      const inBothCases = [uuid.toUpperCase(), uuid].map((sub, at) => ({ ...twice[at], sub }));
      expect((await importing(inBothCases)).err).toContain('sub: Expected a value that no other record has');
      expect(await find('other')).toBeNull();
    });

    it('changes no user when one record is invalid, and prints no password', async () => {
      const { status, out, err } = await importing([
        { username: 'innocent', password: 'hunter2hunter2' },
        { username: 'innocent ', password: 'hunter2hunter2' },
        { username: 'new' },
        { username: 'guilty', password: 'hunter2\0hunter2', emial: 'x@example.com', email_verified: 'yes' },
      ]);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toBe(
        [
          'The import is refused; nothing was changed.',
          '  record 2 (username "innocent "): username: Expected a value that no other record has, found that of record 1.',
          '  record 3 (username "new"): password: Expected 1 to 1024 characters for a new user, found nothing.',
          '  record 4 (username "guilty"): password: Expected 1 to 1024 characters without U+0000, found a text of 15 characters (not shown).',
          '  record 4 (username "guilty"): email_verified: Expected true or false, found "yes".',
          '  record 4 (username "guilty"): emial: Expected one of username, password, password_hash, sub, name, given_name, family_name, middle_name, nickname, preferred_username, profile, picture, website, email, email_verified, gender, birthdate, zoneinfo, locale, phone_number, phone_number_verified, address, updated_at, claims, found an unknown key. Did you mean "email"?',
          '',
        ].join('\n'),
      );
      expect(await find('innocent')).toBeNull();
    });

    const BCRYPT = '$2b$08$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';

    it('accepts hashes of another system, and changes nothing when the file is imported again, whatever the password is then', async () => {
      const person = { username: 'hashed', password_hash: BCRYPT, email: 'hashed@example.com' };
      expect((await importing(person)).out).toBe('created    hashed\n');
      expect(await accepts('hashed', 'correct horse')).toBe(true);
      expect((await importing(person)).out).toBe('unchanged  hashed\n');
      await line.run(['users', 'set-password', 'hashed'], { stdin: 'a password of my own' });
      const before = await find('hashed');
      expect((await importing(person)).out).toBe('unchanged  hashed\n');
      expect(await find('hashed')).toEqual(before);
      expect((await importing({ ...person, name: 'H.' })).out).toBe('updated    hashed  (claims)\n');
      expect(await find('hashed')).toMatchObject({ epoch: before?.epoch, passwordHash: before?.passwordHash });
      // Another hash is another password.
      const other = BCRYPT.replace('$2b$', '$2y$');
      expect((await importing({ ...person, name: 'H.', password_hash: other })).out).toBe(
        'updated    hashed  (password)\n',
      );
      expect((await find('hashed'))?.epoch).toBe((before?.epoch ?? 0n) + 1n);
    });

    it('reports the rejected hashes and the reason, without the hash', async () => {
      const md5 = '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/';
      const { status, out, err } = await importing([
        { username: 'old', password_hash: md5 },
        { username: 'dear', password_hash: BCRYPT.replace('$08$', '$16$') },
        { username: 'both', password_hash: BCRYPT, password: 'correct horse battery' },
      ]);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toContain('record 1 (username "old"): password_hash: Expected argon2id or argon2i (PHC), bcrypt');
      expect(err).toContain('found MD5-crypt, which is made to be fast');
      expect(err).toContain('Expected bcrypt with cost from 8 to 14, found bcrypt with cost 16, which costs too much');
      expect(err).toContain('password_hash: Expected either password or password_hash, found password beside it.');
      expect(err).not.toContain('saltsalt');
      expect(err).not.toContain('abcdefghij');
      expect(await find('both')).toBeNull();
    });

    it('skips rejected records on request, and reports them', async () => {
      const report = join(mkdtempSync(join(tmpdir(), 'statehouse-report-')), 'refused.jsonl');
      const records = [
        '{"username": "kept-1", "password_hash": "$2b$08$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe"}',
        '',
        '{"username": "broken-line", "password',
        '{"username": "no-password"}',
        '{"username": "kept-2", "password": "correct horse battery"}',
        '{"username": "KEPT-2", "password": "correct horse battery"}',
      ].join('\n');
      const flags = ['--skip-refused', '--report', report];
      const { status, out, err } = await line.run(['users', 'import', '-', ...flags], { stdin: records });
      expect({ status, out }).toEqual({ status: 0, out: 'created    kept-1\ncreated    kept-2\n' });
      expect(err).toContain('3 records were refused; the others were imported.');
      const lines = readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
      expect(lines).toEqual([
        { record: 2, line: 3, username: null, reasons: ['Expected a JSON object, found a line that is not JSON.'] },
        { record: 3, line: 4, username: 'no-password', reasons: [expect.stringContaining('for a new user')] },
        { record: 5, line: 6, username: 'KEPT-2', reasons: [expect.stringContaining('that of record 4')] },
      ]);
      // Without that option, no record is imported, and the report lists the same records.
      const refused = await line.run(['users', 'import', '-', '--report', report], {
        stdin: `${records}\n{"username": "kept-3", "password": "correct horse battery"}`,
      });
      expect(refused.status).toBe(1);
      expect(refused.err).toMatch(/^The import is refused; nothing was changed/);
      expect(readFileSync(report, 'utf8').trim().split('\n')).toHaveLength(3);
      expect(await find('kept-3')).toBeNull();
    });

    it('refuses the second user with a verified address, and the username that is the address of another', async () => {
      const record = (username: string, email: string, more = {}) => ({
        ...{ username, password_hash: BCRYPT, email, email_verified: true },
        ...more,
      });
      await importing([record('shares-1', 'Shared@example.com'), record('other@example.com', 'named@example.com')]);
      const { status, out, err } = await importing(
        [
          record('shares-2', 'shared@EXAMPLE.com'),
          record('unverified', 'shared@example.com', { email_verified: false }),
          record('named', 'other@example.com'),
        ],
        '--skip-refused',
      );
      expect({ status, out }).toEqual({ status: 0, out: 'created    unverified\n' });
      for (const name of ['shares-2', 'named'])
        expect(err).toMatch(
          new RegExp(`\\(username "${name}"\\): .*Another end-user signs in by this verified address`),
        );
      expect(await find('shares-2')).toBeNull();
      expect((await find('shares-1'))?.signInAddress).toBe('shared@example.com');
    });

    it('names the records with one name in a dry run, and imports none of them', async () => {
      const record = (username: string, email: string) => ({
        ...{ username, password_hash: BCRYPT, email, email_verified: true },
      });
      const records = [
        record('twice-1', 'Twice@example.com'),
        record('twice-2', 'twice@EXAMPLE.com'),
        record('twice@example.com', 'twice-3@example.com'),
        record('own@example.com', 'Own@example.com'),
      ];
      const words = [2, 3].map(
        (one) =>
          `  record ${one} (username "${records[one - 1]?.username}"): username or email: Expected a value that no other record has, found that of record 1.`,
      );
      const dryRun = await importing(records, '--dry-run');
      expect(dryRun.out).toMatch(/^ +2 ready\n(.*\n){2} +2 refused: 2, 3\n/m);
      expect(dryRun.err).toBe(`2 records were refused.\n${words.join('\n')}\n`);
      const { status, err } = await importing(records);
      expect({ status, err }).toEqual({
        status: 1,
        err: `The import is refused; nothing was changed.\n${words.join('\n')}\n`,
      });
      expect(await find('twice-1')).toBeNull();
      expect((await importing(records, '--skip-refused')).out).toBe('created    twice-1\ncreated    own@example.com\n');
      expect((await importing(records, '--skip-refused')).out).toBe('unchanged  twice-1\nunchanged  own@example.com\n');
    });

    it('starts at the given record, and prints its progress', async () => {
      const records = Array.from({ length: 1200 }, (_, index) => ({
        username: `many-${index}`,
        password_hash: BCRYPT,
      }));
      const first = await line.run(['users', 'import', '-', '--start-at', '1101'], { stdin: JSON.stringify(records) });
      expect(first).toMatchObject({ status: 0, err: '' });
      expect(first.out.split('\n')).toHaveLength(101);
      expect(await find('many-1099')).toBeNull();
      const all = await importing(records);
      expect(all).toMatchObject({ status: 0, out: '1100 created, 0 updated, 100 unchanged\n' });
      expect(all.err).toContain('1200 of 1200 (1200 in the file): 1100 created, 0 updated, 100 unchanged, 0 refused');
      const again = await importing(records, '--json');
      expect(again.err).toBe('');
      expect(JSON.parse(again.out).users).toHaveLength(1200);
    });

    it.each(['0', '1.5', 'x'])('rejects --start-at %s', async (number) => {
      const answer = await line.run(['users', 'import', '-', '--start-at', number], { stdin: '[]' });
      expect(answer.status).toBe(1);
      expect(answer.err).toContain('Expected a number from 1.');
    });

    it('stops before any change when the report cannot be written', async () => {
      const flags = ['--report', '/nowhere/at/all'];
      const answer = await importing({ username: 'unreported', password: 'correct horse battery' }, ...flags);
      expect(answer.err).toContain('the report cannot be written (ENOENT)');
      expect(await find('unreported')).toBeNull();
    });

    it('rejects clients', async () => {
      expect((await importing({ clients: [] })).err).toMatch('has clients, not users: use "statehouse clients import"');
    });
  });

  it('users list and show have no character of a username that rearranges the line', async () => {
    await line.run(['users', 'create', 'ada\u200f(2)'], { stdin: 'correct horse' });
    for (const args of [['list'], ['show', 'ada\u200f(2)']]) {
      const { out } = await line.run(['users', ...args]);
      expect(out).toContain('ada\\u{200f}(2)');
      expect(out).not.toContain('\u200f');
    }
  });

  describe('users disable and enable', () => {
    it('advance the epoch permanently', async () => {
      await line.run(['users', 'create', 'out'], { stdin: 'correct horse' });
      const before = await find('out');
      expect((await line.run(['users', 'disable', 'OUT'])).status).toBe(0);
      expect((await line.run(['users', 'list'])).out).toMatch(/out .* disabled \d{4}-/);
      expect((await importing({ username: 'out' })).out).toMatch(
        'unchanged  out\n  warning: is disabled, and stays so',
      );
      expect(JSON.parse((await line.run(['users', 'enable', 'out', '--json'])).out)).toEqual({
        username: 'out',
        outcome: 'enabled',
      });
      expect(await find('out')).toMatchObject({ disabledAt: null, epoch: (before?.epoch ?? 0n) + 1n });
    });

    it('report an unknown user', async () => {
      for (const command of ['disable', 'enable']) {
        expect(await line.run(['users', command, 'unknown'])).toEqual({
          status: 1,
          out: '',
          err: 'No such user: "unknown".\n',
        });
      }
    });
  });

  describe('users show, set-password and delete', () => {
    const create = (username: string) =>
      line.run(['users', 'create', username, '--email', `${username}@example.com`], {
        env: { STATEHOUSE_PASSWORD: 'correct horse battery' },
      });

    it('show the user, and never a password', async () => {
      await create('shown');
      const { id } = (await find('shown')) ?? { id: '' };
      const { status, out } = await line.run(['users', 'show', 'SHOWN']);
      expect(status).toBe(0);
      expect(out).toBe(`shown\n  sub    ${id}\n  state  may sign in\n  email  shown@example.com\n`);
      const document = JSON.parse((await line.run(['users', 'show', 'shown', '--json'])).out);
      expect(document).toEqual({ username: 'shown', sub: id, disabled: false, claims: { email: 'shown@example.com' } });
      await line.run(['users', 'disable', 'shown']);
      expect((await line.run(['users', 'show', 'shown'])).out).toContain('state  disabled 2');
      expect(await line.run(['users', 'show', 'no\u001bbody'])).toEqual({
        status: 1,
        out: '',
        err: 'No such user: "no\\u{1b}body".\n',
      });
    });

    it('set a password, which ends every earlier session and token, unless it is the same', async () => {
      await create('forgetful');
      const before = await find('forgetful');
      const set = (password: string) =>
        line.run(['users', 'set-password', 'forgetful'], { env: { STATEHOUSE_PASSWORD: password } });
      expect((await set('correct horse battery')).out).toBe('unchanged  forgetful\n');
      expect((await find('forgetful'))?.epoch).toBe(before?.epoch);
      expect((await set('another horse altogether')).out).toBe('updated    forgetful\n');
      expect(await accepts('forgetful', 'another horse altogether')).toBe(true);
      expect(await accepts('forgetful', 'correct horse battery')).toBe(false);
      const after = await find('forgetful');
      expect(after).toMatchObject({ claims: before?.claims, epoch: (before?.epoch ?? 0n) + 1n });
      const made = JSON.parse(
        (await line.run(['users', 'set-password', 'forgetful', '--generate-password', '--json'])).out,
      );
      expect(made).toMatchObject({ username: 'forgetful', outcome: 'updated' });
      expect(await accepts('forgetful', made.password)).toBe(true);
      const shown = (await line.run(['users', 'set-password', 'forgetful', '--generate-password'])).out;
      const [, printed = ''] = /password {2}(\S+)\n/.exec(shown) ?? [];
      expect(await accepts('forgetful', printed)).toBe(true);
      expect((await line.run(['users', 'set-password', 'unknown', '--generate-password'])).err).toBe(
        'No such user: "unknown".\n',
      );
      expect((await set('')).status).toBe(1);
    });

    it('delete for good, after confirmation, and free the username', async () => {
      await create('leaving');
      const { id } = (await find('leaving')) ?? { id: '' };
      const unasked = await line.run(['users', 'delete', 'leaving']);
      expect(unasked).toMatchObject({ status: 1, out: '', err: expect.stringContaining('Add --yes') });
      expect(await find('leaving')).not.toBeNull();
      const { out } = await line.run(['users', 'delete', 'leaving', '--yes']);
      expect(out).toBe(`deleted    leaving  (sub ${id}; sessions, refresh tokens and unused codes have ended)\n`);
      expect(await find('leaving')).toBeNull();
      expect((await listUsers(line.runtime.database.drizzle)).map((user) => user.id)).not.toContain(id);
      expect((await line.run(['users', 'delete', 'leaving', '--yes'])).err).toBe('No such user: "leaving".\n');
      await create('leaving');
      expect((await find('leaving'))?.id).not.toBe(id);
      const again = JSON.parse((await line.run(['users', 'delete', 'leaving', '--yes', '--json'])).out);
      expect(again).toEqual({ username: 'leaving', sub: expect.any(String), outcome: 'deleted' });
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchesPassword } from '../../../src/crypto/password.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { findUserForSignIn, listUsers } from '../../../src/storage/users.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let line: CommandLine;
beforeAll(async () => {
  line = await openCommandLine();
});
afterAll(() => line.close());

const find = (username: string) => findUserForSignIn(line.runtime.database.drizzle, username);
const accepts = async (username: string, password: string) =>
  matchesPassword((await find(username))?.passwordHash ?? null, rawSecret(password));
const importing = (document: unknown, ...flags: string[]) =>
  line.run(['users', 'import', '-', ...flags], { stdin: JSON.stringify(document) });

describe('users create', () => {
  it('takes the password from the environment as it is', async () => {
    const password = ` "'\\ padded `;
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

  it('takes every claim of OpenID Connect, with its type', async () => {
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

  it('takes further claims, as JSON or else as text, and warns of a slip', async () => {
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
  ])('refuses --claim %s, and makes nobody', async (claim, words) => {
    const args = ['users', 'create', 'nobody', '--generate-password', '--email', 'a@example.com', '--claim', claim];
    const refused = await line.run(args);
    expect(refused).toMatchObject({ status: 1, out: '', err: expect.stringContaining(words) });
    expect(refused.err).not.toContain('hunter2');
    expect(await find('nobody')).toBeNull();
  });

  it('asks twice at a terminal', async () => {
    await line.run(['users', 'create', 'typed'], { types: ['correct horse', 'correct horse'] });
    expect(await accepts('typed', 'correct horse')).toBe(true);
    const { status, err } = await line.run(['users', 'create', 'mistyped'], {
      types: ['correct horse', 'correct hose'],
    });
    expect({ status, err }).toEqual({ status: 1, err: 'The two passwords differ; nothing was changed.\n' });
    expect(await find('mistyped')).toBeNull();
  });

  it('makes a password and tells it once', async () => {
    const { out } = await line.run(['users', 'create', 'made', '--generate-password', '--json']);
    const { user } = JSON.parse(out);
    expect(user).toEqual({ username: 'made', sub: expect.any(String), password: expect.stringMatching(/^[\w-]{22}$/) });
    expect(await accepts('made', user.password)).toBe(true);
    const hash = (await find('made'))?.passwordHash ?? '';
    for (const flags of [[], ['--json']]) {
      const listed = await line.run(['users', 'list', ...flags]);
      expect(listed.out).toContain(user.sub);
      expect(listed.out).not.toContain(user.password);
      expect(listed.out).not.toContain(hash);
    }
  });

  it('never takes a password as an argument', async () => {
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

  it('does not replace anybody', async () => {
    await line.run(['users', 'create', 'taken'], { stdin: 'correct horse' });
    expect((await line.run(['users', 'create', 'Taken'], { stdin: 'correct horse' })).out).toMatch(/^unchanged\n/);
    const { status, err } = await line.run(['users', 'create', 'taken'], { stdin: 'another one' });
    expect({ status, err }).toMatchObject({
      status: 1,
      err: expect.stringContaining('differs in password; nothing was changed'),
    });
    expect(await accepts('taken', 'correct horse')).toBe(true);
  });

  it('says what is missing or wrong before it asks for a password', async () => {
    expect((await line.run(['users', 'create', 'nobody'])).err).toMatch('No password: set STATEHOUSE_PASSWORD');
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
    ['users import', ['users', 'import', '-'], JSON.stringify({ username: 'weak', password: 'short' })],
  ])('is refused by %s, and nothing is stored', async (_, args, stdin) => {
    const { status, out, err } = await line.run(args, { env: PRODUCTION, stdin });
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/password: Expected at least 8 characters in production/);
    expect(err).not.toContain('short');
    expect(await find('weak')).toBeNull();
  });
});

describe('users import', () => {
  const people = [
    { username: 'ann', password: 'correct horse', email: 'ann@example.com', email_verified: true },
    { username: 'ben', password: 'short' },
  ];

  it('creates, then changes nothing, then updates', async () => {
    expect((await importing({ users: people })).out).toBe(
      'created    ann\ncreated    ben\n  warning: password: 5 characters; expected at least 8 characters in production, 3 of them different, and not the username\n',
    );
    const before = await listUsers(line.runtime.database.drizzle);
    expect((await importing(people)).out).toMatch(/^unchanged {2}ann\nunchanged {2}ben\n/);
    expect(await listUsers(line.runtime.database.drizzle)).toEqual(before);
    expect((await importing({ ...people[0], password: 'battery staple', name: 'Ann' })).out).toBe(
      'updated    ann  (password, claims)\n',
    );
  });

  it('changes nobody when one record is wrong, and tells no password', async () => {
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
        '  record 4 (username "guilty"): emial: Expected one of username, password, name, given_name, family_name, middle_name, nickname, preferred_username, profile, picture, website, email, email_verified, gender, birthdate, zoneinfo, locale, phone_number, phone_number_verified, address, updated_at, claims, found an unknown key. Did you mean "email"?',
        '',
      ].join('\n'),
    );
    expect(await find('innocent')).toBeNull();
  });

  it('refuses clients', async () => {
    expect((await importing({ clients: [] })).err).toMatch('has clients, not users: use "statehouse clients import"');
  });
});

describe('users disable and enable', () => {
  it('raise the epoch for good', async () => {
    await line.run(['users', 'create', 'out'], { stdin: 'correct horse' });
    const before = await find('out');
    expect((await line.run(['users', 'disable', 'OUT'])).status).toBe(0);
    expect((await line.run(['users', 'list'])).out).toMatch(/out .* disabled \d{4}-/);
    expect((await importing({ username: 'out' })).out).toMatch('unchanged  out\n  warning: is disabled, and stays so');
    expect(JSON.parse((await line.run(['users', 'enable', 'out', '--json'])).out)).toEqual({
      username: 'out',
      outcome: 'enabled',
    });
    expect(await find('out')).toMatchObject({ disabledAt: null, epoch: (before?.epoch ?? 0n) + 1n });
  });

  it('know who is not there', async () => {
    for (const command of ['disable', 'enable']) {
      expect(await line.run(['users', command, 'nobody'])).toEqual({
        status: 1,
        out: '',
        err: 'No such user: "nobody".\n',
      });
    }
  });
});

describe('users show, set-password and delete', () => {
  const create = (username: string) =>
    line.run(['users', 'create', username, '--email', `${username}@example.com`], {
      env: { STATEHOUSE_PASSWORD: 'correct horse battery' },
    });

  it('show who it is, and never a password', async () => {
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

  it('set a password, which ends what was before, unless it is the same', async () => {
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
    expect((await line.run(['users', 'set-password', 'nobody', '--generate-password'])).err).toBe(
      'No such user: "nobody".\n',
    );
    expect((await set('')).status).toBe(1);
  });

  it('delete for good, after a yes, and leave the username free', async () => {
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

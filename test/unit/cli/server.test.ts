/** Commands about the server as a whole: recover, check, and the messages of failures. */

import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusFor, wordsFor } from '../../../src/cli/failure-words.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { StoreUnavailable, Unavailable } from '../../../src/engine/errors.ts';
import type { ClientRegistration } from '../../../src/model/client.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import { reading } from '../../../src/storage/failures.ts';
import { FolderInUse } from '../../../src/storage/folder-lock.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { ReportedError } from '../../../src/system/reported-error.ts';
import { saveClient } from '../../support/administration.ts';
import { createEmptyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let line: CommandLine;
let postgres: TestDatabase<string>;
let folder: string;
const policies = new URL('../../../policies', import.meta.url).pathname;
const SECRET = 'a-root-secret-of-more-than-32-bytes';

beforeAll(async () => {
  line = await openCommandLine();
  postgres = await openTestDatabase('postgres');
  folder = mkdtempSync(join(tmpdir(), 'statehouse-policies-'));
  cpSync(policies, folder, { recursive: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await postgres.close();
  await line.close();
});

const stored = {
  ...DEFAULT_METADATA,
  clientId: 'shop',
  clientName: 'Shop',
  tokenEndpointAuthMethod: 'client_secret_basic',
  secretMacs: [{ keyId: '00000000', mac: 'ab' }],
  redirectUris: ['http://localhost:8080/callback'],
  grantTypes: ['authorization_code', 'refresh_token'],
  scope: ['read', 'orders'],
} as const;

describe('recover', () => {
  it('requires confirmation', async () => {
    const unasked = await line.run(['recover']);
    expect(unasked).toMatchObject({ status: 1, out: '', err: expect.stringContaining('Add --yes to do so.') });
    const declined = await line.run(['recover'], { types: ['no'] });
    expect(declined).toMatchObject({ status: 1, out: '', err: 'Not confirmed; nothing was changed.\n' });
    expect(JSON.parse((await line.run(['recover', '--yes', '--json'])).out).server_epoch).toBe('1');
    expect((await line.run(['recover'], { types: ['yes'] })).out).toMatch('server epoch 2');
  });
});

describe('check', () => {
  const save = async (client: ClientRegistration) => {
    await keepLedgerPartitions(postgres.database.drizzle, databaseClock);
    await saveClient(postgres.database.drizzle, client, false, 'operator', rowMacs(rootKeys([SECRET])));
  };
  const env = () => ({ DATABASE_URL: postgres.url, STATEHOUSE_CONFIG: folder, STATEHOUSE_SECRET: SECRET });

  it('prints the policy in force for each client, in words and in seconds', async () => {
    await save({ ...stored, secretMacs: [], tokenEndpointAuthMethod: 'none' });
    const { status, out, err } = await line.run(['check'], { env: env() });
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const [client] = out.slice(out.indexOf('client shop')).split(/(?<=\n)\n/);
    expect(client?.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '(instant)')).toBe(
      [
        'client shop (Shop)',
        '  registered          in the database',
        '  policy              default',
        '  access token        15 minutes (900 s) for https://api.example.com, signed with ES256',
        '  authorization code  1 minute (60 s)',
        '  refresh token       ends 30 days (2592000 s) after its last use, and 180 days (15552000 s) after the approval in any case',
        '  signed in today     an idle chain ends (instant), a used one at the latest (instant)',
        '  grant types         authorization_code, refresh_token',
        '  authenticates       none (public client)',
        '  redirect URIs       http://localhost:8080/callback',
        '  scopes              read orders',
        '  warning: redirect_uris.0: "localhost" can resolve elsewhere (RFC 8252 §8.3); 127.0.0.1 is safer',
        '  warning: scope: no resource describes "orders"; it counts for https://api.example.com, and consent shows its bare name',
        '',
      ].join('\n'),
    );
  });

  it('prints how long signing keys are published, sign and retire', async () => {
    const { out } = await line.run(['check'], { env: env() });
    expect(out).toContain(
      [
        'signing keys',
        '  algorithms  ES256, RS256',
        '  published   1 day (86400 s) before it signs',
        '  signing     90 days (7776000 s)',
        '  retiring    1 hour, 5 minutes, 10 seconds (3910 s): until the last token that it signed has expired',
        '  JWKS        may be cached for 5 minutes (300 s)',
        '',
      ].join('\n'),
    );
    const { signing_keys } = JSON.parse((await line.run(['check', '--json'], { env: env() })).out);
    expect(signing_keys).toMatchObject({ algorithms: ['ES256', 'RS256'], jwksMaxAgeSeconds: 300 });
  });

  describe('warns', () => {
    const warningsWith = async (more: Readonly<Record<string, string>>, resources?: object[]): Promise<string[]> => {
      if (resources) writeFileSync(join(folder, 'resources.yaml'), JSON.stringify({ resources }));
      const { status, out } = await line.run(['check', '--json'], { env: { ...env(), ...more } });
      cpSync(policies, folder, { recursive: true });
      expect(status).toBe(0);
      return JSON.parse(out).warnings;
    };
    const api = (identifier: string, ...scopes: string[]) => ({
      identifier,
      name: 'API',
      default: true,
      scopes: scopes.map((name) => ({ name, description: 'do something' })),
    });

    it('of unset trusted proxies, in production', async () => {
      const unset = expect.stringContaining('STATEHOUSE_TRUSTED_PROXIES is not set');
      const production = { NODE_ENV: 'production', STATEHOUSE_ISSUER: 'https://as.test' };
      expect(await warningsWith(production)).toContainEqual(unset);
      expect(await warningsWith({ ...production, STATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' })).not.toContainEqual(unset);
      expect(await warningsWith({})).not.toContainEqual(unset);
    });

    it('of the shipped example resource', async () => {
      const example = expect.stringMatching(/^resource https:\/\/api\.example\.com: an example/);
      expect(await warningsWith({})).toContainEqual(example);
      expect(await warningsWith({}, [api('https://api.notexample.com', 'read')])).toEqual([]);
    });

    it.each(['openid', 'profile', 'email', 'address', 'phone', 'offline_access'])(
      'of an API that has the scope %s',
      async (name) => {
        const warnings = await warningsWith({}, [api('https://api.test', 'read', name)]);
        expect(warnings).toEqual([
          expect.stringContaining(`resource https://api.test: the scope "${name}" is one of OpenID Connect: `),
        ]);
      },
    );

    it('of an API that has a scope of the management API', async () => {
      expect(await warningsWith({}, [api('https://api.test', 'read', 'users:read', 'users:list')])).toEqual([
        expect.stringContaining('resource https://api.test: the scope "users:read" is one of the management API too: '),
      ]);
    });
  });

  it('finds clients without a matching configuration or root secret', async () => {
    await save({ ...stored, policy: 'gone' });
    const { status, out, err } = await line.run(['check', '--json'], { env: env() });
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      clients: [{ client_id: 'shop', lifetimes: null, access_tokens: [] }],
    });
    expect(err).toMatch('client shop: policy: Expected "browser-app", "default"');
    expect(err).toMatch('client shop: client_secret: stored under a root secret that STATEHOUSE_SECRET does not list');
    expect(out).not.toContain('secretMacs');
  });

  it('checks the configuration alone where the database cannot be read, and changes no row there', async () => {
    const empty = await createEmptyDatabase();
    const { status, out } = await line.run(['check', '--json'], {
      env: { ...env(), DATABASE_URL: empty.url },
    });
    expect(status).toBe(0);
    expect(JSON.parse(out).warnings).toContainEqual(expect.stringContaining('run "statehouse migrate"'));
    expect((await line.run(['check', '--json'], { env: { ...env(), DATABASE_URL: empty.url } })).out).toBe(out);
    await empty.drop();
    const gone = await line.run(['check', '--json'], { env: { ...env(), DATABASE_URL: empty.url } });
    expect(JSON.parse(gone.out).warnings).toContainEqual(expect.stringContaining('has no database of this name'));
  });

  it('rejects what the server would reject', async () => {
    writeFileSync(join(folder, 'default.policy.yaml'), 'accessTokenLifetimeSecond: 900\n');
    const { status, out, err } = await line.run(['check'], { env: env() });
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(
      'default.policy.yaml:1: accessTokenLifetimeSecond: Expected one of accessTokenLifetimeSeconds, ',
    );
    expect(err).toMatch('Did you mean "accessTokenLifetimeSeconds"?');
    cpSync(policies, folder, { recursive: true });

    const short = await line.run(['check'], {
      env: { ...env(), STATEHOUSE_SECRET: 'too-short-to-hide' },
    });
    expect(short.err).toMatch('STATEHOUSE_SECRET: entry 1 has 17 bytes; expected at least 32.');
    expect(short.err).not.toContain('too-short-to-hide');
  });

  it('names a duplicate key, and its first position', async () => {
    const refused = async (file: string, text: string): Promise<string> => {
      writeFileSync(join(folder, file), text);
      const { status, err } = await line.run(['check'], { env: env() });
      rmSync(join(folder, file));
      cpSync(policies, folder, { recursive: true });
      expect(status).toBe(1);
      return err;
    };
    const policy = 'accessTokenLifetimeSeconds: 900\n# again\naccessTokenLifetimeSeconds: 600\n';
    expect(await refused('default.policy.yaml', policy)).toContain(
      'default.policy.yaml:3: accessTokenLifetimeSeconds: Expected each key once, found it a second time (first in line 1).',
    );
    const clients = 'clients:\n  - client_id: a\n  - client_id: b\n    client_name: B\n    client_id: c\n';
    expect(await refused('clients.yaml', clients)).toContain(
      'clients.yaml:5: clients.1.client_id: Expected each key once, found it a second time (first in line 3).',
    );
    expect(await refused('sign-in.yaml', '{a: {"b": 1, b: 2}}')).toContain(
      'sign-in.yaml:1: a.b: Expected each key once',
    );
  });

  it('says where the secret of a declared client belongs', async () => {
    const clients =
      'clients:\n  - client_id: a\n    client_secret: hunter2-hunter2\n    redirect_uris: [https://a.test/]\n';
    writeFileSync(join(folder, 'clients.yaml'), clients);
    const { status, err } = await line.run(['check'], { env: env() });
    rmSync(join(folder, 'clients.yaml'));
    expect(status).toBe(1);
    expect(err).toMatch(
      /clients\.yaml:3: clients\.0\.client_secret: Expected no secret in this file: client_secret_environment names/,
    );
    expect(err).not.toMatch(/client_name|hunter2/);
  });

  it('and the other commands leave declared clients to their file', async () => {
    writeFileSync(
      join(folder, 'clients.yaml'),
      'clients:\n  - client_id: declared\n    token_endpoint_auth_method: none\n    redirect_uris: [https://shop.example/cb]\n',
    );
    const { out } = await line.run(['check', '--json'], { env: env() });
    expect(JSON.parse(out).clients).toContainEqual(expect.objectContaining({ client_id: 'declared', declared: true }));
    const record = { client_id: 'declared', redirect_uris: ['https://evil.example/'] };
    const asked = [
      line.run(['clients', 'import', '-'], { env: env(), stdin: JSON.stringify(record) }),
      line.run(['clients', 'create', '--id', 'declared', '--redirect-uri', 'https://evil.example/'], { env: env() }),
      line.run(['clients', 'rotate-secret', 'declared'], { env: env() }),
      line.run(['clients', 'delete', 'declared'], { env: env() }),
    ];
    for (const { status, err } of await Promise.all(asked)) {
      expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining('clients.yaml') });
    }
    rmSync(join(folder, 'clients.yaml'));
  });
});

describe('failures', () => {
  const url = 'postgres://someone:hunter2@db.example:5433/statehouse';
  const failed = (code: string) => Object.assign(new Error(`with hunter2 in it`), { code });

  it.each([
    [
      new StoreUnavailable(false),
      'The database cannot be reached. Check DATABASE_URL: host db.example:5433, database statehouse.',
    ],
    [failed('ECONNREFUSED'), 'The database cannot be reached: nothing listens there. Check DATABASE_URL: host'],
    [new Error('around', { cause: failed('28P01') }), 'restart with the new DATABASE_URL. Check DATABASE_URL: host'],
    [failed('3D000'), 'has no database of this name'],
    [
      Object.assign(new Error('could not open file "base/5/1259": No such file or directory'), { code: '58P01' }),
      'one of its files is missing (58P01: could not open file "base/5/1259": No such file or directory). The log of Postgres',
    ],
    [
      new DrizzleQueryError(
        'select $1',
        ['hunter2'],
        Object.assign(new Error('cannot do this now'), { code: '0A000' }),
      ),
      'that this server does not expect (0A000: cannot do this now). The log of Postgres says more.',
    ],
    [
      Object.assign(new Error('self-signed certificate in certificate chain'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      '(SELF_SIGNED_CERT_IN_CHAIN: self-signed certificate in certificate chain). Name a file',
    ],
    [
      new Unavailable('signing_unavailable', { cause: new ReportedError('The device says what it has.') }),
      'The device says what it has.',
    ],
    [new FolderInUse('.statehouse', 42), 'set DATABASE_URL to a Postgres server'],
    [failed('EACCES'), 'permission denied'],
  ])('are printed as a message: %s', (error, words) => {
    const message = wordsFor(error, { DATABASE_URL: url });
    expect(message, message).toContain(words);
    expect(message).not.toMatch(/hunter2|someone|^\s+at /m);
  });

  it('exit with a status of their own when a restart cannot help', () => {
    class Final extends ReportedError {
      override readonly isFinal = true;
    }
    const caused = (cause: Error) => new Unavailable('signing_unavailable', { cause });
    const said = new ReportedError('The device is away.');
    expect([said, caused(said), new Error('x'), null].map(statusFor)).toEqual([1, 1, 1, 1]);
    const refused = new Final('The PIN is wrong.');
    expect([refused, caused(refused)].map(statusFor)).toEqual([78, 78]);
  });

  it.each([
    [{ DATABASE_URL: url }, ' Check DATABASE_URL: host db.example:5433, database statehouse.'],
    [{}, ''],
  ])('quote the code and message of Postgres for a refused statement of the engine: %o', async (env, where) => {
    const said = Object.assign(new Error('could not open file "base/16384/24576": No such file or directory'), {
      code: '58P01',
      detail: 'Key (username)=(hunter2)',
    });
    const query = new DrizzleQueryError('select $1', ['hunter2'], said);
    const cause = await reading(() => Promise.reject(query)).catch((error: unknown) => error);
    expect(wordsFor(new Unavailable('store_unavailable', { cause }), env)).toBe(
      'The database refused a statement: one of its files is missing (58P01: could not open file "base/16384/24576": ' +
        `No such file or directory). The log of Postgres says more.${where}\n`,
    );
  });

  it('of the driver during a statement of the engine name the database, without the stored values', async () => {
    const query = new DrizzleQueryError('select $1', ['hunter2'], new Error('hunter2'));
    const cause = await reading(() => Promise.reject(query)).catch((error: unknown) => error);
    expect(wordsFor(new Unavailable('store_unavailable', { cause }), {})).toBe(
      'The database or its driver failed in a way that this server does not expect.\n',
    );
  });

  it('name each host of several, without user and password', () => {
    const several = 'postgres://someone:hunter2@a:5433,b/statehouse?target_session_attrs=read-write';
    const message = wordsFor(failed('NO_WRITABLE_HOST'), { DATABASE_URL: several });
    expect(message).toBe(
      'The database has no host that can be written to: a failover is under way. Check DATABASE_URL: hosts a:5433,b, database statehouse.\n',
    );
  });

  it('without a known cause are printed with type and position, without the stored values', () => {
    const error = Object.assign(new TypeError('insert into users values (hunter2)'), { code: '22P05' });
    const message = wordsFor(error, { DATABASE_URL: url });
    expect(message).toMatch(
      /^The database refused a statement for a reason that this server does not expect \(22P05\)\. /,
    );
    expect(message).not.toMatch(/hunter2|^\s+at /m);
    expect(wordsFor(new TypeError('hunter2'), {})).toMatch(/^Unexpected TypeError\n {4}at /);
    expect(wordsFor('hunter2', {})).toBe('Unexpected string\n');
  });

  it('of arguments are printed by commander', async () => {
    expect(await line.run(['clients', 'nope'])).toMatchObject({
      status: 1,
      err: expect.stringContaining("unknown command 'nope'"),
    });
    expect((await line.run([])).status).toBe(1);
  });

  it('of the environment in production name every variable to set', async () => {
    const { status, out, err } = await line.run(['clients', 'list'], { env: { NODE_ENV: 'production' } });
    expect({ status, out }).toEqual({ status: 1, out: '' });
    for (const name of ['STATEHOUSE_ISSUER', 'STATEHOUSE_SECRET', 'DATABASE_URL'])
      expect(err).toContain(`${name} is not set.`);
  });
});

const COMMANDS = [
  'start',
  'migrate',
  'check',
  'recover',
  ...['create', 'list', 'show', 'rotate-secret', 'delete', 'import'].map((one) => `clients ${one}`),
  ...['create', 'list', 'disable', 'enable', 'import'].map((one) => `users ${one}`),
  ...['list', 'rotate', 'revoke'].map((one) => `keys ${one}`),
];

describe('help', () => {
  it.each(COMMANDS)('of %s has an example', async (command) => {
    const { status, out, err } = await line.run([...command.split(' '), '--help']);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(new RegExp(`Examples?:\n(.*\n)*? .*statehouse ${command}`));
    expect(/--json/.test(out)).toBe(command !== 'start');
  });
});

/**
 * `npm run bench:lists`: how long the server works on each list of the management API and each page of the console, with many grants
 * and a long ledger.
 * In one process, without the network; times say something about this machine, and nothing here asserts them.
 */
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { MANAGEMENT_SCOPE_NAMES } from '../../src/config/management-resource.ts';
import { SCREENS } from '../../src/console/screens.ts';
import { RESOURCES } from '../../src/management/resources/all.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { testClock } from '../support/clock.ts';
import { type ConsoleApp, consoleBrowser, openConsoleApp, openPage } from '../support/console.ts';
import { BOT, callerWith, makeBot, tokenOf } from '../support/management.ts';
import { openDatabases } from './databases.ts';
import { columns, format } from './text.ts';

const { values } = parseArgs({
  options: { grants: { type: 'string', default: '100000' }, lines: { type: 'string', default: '1000000' } },
});
const [GRANTS, LINES] = [Number(values.grants), Number(values.lines)];
const CLIENTS = 10_000;
const USERS = 100_000;
const SESSIONS = 20_000;
const TIMES = 9;
/** The aim, in milliseconds of server time. */
const AIM = 200;

type Known = Readonly<Record<string, string>>;

/** The subject of a page of the console. */
const QUERIES: readonly (readonly [path: string, query: (known: Known) => string])[] = [
  ['/console/client/new', () => ''],
  ['/console/clients', () => ''],
  ['/console/client', ({ client_id: id }) => `?id=${id}`],
  ['/console/end-users', () => ''],
  ['/console/end-user', ({ sub }) => `?id=${sub}`],
  ['/console/grants', () => '?state=ended'],
  ['/console/grant', ({ grant_id: id }) => `?id=${id}`],
  ['/console/sessions', () => '?state=ended'],
  ['/console/session', ({ sid }) => `?id=${sid}`],
  ['/console/machines', () => ''],
  ['/console/machine', () => '?name=refreshToken'],
  ['/console/keys/rotate', () => '?alg=ES256'],
  ['/console/key/revoke', ({ kid }) => `?id=${kid}`],
  ['/console/ledger', () => '?reason=refresh_token_reused'],
];

const databases = await openDatabases();
try {
  const url = await databases.create('lists');
  const database = openPostgres(url);
  try {
    await database.migrate();
    const app = await openConsoleApp(database, { clock: testClock(new Date()) });
    app.setOperators({ clients: [{ client_id: BOT, scope: [...MANAGEMENT_SCOPE_NAMES] }] });
    await makeBot(app);
    say(`${GRANTS} grants of ${USERS} end-users and ${CLIENTS} clients, ${SESSIONS} sessions, ${LINES} lines`);
    await fill(url);
    await databases.analyze(url);
    await measure(app);
  } finally {
    await database.close();
  }
} finally {
  await databases.close();
}

/** The state after a year of use: half of the grants have ended, every hundredth by a reuse. */
async function fill(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    // The triggers refuse rows that no machine has made.
    await sql`set session_replication_role = replica`;
    await sql`set statement_timeout = 0`;
    await sql`insert into clients (client_id, client_name, application_type, token_endpoint_auth_method, secret_macs, redirect_uris, grant_types, policy)
      select 'client-' || n, 'Client number ' || n, 'web', 'none', '[]', array['https://c' || n || '.test/'],
        array['authorization_code', 'refresh_token'], 'default' from generate_series(1, ${CLIENTS}::int) n`;
    await sql`insert into users (id, username, username_key, password_hash, claims)
      select gen_random_uuid(), 'user-' || n, 'user-' || n, 'x', jsonb_build_object(
        'name', initcap(substr(md5(n || 'a'), 1, 7)) || ' Müller', 'email', substr(md5(n || 'b'), 1, 9) || '@firma-' || n % 50 || '.example')
      from generate_series(1, ${USERS}::int) n`;
    await sql`create temporary table numbered as select id, row_number() over () as n from users where username like 'user-%'`;
    await sql`create index on numbered (n)`;
    await sql`insert into sessions (id_hash, user_id, user_epoch, server_epoch, signed_in_at, ends_at, user_agent)
      select sha256(uuid_send(gen_random_uuid())), u.id, 0, 0, now() - s.n * interval '1 second', now() + interval '12 hours', 'Mozilla/5.0'
      from generate_series(1, ${SESSIONS}::int) s(n) join numbered u on u.n = s.n % ${USERS} + 1`;
    await sql`insert into grants (id, code_hash, client_id, user_id, client_epoch, user_epoch, server_epoch,
        scope, resources, policy, code_challenge, redirect_uri, code_ends_at, state, revoked_at, revoked_reason, created_at,
        refresh_generation, refresh_nonce, last_used_at, chain_ends_at)
      select gen_random_uuid(), sha256(uuid_send(gen_random_uuid())), 'client-' || (s.n % ${CLIENTS} + 1), u.id, 0, 0, 0,
        array['read'], array['https://api.example.com'], 'default', 'x', 'https://c.test/', now(), 
        case when s.n % 2 = 0 then 'revoked' else 'active' end, case when s.n % 2 = 0 then now() - s.n * interval '10 seconds' end,
        case when s.n % 100 = 0 then 'refresh_token_reused' when s.n % 2 = 0 then 'revocation_requested' end,
        now() - s.n * interval '60 seconds', 10, '\\x00'::bytea, now() - interval '1 hour', now() + interval '30 days'
      from generate_series(1, ${GRANTS}::int) s(n) join numbered u on u.n = s.n % ${USERS} + 1`;
    await sql`create temporary table chains as select id, client_id, row_number() over () as n from grants`;
    await sql`create index on chains (n)`;
    for (let from = 0; from < LINES; from += 100_000)
      await sql`insert into transitions (shard_key, at, machine, grant_id, event, from_state, to_state, generation, client_id, policy, reason)
        select g.id, now() - (${LINES}::int - s.n) * interval '0.1 second', 'refreshToken', g.id, 'presented', 'active',
          case when s.n % 1000 = 0 then 'revoked' else 'used' end, s.n, g.client_id, 'default',
          case when s.n % 1000 = 0 then 'refresh_token_reused' end
        from generate_series(${from + 1}::int, ${Math.min(from + 100_000, LINES)}::int) s(n) join chains g on g.n = s.n % ${GRANTS} + 1`;
  } finally {
    await sql.end();
  }
}

async function measure(app: ConsoleApp): Promise<void> {
  const token = tokenOf(app, MANAGEMENT_SCOPE_NAMES);
  const call = callerWith(app, () => token);
  const json = async (path: string) => (await call('GET', path)).json();
  const [grant] = (await json('/grants?limit=1')).items;
  const { sub } = grant;
  const known: Readonly<Record<string, string>> = {
    client_id: grant.client_id,
    sub,
    grant_id: grant.grant_id,
    sid: (await json('/sessions?limit=1')).items[0].sid,
    kid: (await json('/signing-keys')).items[0].kid,
  };
  const hour = new Date(Date.now() - 3_600_000).toISOString();
  const filtered = [
    ...['number 1', '9999', 'muller', '~!'].map((q) => `/clients?q=${encodeURIComponent(q)}`),
    ...['99', '99999', 'muller', 'firma-7.ex', 'zzz', 'f0', 'q', 'muller f3', '~!'].map(
      (q) => `/users?q=${encodeURIComponent(q)}`,
    ),
    '/users?disabled=true',
    `/grants?client_id=${grant.client_id}`,
    '/grants?state=ended',
    `/grants?sub=${sub}&state=active`,
    `/grants?to=${hour}`,
    '/sessions?state=ended',
    '/transitions?order=asc',
    '/transitions?reason=refresh_token_reused',
    '/transitions?reason=none_has_it',
    `/transitions?client_id=${grant.client_id}`,
    `/transitions?sub=${sub}`,
    `/transitions?grant_id=${grant.grant_id}`,
    `/transitions?from=${hour}`,
    `/transitions?to=${hour}`,
  ];
  // Of resources that the rows above do not have, only the list.
  const plain = RESOURCES.filter(({ methods }) => methods.GET)
    .map(({ path }) =>
      path
        .replace(/^\/$/, '')
        .replace('/machines/{name}', '/machines/refreshToken')
        .replace('/policies/{name}', '/policies/default')
        .replace(/\{(\w+)\}/g, (part, name: string) => encodeURIComponent(known[name] ?? part)),
    )
    .filter((path) => !path.includes(encodeURIComponent('{')));
  const browser = consoleBrowser(app);
  await openPage(browser, app.operator);
  const pages = SCREENS.map(({ path }) => path)
    .filter((path) => !/\.(csv|jsonl)$|^\/console\/(webhooks\/delivery|mails\/content)$/.test(path))
    .map((path) => `${path}${QUERIES.find(([start]) => path.startsWith(start))?.[1](known) ?? ''}`);
  const rows: string[][] = [['GET', 'median ms', 'slowest ms', 'tenth page ms']];
  for (const path of [...plain, ...filtered, ...pages]) {
    const times: number[] = [];
    for (let n = 0; n < TIMES; n++) times.push(await timeOf(path));
    const sorted = times.toSorted((a, b) => a - b);
    rows.push([
      path || '/',
      mark(sorted[Math.floor(TIMES / 2)] ?? 0),
      mark(sorted.at(-1) ?? 0),
      await tenthPage(path).then((ms) => (ms === null ? '–' : mark(ms))),
    ]);
  }

  say(columns(rows).join('\n'));

  async function timeOf(path: string): Promise<number> {
    const begun = performance.now();
    const status = path.startsWith('/console')
      ? (await browser.get(path)).status
      : (await call('GET', path)).statusCode;
    if (status !== 200) throw new Error(`${path}: ${status}`);
    return performance.now() - begun;
  }

  async function tenthPage(path: string): Promise<number | null> {
    if (path.endsWith('/picture') || path.startsWith('/console')) return null;
    let href = `/management/v1${path}`;
    for (let page = 1; page < 10; page++) {
      const { _links } = await json(href);
      if (!_links?.next) return null;
      href = _links.next.href.slice(app.issuer.length);
    }
    return timeOf(href);
  }
}

function mark(milliseconds: number): string {
  return `${format(milliseconds, 1)} ${milliseconds <= AIM ? '≤' : '>'} ${AIM}`;
}

function say(words: string): void {
  process.stdout.write(`${words}\n`);
}

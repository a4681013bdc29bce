/**
 * `npm run bench:lists`: the CPU of the server and of Postgres for each list of the management API and each page of the console. The
 * database has many end-users and grants and a long ledger.
 * In one process, without the network; times say something about this machine, and nothing here asserts them.
 */
import { parseArgs } from 'node:util';
import { MANAGEMENT_SCOPE_NAMES } from '../../src/config/management-resource.ts';
import { SCREENS } from '../../src/console/screens.ts';
import { RESOURCES } from '../../src/management/resources/all.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { testClock } from '../support/clock.ts';
import { type ConsoleApp, consoleBrowser, openConsoleApp, openPage } from '../support/console.ts';
import { BOT, callerWith, makeBot, tokenOf } from '../support/management.ts';
import { askedLists, type Known } from './asked-lists.ts';
import { type Databases, openDatabases } from './databases.ts';
import { type Extent, fillLists } from './filled-lists.ts';
import { postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { machine } from './report.ts';
import { median } from './statistics.ts';
import { columns, format } from './text.ts';
import { writeFigures } from './write.ts';

const { values } = parseArgs({
  options: {
    grants: { type: 'string', default: '100000' },
    lines: { type: 'string', default: '1000000' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});
const EXTENT: Extent = {
  grants: Number(values.grants),
  lines: Number(values.lines),
  clients: 10_000,
  users: 100_000,
  sessions: 20_000,
};
const TIMES = 5;
/** The aim, in milliseconds of CPU. */
const AIM = 200;
/** The rows of the table in docs/performance.md. */
const WRITTEN = 15;

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

type Cost = { readonly milliseconds: number; readonly cpu: number | null };
type Measured = {
  readonly path: string;
  readonly costs: readonly Cost[];
  /** Null: there is none. */
  readonly tenthPage: Cost | null;
};

const NAME = 'lists';
const databases = await openDatabases();
try {
  const url = await databases.create(NAME);
  const database = openPostgres(url);
  try {
    await database.migrate();
    const app = await openConsoleApp(database, { clock: testClock(new Date()) });
    app.setOperators({ clients: [{ client_id: BOT, scope: [...MANAGEMENT_SCOPE_NAMES] }] });
    await makeBot(app);
    const counts = Object.entries(EXTENT).map(([name, count]) => `${format(count, 0)} ${name}`);
    say(counts.join(', '));
    await fillLists(url, EXTENT);
    await databases.analyze(url);
    report(await measure(app, databases));
  } finally {
    await database.close();
  }
} finally {
  await databases.close();
}

async function measure(app: ConsoleApp, { admin }: Databases): Promise<readonly Measured[]> {
  const token = tokenOf(app, MANAGEMENT_SCOPE_NAMES);
  const call = callerWith(app, () => token);
  const json = async (path: string) => (await call('GET', path)).json();
  const [grant] = (await json('/grants?limit=1')).items;
  const known: Known = {
    client_id: grant.client_id,
    sub: grant.sub,
    grant_id: grant.grant_id,
    sid: (await json('/sessions?limit=1')).items[0].sid,
    kid: (await json('/signing-keys')).items[0].kid,
  };
  // Of resources that the lists above do not have, only the list.
  const plain = RESOURCES.filter(({ methods }) => methods.GET)
    .map(({ path }) =>
      path
        .replace(/^\/$/, '')
        .replace('/machines/{name}', '/machines/refreshToken')
        .replace('/policies/{name}', '/policies/default')
        .replace(/\{(\w+)\}/g, (part, name: string) => encodeURIComponent(known[name as keyof Known] ?? part)),
    )
    .filter((path) => !path.includes(encodeURIComponent('{')));
  const browser = consoleBrowser(app);
  await openPage(browser, app.operator);
  const pages = SCREENS.map(({ path }) => path)
    .filter((path) => !/\.(csv|jsonl)$|^\/console\/(webhooks\/delivery|mails\/content)$/.test(path))
    .map((path) => `${path}${QUERIES.find(([start]) => path.startsWith(start))?.[1](known) ?? ''}`);
  const measured: Measured[] = [];
  for (const path of [...plain, ...askedLists(known, EXTENT), ...pages].filter((path) => path.includes(values.only))) {
    const costs: Cost[] = [];
    for (let n = 0; n < TIMES; n++) costs.push(await costOf(path));
    measured.push({ path, costs, tenthPage: await tenthPage(path) });
  }
  return measured;

  async function costOf(path: string): Promise<Cost> {
    const before = { ...(await cpuNow()), begun: performance.now() };
    const status = path.startsWith('/console')
      ? (await browser.get(path)).status
      : (await call('GET', path)).statusCode;
    const milliseconds = performance.now() - before.begun;
    if (status !== 200) throw new Error(`${path}: ${status}`);
    const { user, system } = process.cpuUsage(before.server);
    const ofPostgres = postgresCpuBetween(before.postgres, await postgresCpu(admin, NAME));
    return { milliseconds, cpu: ofPostgres === null ? null : (user + system + ofPostgres) / 1000 };
  }

  async function cpuNow() {
    return { postgres: await postgresCpu(admin, NAME), server: process.cpuUsage() };
  }

  async function tenthPage(path: string): Promise<Cost | null> {
    if (path.endsWith('/picture') || path.startsWith('/console')) return null;
    let href = `/management/v1${path}`;
    for (let page = 1; page < 10; page++) {
      const { _links } = await json(href);
      if (!_links?.next) return null;
      href = _links.next.href.slice(app.issuer.length);
    }
    return costOf(href);
  }
}

function report(measured: readonly Measured[]): void {
  say(tableOf(measured));
  if (!values.write) return;
  const { cores, cpu, node } = machine();
  const costliest = measured.toSorted((one, other) => cpuOf(other) - cpuOf(one)).slice(0, WRITTEN);
  const all = median(measured.map(cpuOf));
  writeFigures(
    `${cores} cores (${cpu}), Node ${node}. Medians of ${TIMES} requests. CPU of the server and of Postgres.
Median of all ${measured.length} lists and pages: ${format(all, 0)} ms. The ${WRITTEN} with the highest CPU:

${tableOf(costliest)}`,
    'npm run bench:lists -- --write',
  );
}

function tableOf(measured: readonly Measured[]): string {
  const rows = measured.map(({ path, costs, tenthPage }) => [
    shown(path),
    format(median(costs.map(({ milliseconds }) => milliseconds)), 0),
    mark(cpuOf({ costs })),
    tenthPage === null ? '–' : mark(tenthPage.cpu),
  ]);
  return columns([['GET', 'ms', 'CPU ms', 'CPU ms of the tenth page'], ...rows]).join('\n');
}

function cpuOf({ costs }: Pick<Measured, 'costs'>): number {
  return median(costs.flatMap(({ cpu }) => cpu ?? []));
}

/** Without the ids and instants of one run. */
function shown(path: string): string {
  return decodeURIComponent(path || '/')
    .replaceAll('+', ' ')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[\w-]{43}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT');
}

function mark(milliseconds: number | null): string {
  if (milliseconds === null) return '–';
  return `${format(milliseconds, 0)} ${milliseconds <= AIM ? '≤' : '>'} ${AIM}`;
}

function say(words: string): void {
  process.stdout.write(`${words}\n`);
}

/**
 * Each migration expands or contracts, and none breaks the release before: its nodes run beside those of this version. The effects of a
 * migration are read from the database after it was applied, so that no spelling of a statement hides one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../src/storage/database.ts';
import { createEmptyDatabase, type PostgresDatabase } from '../support/database.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import { type Finding, findingsOf, phaseOf } from './findings.ts';
import { type PreviousRelease, unpackPreviousRelease } from './previous-release.ts';
import { REVIEWED } from './reviewed.ts';

type Step = { readonly tag: string; readonly findings: readonly Finding[] };

let release: PreviousRelease;
let opened: PostgresDatabase;
let db: postgres.Sql;
/** The tables as the release before knows them, and as they are now. */
let known: Catalogue;
let present: Catalogue;
/** The migrations that the release before does not have. */
const steps: Step[] = [];

const tagsIn = (folder: string): string[] =>
  JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')).entries.map(({ tag }: { tag: string }) => tag);
const textOf = (folder: string, tag: string): string => readFileSync(join(folder, `${tag}.sql`), 'utf8');
/** The file of the triggers, which is applied after the migrations. */
const TRIGGERS = 'triggers';

beforeAll(async () => {
  release = unpackPreviousRelease();
  opened = await createEmptyDatabase();
  db = postgres(opened.url, { max: 1, onnotice: () => {} });
  const old = tagsIn(join(release.folder, 'drizzle'));
  const apply = async (folder: string, tag: string) => {
    for (const statement of textOf(folder, tag).split('--> statement-breakpoint')) {
      if (statement.trim() !== '') await db.unsafe(statement);
    }
  };
  for (const tag of [...old, TRIGGERS]) await apply(join(release.folder, 'drizzle'), tag);
  known = await readCatalogue(db);
  let before = known;
  for (const tag of [...tagsIn(MIGRATIONS_FOLDER).slice(old.length), TRIGGERS]) {
    await apply(MIGRATIONS_FOLDER, tag);
    const after = await readCatalogue(db);
    steps.push({ tag, findings: findingsOf(known, before, after) });
    before = after;
  }
  present = before;
});

afterAll(async () => {
  await db?.end();
  await opened?.drop();
  release?.remove();
});

const reviewed = new Map(REVIEWED.flatMap(({ findings }) => Object.entries(findings)));
const isReviewed = ({ what, digest }: Finding) => reviewed.has(what) && reviewed.get(what) === digest;
/** As a line of reviewed.ts. */
const asLine = ({ what, digest }: Finding) => `'${what}': ${digest === null ? null : `'${digest}'`},`;

test('released migrations are unchanged, in the same order', () => {
  const folder = join(release.folder, 'drizzle');
  const tags = tagsIn(folder);
  expect(tagsIn(MIGRATIONS_FOLDER).slice(0, tags.length)).toEqual(tags);
  for (const tag of tags) expect(textOf(MIGRATIONS_FOLDER, tag)).toBe(textOf(folder, tag));
});

test('each migration since the release expands, or is reviewed as contracting', () => {
  const contracting = steps.filter(
    ({ findings }) => phaseOf(findings.filter((one) => !isReviewed(one))) === 'contract',
  );
  expect(
    contracting.map(({ tag, findings }) => [tag, ...findings.filter((one) => one.effect === 'contracts').map(asLine)]),
  ).toEqual([]);
});

test('reviewed.ts lists exactly what the migrations refuse together', () => {
  const refused = findingsOf(known, known, present).filter(({ effect }) => effect === 'refuses');
  // Add a missing line to test/upgrade/reviewed.ts once you know why the release before never writes what is refused.
  expect(refused.filter((one) => !isReviewed(one)).map(asLine)).toEqual([]);
  const contracted = steps.flatMap(({ findings }) => findings.filter(({ effect }) => effect === 'contracts'));
  const found = new Set([...refused, ...contracted].map(({ what }) => what));
  expect([...reviewed.keys()].filter((what) => !found.has(what))).toEqual([]);
});

describe('a migration breaks the version before', () => {
  const found = async (statements: string): Promise<readonly Finding[]> => {
    let findings: readonly Finding[] = [];
    const undone = new Error('undone');
    await db
      .begin(async (transaction) => {
        await transaction.unsafe(statements);
        findings = findingsOf(known, present, await readCatalogue(transaction));
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    return findings;
  };
  const refuseAll = `create function refuses_all() returns trigger language plpgsql as
    'begin raise exception ''no''; end'; `;

  it.each([
    ['drop table consents cascade', 'contracts', 'table dropped: consents'],
    ['alter table consents rename to permissions', 'contracts', 'table dropped: consents'],
    ['alter table users drop column claims cascade', 'contracts', 'column dropped: users.claims'],
    ['alter table users rename column claims to facts', 'contracts', 'column dropped: users.claims'],
    [
      'alter table sign_in_failures alter column failures type bigint',
      'contracts',
      'column retyped: sign_in_failures.failures',
    ],
    ['alter table users drop column epoch cascade', 'contracts', 'view dropped: grant_states'],
    ['drop view authorization_codes', 'contracts', 'view dropped: authorization_codes'],
    [
      "do $$ begin execute 'alter table users ' || 'drop column claims cascade'; end $$",
      'contracts',
      'column dropped: users.claims',
    ],
    [
      'alter table users drop column claims cascade; alter table users add column claims jsonb',
      'contracts',
      'column retyped: users.claims',
    ],
    ['drop index users_username_key', 'contracts', 'unique index dropped: users.users_username_key'],
    ['alter table users alter column created_at drop default', 'refuses', 'column without default: users.created_at'],
    ['alter table users alter column disabled_at set not null', 'refuses', 'column not null: users.disabled_at'],
    ['alter table users add column born_on date not null', 'refuses', 'column added without default: users.born_on'],
    ["alter table users add constraint named check (username <> 'x')", 'refuses', 'constraint added: users.named'],
    [
      'alter table consents add foreign key (user_id) references users (id)',
      'refuses',
      'constraint added: consents.consents_user_id_fkey',
    ],
    ['create unique index once on users (created_at)', 'refuses', 'unique index added: users.once'],
    [
      `${refuseAll} create trigger refusing before insert on users for each row execute function refuses_all()`,
      'refuses',
      'trigger added: users.refusing',
    ],
    [
      `create or replace function users_stays() returns trigger language plpgsql as 'begin return null; end'`,
      'refuses',
      'trigger changed: users.users_stays',
    ],
    ['alter table users enable row level security', 'contracts', 'table changed: users'],
  ] as const)('%s', async (statements, effect, what) => {
    const findings = await found(statements);
    expect(findings).toContainEqual({
      effect,
      what,
      digest: findings.find((one) => one.what === what)?.digest ?? null,
    });
    expect(phaseOf(findings)).toBe(effect === 'contracts' ? 'contract' : 'expand');
    expect(findings.every(isReviewed)).toBe(false);
  });

  it.each([
    'alter table users add column nickname text',
    'alter table users add column shoe_size int not null default 42',
    'alter table users alter column claims drop not null',
    'create table shoes (id uuid primary key, user_id uuid not null references users (id), size int check (size > 0) unique)',
    `create table shoes (id uuid); ${refuseAll} create trigger refusing before insert on shoes for each row execute function refuses_all()`,
    'create index users_by_age on users (created_at)',
    'drop index users_email',
    'create view names as select username from users',
    'create or replace view session_states as select *, 1 as more from (select * from session_states) s',
  ])('but not by: %s', async (statements) => {
    expect(await found(statements)).toEqual([]);
  });

  test('nor by any change to a table of a later version', () => {
    const column = {
      kind: 'column',
      of: 'shoes',
      name: 'shoes.size',
      definition: '2 integer',
      mayBeOmitted: false,
    } as const;
    const before: Catalogue = new Map([...known, ['column shoes.size', column]]);
    expect(findingsOf(known, before, known)).toEqual([]);
    expect(findingsOf(known, known, before)).toEqual([]);
  });
});

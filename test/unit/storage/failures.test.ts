import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { codeOf, committing, reached, reading, writing } from '../../../src/storage/failures.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { ping } from '../../../src/storage/server.ts';
import { safeError } from '../../../src/system/safe-error.ts';

const failing = (code: string) => () => Promise.reject(Object.assign(new Error('driver'), { code }));

/** As Drizzle passes it on: with the bound parameters in its message. */
const wrapped = (code: string) => () =>
  Promise.reject(new DrizzleQueryError('select $1', ['s3cret'], Object.assign(new Error('driver'), { code })));

async function failureOf(statement: Promise<unknown>): Promise<unknown> {
  return statement.then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

const NEVER_COMMITTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  '25006',
  '28P01',
  '53100',
  '53200',
  '53300',
  '55P03',
  '57014',
  '57P03',
  '58030',
];
const LOST = [
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  'NO_ANSWER',
  '40003',
  '57P01',
  '57P02',
  '08006',
  '08P01',
];

describe('a database that is away', () => {
  test.each(NEVER_COMMITTED)('%s: nothing was committed, whatever was asked', async (code) => {
    for (const ask of [reading, writing, committing]) {
      expect(await failureOf(ask(wrapped(code)))).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: false });
    }
  });

  test.each(LOST)('%s: a write may have been committed, a read never', async (code) => {
    expect(await failureOf(reading(wrapped(code)))).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: false });
    expect(await failureOf(writing(wrapped(code)))).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: true });
    expect(await failureOf(committing(failing(code)))).toMatchObject({
      name: 'StoreUnavailable',
      maybeCommitted: true,
    });
  });

  test('what is said about it holds no bound parameter', async () => {
    const failure = await failureOf(writing(wrapped('CONNECTION_CLOSED')));
    for (let one = failure; one instanceof Error; one = one.cause) expect(String(one)).not.toContain('s3cret');
  });

  test('a server that is not there was never sent anything', async () => {
    // Port 1 of the loopback: nobody listens.
    const database = openPostgres('postgres://nobody@127.0.0.1:1/none', { connections: 1 });
    const failure = await failureOf(ping(database.drizzle));
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({ maybeCommitted: false });
    await database.close();
  });
});

describe('a database that refuses', () => {
  test.each(['40001', '40P01', '23P01'])('%s: a conflict, so that a commit is decided again', async (code) => {
    expect(await committing(wrapped(code))).toBe(false);
  });

  test.each(['40001', '40P01'])('%s: where nothing is decided again, nothing was changed', async (code) => {
    const failure = await failureOf(writing(wrapped(code)));
    expect(failure).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: false, code, isUnexpected: false });
  });

  test.each(['23505', '42P01', '22021', 'P0001', 'XX001', 'ZZ999'])(
    '%s: nothing was changed, and nobody foresaw it',
    async (code) => {
      for (const ask of [reading, writing, committing]) {
        const failure = await failureOf(ask(wrapped(code)));
        expect(failure).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: false, code, isUnexpected: true });
        expect(codeOf(failure)).toBe(code);
      }
    },
  );

  test.each([
    ['a code that nobody knows', failing('SOMETHING_NEW'), 'SOMETHING_NEW'],
    [
      'a failure of the driver without a code',
      () => Promise.reject(new DrizzleQueryError('select $1', ['s3cret'], new TypeError('s3cret'))),
      null,
    ],
  ])('%s: a write may have been committed', async (_name, statement, code) => {
    const failure = await failureOf(writing(statement));
    expect(failure).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: true, code, isUnexpected: true });
    expect(await failureOf(reading(statement))).toMatchObject({ maybeCommitted: false });
    expect(JSON.stringify(safeError(failure))).not.toContain('s3cret');
  });

  test('a mistake of our own is passed on as it is', async () => {
    const mistake = new TypeError('ours');
    expect(await failureOf(committing(() => Promise.reject(mistake)))).toBe(mistake);
  });

  test('what migrations do wrong is passed on as it is, unless the database is away', async () => {
    expect(await failureOf(reached(wrapped('42P07')))).not.toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(reached(wrapped('57P03')))).toBeInstanceOf(StoreUnavailable);
  });
});

test('a commit is made when a row came back, and not when none did', async () => {
  expect(await committing(() => Promise.resolve([{}]))).toBe(true);
  expect(await committing(() => Promise.resolve([]))).toBe(false);
});

test('of nested errors, the code nearest to the database counts', () => {
  const inner = Object.assign(new Error('inner'), { code: '40001' });
  const outer = Object.assign(new Error('outer', { cause: inner }), { code: 'OUTER' });
  expect(codeOf(outer)).toBe('40001');
  expect(codeOf(new Error('none'))).toBeUndefined();
  expect(codeOf('not an error')).toBeUndefined();
});

import { DrizzleQueryError } from 'drizzle-orm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import {
  codeOf,
  committing,
  inTime,
  isAboutTheStatement,
  NoAnswer,
  reached,
  reading,
  writing,
} from '../../../src/storage/failures.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { ping } from '../../../src/storage/server.ts';
import { withinTime } from '../../../src/system/request-time.ts';
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

const UNREACHABLE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOENT',
  'EACCES',
  'EMFILE',
  'CONNECT_TIMEOUT',
];
const NEVER_COMMITTED = [
  ...UNREACHABLE,
  '25006',
  '28P01',
  '3D000',
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
  '55006',
  '55P03',
  '57014',
  '57P03',
  '57P04',
  '57P05',
  '58000',
  '58030',
];
const LOST = [
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
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

  test.each([...NEVER_COMMITTED, ...LOST, '40001', '40P01'])(
    '%s: what is the matter is said in words',
    async (code) => {
      const failure = await failureOf(writing(wrapped(code)));
      expect(failure).toMatchObject({
        message: expect.stringMatching(/^The database [a-z]/),
        code,
        isUnexpected: false,
      });
    },
  );

  test.each(UNREACHABLE)('%s: that it cannot be reached', async (code) => {
    expect(await failureOf(reading(wrapped(code)))).toMatchObject({
      message: expect.stringMatching('^The database cannot be reached: [a-z]'),
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
        expect(failure).toHaveProperty('message', expect.stringContaining('refused a statement'));
      }
    },
  );

  test.each([
    ['a code that nobody knows', failing('SOMETHING_NEW'), 'SOMETHING_NEW'],
    ['a code that ends as one of Postgres', failing('NEW_ERROR'), 'NEW_ERROR'],
    [
      'a failure of the driver without a code',
      () => Promise.reject(new DrizzleQueryError('select $1', ['s3cret'], new TypeError('s3cret'))),
      null,
    ],
  ])('%s: a write may have been committed', async (_name, statement, code) => {
    const failure = await failureOf(writing(statement));
    expect(failure).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: true, code, isUnexpected: true });
    expect(failure).toHaveProperty('message', expect.stringContaining('driver failed'));
    expect(await failureOf(reading(statement))).toMatchObject({ maybeCommitted: false });
    expect(JSON.stringify(safeError(failure))).not.toContain('s3cret');
  });

  test('a mistake of our own is passed on as it is', async () => {
    const mistake = new TypeError('ours');
    expect(await failureOf(committing(() => Promise.reject(mistake)))).toBe(mistake);
  });

  test('what migrations do wrong is passed on as it is, unless the database is away', async () => {
    expect(await failureOf(reached(wrapped('42P07')))).not.toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(reached(() => Promise.reject(new Error('ours'))))).not.toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(reached(wrapped('57P03')))).toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(reached(wrapped('57P01')))).toMatchObject({ maybeCommitted: true });
  });
});

describe('what is kept of a failure for the log', () => {
  const causeOf = async (driver: Error) => {
    const failure = await failureOf(
      writing(() => Promise.reject(new DrizzleQueryError('select $1', ['s3cret'], driver))),
    );
    return (failure as Error).cause as Error;
  };

  test.each([
    ['postgres.js', { constraint_name: 'one_signs', table_name: 'signing_keys' }],
    ['PGlite', { constraint: 'one_signs', table: 'signing_keys' }],
  ])('is what kind it is, which rule it hurt, and where it came from (%s)', async (_, rule) => {
    const driver = new Error('bound\n here at s3cret (s3cret)');
    const cause = await causeOf(Object.assign(driver, { name: 'PostgresError', code: '23505', ...rule }));
    const kept = { name: 'PostgresError', code: '23505', constraint: 'one_signs', table: 'signing_keys' };
    expect(cause).toMatchObject({ ...kept, message: 'The driver failed.' });
    const frames = cause.stack?.split('\n') ?? [];
    expect(frames.length).toBeGreaterThan(1);
    for (const frame of frames) expect(frame).toMatch(/^ +at \S/);
    expect(cause.stack).not.toContain('s3cret');
  });

  test('is nothing where nothing is known', async () => {
    const cause = await causeOf(Object.assign(new Error('s3cret'), { name: undefined, stack: undefined }));
    expect(cause).toMatchObject({ name: 'Error', code: null, constraint: null, table: null, stack: '' });
  });
});

describe('a request whose time is over', () => {
  const inRequest = <T>(endsAt: number, work: () => T) => withinTime({ endsAt, pausedAt: null }, work);
  afterEach(() => void vi.useRealTimers());

  test('sends nothing: nothing was committed', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const statement = vi.fn(async () => [{}]);
    const noAnswer = { name: 'StoreUnavailable', code: 'NO_ANSWER', maybeCommitted: false, isUnexpected: false };
    for (const ask of [reading, writing, committing]) {
      for (const over of [0, 1]) {
        const failure = await inRequest(performance.now() - over, () => failureOf(ask(statement)));
        expect(failure).toMatchObject(noAnswer);
        expect((failure as Error).cause).toMatchObject({ name: 'NoAnswer' });
      }
      expect(statement).not.toHaveBeenCalled();
    }
    await inRequest(performance.now() + 1, () => reading(statement));
    expect(statement).toHaveBeenCalledOnce();
  });

  test.each([true, false])('stops waiting at its end, for what may commit as for what may not (%s)', async (writes) => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const failed = vi.fn();
    inRequest(performance.now() + 1000, () => inTime(new Promise(() => {}), writes)).catch(failed);
    await vi.advanceTimersByTimeAsync(999);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(failed.mock.calls).toMatchObject([[{ code: 'NO_ANSWER', maybeCommitted: writes }]]);
  });

  test('a request that is answered in time gets the answer, and leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const mistake = new Error('ours');
    const endsAt = performance.now() + 1000;
    expect(await inRequest(endsAt, () => inTime(Promise.resolve('answer'), false))).toBe('answer');
    expect(await failureOf(inRequest(endsAt, () => inTime(Promise.reject(mistake), false)))).toBe(mistake);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('outside a request there is no end', () => {
    const work = Promise.resolve();
    expect(inTime(work, true)).toBe(work);
  });

  test('what ran out of time says so', () => {
    expect(new NoAnswer()).toMatchObject({
      name: 'NoAnswer',
      code: 'NO_ANSWER',
      message: 'The database did not answer in time.',
    });
  });
});

test.each([
  ['a mistake of our own', new Error('ours'), true],
  ['a refusal that nobody foresaw', new StoreUnavailable(false, { code: '22021', isUnexpected: true }), true],
  ['a database that is away', new StoreUnavailable(true, { code: 'ECONNRESET', isUnexpected: false }), false],
])('others of the batch may fare better after %s: %s', (_, failure, isAbout) => {
  expect(isAboutTheStatement(failure)).toBe(isAbout);
});

test.each(['40001', '40P01', '23P01'])('others of the batch may fare better after a conflict (%s)', async (code) => {
  expect(isAboutTheStatement(await failureOf(writing(wrapped(code))))).toBe(true);
});

test('a commit is made when a row came back, and not when none did', async () => {
  expect(await committing(() => Promise.resolve([{}]))).toBe(true);
  expect(await committing(() => Promise.resolve([]))).toBe(false);
});

test('of nested errors, the code nearest to the database counts', () => {
  const inner = Object.assign(new Error('inner'), { code: '40001' });
  const outer = Object.assign(new Error('outer', { cause: inner }), { code: 'OUTER' });
  expect(codeOf(outer)).toBe('40001');
  expect(codeOf(Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'OUTER' }))).toBe('OUTER');
  expect(codeOf(Object.assign(new Error('number'), { code: 42 }))).toBeUndefined();
  expect(codeOf(new Error('none'))).toBeUndefined();
  expect(codeOf('not an error')).toBeUndefined();
});

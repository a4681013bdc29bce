import { DrizzleQueryError } from 'drizzle-orm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import {
  codeOf,
  committing,
  inTime,
  isAboutTheStatement,
  NoAnswer,
  overDeadlocks,
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

describe('an unavailable database', () => {
  test.each(NEVER_COMMITTED)('%s: no commit, for any statement', async (code) => {
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

  test.each([...NEVER_COMMITTED, ...LOST, '40001', '40P01'])('%s: the reason is reported in words', async (code) => {
    const failure = await failureOf(writing(wrapped(code)));
    expect(failure).toMatchObject({
      message: expect.stringMatching(/^The database [a-z]/),
      code,
      isUnexpected: false,
    });
  });

  test('a pooler that refuses the settings of a node: the advice is a direct connection', async () => {
    expect(await failureOf(reading(wrapped('08P01')))).toMatchObject({
      message: expect.stringMatching(
        /^The database or a pooler in front of it refused the protocol\b.*Connect to Postgres itself/,
      ),
    });
  });

  test.each(UNREACHABLE)('%s: reported as unreachable', async (code) => {
    expect(await failureOf(reading(wrapped(code)))).toMatchObject({
      message: expect.stringMatching('^The database cannot be reached: [a-z]'),
    });
  });

  test('the report contains no bound parameter', async () => {
    const failure = await failureOf(writing(wrapped('CONNECTION_CLOSED')));
    for (let one = failure; one instanceof Error; one = one.cause) expect(String(one)).not.toContain('s3cret');
  });

  test('a missing server was never sent anything', async () => {
    // Port 1 of the loopback: no process listens.
    const database = openPostgres('postgres://unknown@127.0.0.1:1/none', { connections: 1 });
    const failure = await failureOf(ping(database.drizzle));
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({ maybeCommitted: false });
    await database.close();
  });
});

describe('a database error', () => {
  test.each(['40001', '40P01', '23P01'])('%s: a conflict, so that a commit is decided again', async (code) => {
    expect(await committing(wrapped(code))).toBe(false);
  });

  test.each([
    ['40P01', 3, 4],
    ['40P01', 9, 4],
    ['40001', 3, 1],
    ['57014', 3, 1],
  ])('%s for %d times on a cluster: the statement runs %d times', async (code, failures, runs) => {
    let ran = 0;
    const statement = () => (++ran <= failures ? wrapped(code)() : Promise.resolve('done'));
    const answer = await failureOf(overDeadlocks(statement));
    expect(ran).toBe(runs);
    if (runs > failures) expect(answer).toBe('no failure');
    else expect(codeOf(answer)).toBe(code);
  });

  test.each(['40001', '40P01'])('%s: no change, where no second decision is made', async (code) => {
    const failure = await failureOf(writing(wrapped(code)));
    expect(failure).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: false, code, isUnexpected: false });
  });

  test.each(['23505', '42P01', '22021', 'P0001', 'XX001', 'ZZ999'])('%s: no change, and unforeseen', async (code) => {
    for (const ask of [reading, writing, committing]) {
      const failure = await failureOf(ask(wrapped(code)));
      expect(failure).toMatchObject({ name: 'StoreUnavailable', maybeCommitted: false, code, isUnexpected: true });
      expect(codeOf(failure)).toBe(code);
      expect(failure).toHaveProperty('message', expect.stringContaining('refused a statement'));
    }
  });

  test.each([
    ['an unknown code', failing('SOMETHING_NEW'), 'SOMETHING_NEW'],
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

  test('a mistake of our own is passed on unchanged', async () => {
    const mistake = new TypeError('ours');
    expect(await failureOf(committing(() => Promise.reject(mistake)))).toBe(mistake);
  });

  test('an error of a migration is passed on unchanged, unless the database is away', async () => {
    expect(await failureOf(reached(wrapped('42P07')))).not.toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(reached(() => Promise.reject(new Error('ours'))))).not.toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(reached(wrapped('57P03')))).toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(reached(wrapped('57P01')))).toMatchObject({ maybeCommitted: true });
  });
});

describe('the logged facts of a failure', () => {
  const causeOf = async (driver: Error) => {
    const failure = await failureOf(
      writing(() => Promise.reject(new DrizzleQueryError('select $1', ['s3cret'], driver))),
    );
    return (failure as Error).cause as Error;
  };

  test.each([
    ['postgres.js', { constraint_name: 'one_signs', table_name: 'signing_keys' }],
    ['PGlite', { constraint: 'one_signs', table: 'signing_keys' }],
  ])('are its kind, the violated rule, and its origin (%s)', async (_, rule) => {
    const driver = new Error('bound\n here at s3cret (s3cret)');
    const cause = await causeOf(Object.assign(driver, { name: 'PostgresError', code: '23505', ...rule }));
    const kept = { name: 'PostgresError', code: '23505', constraint: 'one_signs', table: 'signing_keys' };
    expect(cause).toMatchObject({ ...kept, message: 'The driver failed.' });
    const frames = cause.stack?.split('\n') ?? [];
    expect(frames.length).toBeGreaterThan(1);
    for (const frame of frames) expect(frame).toMatch(/^ +at \S/);
    expect(cause.stack).not.toContain('s3cret');
  });

  test('are empty where none is known', async () => {
    const cause = await causeOf(Object.assign(new Error('s3cret'), { name: undefined, stack: undefined }));
    expect(cause).toMatchObject({ name: 'Error', code: null, constraint: null, table: null, stack: '' });
  });
});

describe('a request past its deadline', () => {
  const inRequest = <T>(endsAt: number, work: () => T) => withinTime({ endsAt, pausedAt: null }, work);
  afterEach(() => void vi.useRealTimers());

  test('sends nothing: no commit', async () => {
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

  test.each([true, false])(
    'stops waiting at its deadline, for a possible commit as for a read (%s)',
    async (writes) => {
      vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
      const failed = vi.fn();
      inRequest(performance.now() + 1000, () => inTime(new Promise(() => {}), writes)).catch(failed);
      await vi.advanceTimersByTimeAsync(999);
      expect(failed).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(failed.mock.calls).toMatchObject([[{ code: 'NO_ANSWER', maybeCommitted: writes }]]);
    },
  );

  test('gets an answer in time, and leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const mistake = new Error('ours');
    const endsAt = performance.now() + 1000;
    expect(await inRequest(endsAt, () => inTime(Promise.resolve('answer'), false))).toBe('answer');
    expect(await failureOf(inRequest(endsAt, () => inTime(Promise.reject(mistake), false)))).toBe(mistake);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('has no deadline outside a request', () => {
    const work = Promise.resolve();
    expect(inTime(work, true)).toBe(work);
  });

  test('reports the exceeded deadline', () => {
    expect(new NoAnswer()).toMatchObject({
      name: 'NoAnswer',
      code: 'NO_ANSWER',
      message: 'The database did not answer in time.',
    });
  });
});

test.each([
  ['a mistake of our own', new Error('ours'), true],
  ['an unforeseen refusal', new StoreUnavailable(false, { code: '22021', isUnexpected: true }), true],
  ['a database that is away', new StoreUnavailable(true, { code: 'ECONNRESET', isUnexpected: false }), false],
])('others of the batch may succeed after %s: %s', (_, failure, isAbout) => {
  expect(isAboutTheStatement(failure)).toBe(isAbout);
});

test.each(['40001', '40P01', '23P01'])('others of the batch may succeed after a conflict (%s)', async (code) => {
  expect(isAboutTheStatement(await failureOf(writing(wrapped(code))))).toBe(true);
});

test('a commit is made when a row is returned, and not otherwise', async () => {
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

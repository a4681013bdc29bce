/** Each variable with a secret, with each possible error in it: the message describes the error, and contains no part of the value. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { EnvironmentError, readEnvironment } from '../../../src/config/environment.ts';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { databaseFailure, reading } from '../../../src/storage/failures.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { makeLogger } from '../../../src/system/logger.ts';

const MARK = 'Zq8-the-secret-itself';
const folder = mkdtempSync(join(tmpdir(), 'statehouse-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PRODUCTION = {
  NODE_ENV: 'production',
  STATEHOUSE_ISSUER: 'https://login.example',
  STATEHOUSE_SECRET: 'a-root-secret-of-more-than-32-bytes',
  DATABASE_URL: 'postgres://statehouse:password@db.internal/statehouse',
  STATEHOUSE_MAIL_FROM: 'login@login.example',
  STATEHOUSE_PKCS11_MODULE: '/usr/lib/softhsm/libsofthsm2.so',
  STATEHOUSE_PKCS11_TOKEN: 'statehouse',
};

/** Typical mistakes of operators around a secret: typed, pasted or templated. */
const urls = (scheme: string) => [
  MARK,
  `${scheme}:/user:${MARK}@host/name`,
  `${scheme}s3://user:${MARK}@host/name`,
  `http://user:${MARK}@host/name`,
  `${scheme}://user:${MARK}@host:99999/name`,
  `${scheme}://user:${MARK}@host:port/name`,
  `${scheme}://user:%zz${MARK}@host/name`,
  `${scheme}://user:${MARK}@ho st/name`,
  `${scheme}://user:${MARK}@/name`,
  `${scheme}://user:${MARK}@[::1/name`,
  `${scheme}://user:${MARK}@one,two:x/name`,
  `${scheme}://user:${MARK}@one:1,,two/name`,
  `${scheme}://user:pass@host/name?sslmode=${MARK}`,
  `${scheme}://user:${MARK}\n@host/name`,
  `"${scheme}://user:${MARK}@host/name"`,
  `$${'{'}${MARK}}`,
];
const VALUES: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: urls('postgres'),
  STATEHOUSE_SMTP_URL: urls('smtp'),
  STATEHOUSE_SECRET: [
    MARK,
    `${MARK},${MARK}`,
    `a-root-secret-of-more-than-32-bytes,${MARK}`,
    `${MARK}-long-enough-to-be-one,${MARK}-long-enough-to-be-one`,
    `"${MARK}"`,
    `${MARK}\0`,
  ],
  STATEHOUSE_PKCS11_PIN: [MARK, `${MARK}\n`, `${MARK}\0`],
};
const CASES = Object.entries(VALUES).flatMap(([name, values]) =>
  values.map((value, place) => ({ name, value, place })),
);

/** @returns the messages of `statehouse check` and `start`; empty: the value is valid. */
function problemsOf(variables: Readonly<Record<string, string>>): string {
  try {
    readEnvironment(variables);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(EnvironmentError);
    return [String(error), JSON.stringify(error), (error as Error).stack, String((error as Error).cause)].join('\n');
  }
}

it.each(CASES)('the error contains no part of $name, whatever its mistake ($place)', ({ name, value, place }) => {
  const path = join(folder, `${name}-${place}`);
  writeFileSync(path, value);
  const without = Object.fromEntries(Object.entries(PRODUCTION).filter(([key]) => key !== name));
  const ways: readonly Readonly<Record<string, string>>[] = [
    { [name]: value },
    { [`${name}_FILE`]: path },
    { [name]: value, [`${name}_FILE`]: path },
    // The secret in place of the path.
    { [`${name}_FILE`]: value },
    // Beside another error.
    { [name]: value, STATEHOUSE_ISSUER: 'http://login.example', PORT: '99999', STATEHOUSE_PKCS11_TOKEN: '' },
  ];
  for (const way of ways) expect(problemsOf({ ...without, ...way })).not.toContain(MARK);
});

it.each(Object.keys(VALUES))('the error reports each list of values of %s', (name) => {
  const said = (VALUES[name] ?? []).map((value) => problemsOf({ ...PRODUCTION, [`${name}_FILE`]: value }));
  expect(said.filter((text) => text.includes(name))).not.toEqual([]);
});

it.each([
  `postgres://user:${MARK}@127.0.0.1:1/name`,
  `postgres://user:${MARK}@unknown.invalid/name`,
  `postgres://user:${MARK}@127.0.0.1:1,127.0.0.1:2/name?target_session_attrs=read-write`,
  `postgres://${MARK}:${MARK}@127.0.0.1:1/${MARK}?sslmode=verify-full`,
])('the error contains no part of the password of an unreachable database (%#)', async (url) => {
  const lines: string[] = [];
  const logger = makeLogger({
    level: 'trace',
    readable: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const database = openPostgres(url, { connections: 1 });
  const failed = await reading(() => database.drizzle.execute('select 1')).then(
    () => null,
    (error: unknown) => error,
  );
  await database.close();
  expect(failed).toBeInstanceOf(StoreUnavailable);
  logger.error({ err: failed }, 'the database is away');
  const said = [...lines, inspect(failed, { depth: null }), databaseFailure(failed)?.message].join('\n');
  expect(said).not.toContain(MARK);
});

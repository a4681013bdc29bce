/** The state of the database, from heartbeats, health requests and failed statements. */
import { afterEach, expect, it } from 'vitest';
import { databaseHealth, type HeldDatabaseHealth } from '../../../src/boot/database-health.ts';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { reading } from '../../../src/storage/failures.ts';

let health: HeldDatabaseHealth | null = null;
afterEach(() => health?.close());

const failing = (code: string) => new StoreUnavailable(false, { code });

function healthOf(parts: { ping?: () => Promise<void>; write?: () => Promise<void> }) {
  const words: string[] = [];
  const errors: unknown[] = [];
  const logger = {
    info: (text: string) => words.push(text),
    warn: ({ err }: { err: unknown }, text: string) => {
      words.push(text);
      errors.push(err);
    },
  };
  health = databaseHealth({
    ping: parts.ping ?? (async () => {}),
    write: parts.write ?? (async () => {}),
    logger: logger as never,
  });
  return { health, words, errors };
}

it.each(['53100', '25006', '53400', '58030'])('a heartbeat that fails with %s: not writable', async (code) => {
  let full = true;
  const { health, words } = healthOf({
    write: async () => {
      if (full) throw failing(code);
    },
  });
  expect(health.last()).toBe('available');
  expect(await health.beat()).toBe('not writable');
  // One answer is no longer enough.
  expect(await health.look()).toBe('not writable');
  full = false;
  expect(await health.look()).toBe('available');
  expect(words).toHaveLength(2);
});

it('a statement that fails for a full disk counts between two heartbeats', async () => {
  const { health } = healthOf({});
  const statement = async () => {
    throw Object.assign(new Error('no space'), { code: '53100' });
  };
  await expect(reading(statement)).rejects.toThrow();
  expect(health.last()).toBe('not writable');
});

it.each([
  ['53100', /^The database has no space left on its disk \(53100: of Postgres\)\. Give it space\.$/],
  ['25006', /^The database is read-only \(25006: of Postgres\)\. A standby .+ default_transaction_read_only is on/],
])('the log of a statement that fails with %s says the cause and the remedy', async (code, message) => {
  const { errors } = healthOf({});
  const statement = async () => {
    throw Object.assign(new Error('of Postgres'), { code });
  };
  await expect(reading(statement)).rejects.toThrow();
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })]);
});

it('a statement with its own error does not affect the health of the database', async () => {
  const { health } = healthOf({});
  const statement = async () => {
    throw Object.assign(new Error('a constraint'), { code: '23514' });
  };
  await expect(reading(statement)).rejects.toThrow();
  expect(health.last()).toBe('available');
});

it('a missing answer: not reachable, until one arrives', async () => {
  let away = true;
  const { health } = healthOf({
    ping: async () => {
      if (away) throw failing('ECONNREFUSED');
    },
  });
  expect(await health.look()).toBe('not reachable');
  away = false;
  expect(await health.look()).toBe('available');
});

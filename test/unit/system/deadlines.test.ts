import { expect, test } from 'vitest';
import { LONGEST_SLEEPS_MILLISECONDS } from '../../../src/engine/run.ts';
import { QUOTA_SECONDS } from '../../../src/management/request-quota.ts';
import { serversOwn } from '../../support/patience.ts';

const own = serversOwn;

test('the waits of a request stay below the bound, with time left for the rest', () => {
  const waits = own.databasePerRequestMilliseconds + LONGEST_SLEEPS_MILLISECONDS + own.queueMilliseconds;
  expect(waits).toBeLessThan(own.answerMilliseconds);
});

test('a request that meets the lock of another program gets an answer within five seconds', () => {
  // The load and the commit each wait for a connection, and one of them for the lock.
  expect(2 * own.connectionMilliseconds + own.lockMilliseconds).toBeLessThanOrEqual(5_000);
});

test('Postgres finds a deadlock before it ends the wait for a lock, and ends that wait before the statement', () => {
  const deadlockTimeout = 1_000;
  expect(own.lockMilliseconds).toBeGreaterThan(deadlockTimeout);
  expect(own.lockMilliseconds).toBeLessThan(own.statementMilliseconds);
});

test('Postgres ends a statement, and the driver an attempt to connect, before the server stops waiting', () => {
  expect(own.statementMilliseconds).toBeLessThan(own.databaseMilliseconds);
  expect(own.connectSeconds * 1000).toBeLessThan(own.databaseMilliseconds);
});

test('a request has time for a load and a commit of maximum length', () => {
  expect(2 * own.databaseMilliseconds).toBeLessThanOrEqual(own.databasePerRequestMilliseconds);
});

test('a batch ends before a command stops waiting, also where its last operation takes as long as a request may', () => {
  expect(own.batchMilliseconds + own.databasePerRequestMilliseconds).toBeLessThan(own.commandMilliseconds);
});

test('a command that the management API throttles waits for the next window', () => {
  expect(own.throttledMilliseconds).toBeGreaterThanOrEqual(QUOTA_SECONDS * 1000);
});

test('a command waits longer than a server takes for its answer', () => {
  expect(own.commandMilliseconds).toBeGreaterThan(own.answerMilliseconds);
});

test('a closing server has most of its time for the requests in flight', () => {
  expect(2 * own.keptConnectionsMilliseconds).toBeLessThan(own.closingMilliseconds);
});

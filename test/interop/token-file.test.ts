/** docs/examples/token-file.ts: real processes share one refresh token by it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange, obtainCode, refresh } from '../support/actors.ts';
import { killChild, outputOf, startChild } from '../support/child-process.ts';
import { judged } from '../support/interop.ts';
import { loadedByNode } from '../support/plain-node.ts';
import { placeOf, storedGrant } from '../support/stored.ts';
import { until } from '../support/until.ts';

const EXAMPLES = new URL('../../docs/examples/', pathToFileURL(`${import.meta.dirname}/`));
const PROCESSES = 8;
const REFRESHES = 10;

const { tokenFile } = loadedByNode<typeof import('../../docs/examples/token-file.ts')>('docs/examples/token-file.ts');

describe('a token file', () => {
  const judging = judged();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'token-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const path = () => join(folder, 'tokens');
  function start(change: { refreshes?: number; diesWithTheLock?: boolean }) {
    const { test, publicClient } = judging.current;
    const told = { at: EXAMPLES.href, file: path(), issuer: test.issuer, clientId: publicClient.clientId, ...change };
    const child = startChild(process.execPath, [
      join(import.meta.dirname, 'process-with-a-token-file.mjs'),
      JSON.stringify(told),
    ]);
    return { child, output: outputOf(child) };
  }
  async function newChain(): Promise<string> {
    const { test, publicClient, user } = judging.current;
    const { json } = await exchange(test, publicClient, await obtainCode(test, publicClient, user));
    const refreshToken = json.refresh_token ?? '';
    await tokenFile(path()).write({ accessToken: 'first', refreshToken, expiresAt: 0 });
    return refreshToken;
  }
  const chainOf = (refreshToken: string) => {
    const { test } = judging.current;
    return storedGrant(test.database.drizzle, placeOf(test.keys, refreshToken).grantId);
  };

  it(`gives ${PROCESSES} processes a token of their own at each refresh, and the chain stays active`, async () => {
    const first = await newChain();
    const started = Array.from({ length: PROCESSES }, () => start({ refreshes: REFRESHES }));
    await Promise.all(started.map(({ child }) => once(child, 'exit')));
    const tokens = started.flatMap(({ output }) => output().trim().split('\n'));
    expect(new Set(tokens).size).toBe(PROCESSES * REFRESHES);
    expect(tokens.filter((token) => token.split('.').length !== 3)).toEqual([]);
    expect(await chainOf(first)).toMatchObject({
      state: 'active',
      refreshGeneration: BigInt(PROCESSES * REFRESHES),
    });
  });

  it('is free again after a process was killed with the lock', async () => {
    const first = await newChain();
    const holder = start({ diesWithTheLock: true });
    await until(async () => holder.output().includes('locked'));
    const waiting = start({ refreshes: 1 });
    await killChild(holder.child);
    await once(waiting.child, 'exit');
    expect(waiting.output().trim().split('.')).toHaveLength(3);
    expect(await chainOf(first)).toMatchObject({ state: 'active', refreshGeneration: 1n });
  });

  it('tells each process that the chain has ended', async () => {
    const first = await newChain();
    const { test, publicClient } = judging.current;
    await refresh(test, publicClient, first);
    const started = [start({ refreshes: 1 }), start({ refreshes: 1 })];
    await Promise.all(started.map(({ child }) => once(child, 'exit')));
    expect(started.map(({ output }) => output())).toEqual(['null\n', 'null\n']);
  });

  it('keeps the tokens when the work fails', async () => {
    const store = tokenFile(path());
    await store.write({ accessToken: 'a', refreshToken: 'r', expiresAt: 1 });
    const failing = store.alone?.(async () => {
      await store.write(null);
      throw new Error('503');
    });
    await expect(failing).rejects.toThrow('503');
    expect(await store.read()).toEqual({ accessToken: 'a', refreshToken: 'r', expiresAt: 1 });
    expect(await store.alone?.(store.read)).toEqual(await store.read());
  });

  it('is for its user alone', () => {
    tokenFile(path());
    expect(statSync(path()).mode & 0o777).toBe(0o600);
  });
});

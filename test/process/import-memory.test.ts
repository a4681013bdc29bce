/** The memory of an import does not grow with the file: the records are in memory in batches. */
import { once } from 'node:events';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outputOf, startChild } from '../support/child-process.ts';

/** Of V8's old generation. Half of it would do: modules of the command, usernames and ids of the file, and what a collection leaves. */
const HEAP_MB = 64;
const USERS = 40_000;

it(`a file of ${USERS} users moves in with a heap of ${HEAP_MB} MB`, async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'statehouse-many-')), 'realm.json');
  const script = join(import.meta.dirname, 'import-many.ts');
  const child = startChild(process.execPath, [`--max-old-space-size=${HEAP_MB}`, script, file, String(USERS)]);
  const output = outputOf(child);
  const [status] = await once(child, 'exit');
  expect({ status, output: output() }).toEqual({
    status: 0,
    output: expect.stringContaining(`${USERS} created, 0 updated, 0 unchanged`),
  });
  expect(output()).toContain(`${USERS} placed`);
  // As a whole it would not fit.
  expect(statSync(file).size).toBeGreaterThan(HEAP_MB * 1024 * 1024);
});

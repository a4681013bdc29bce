/** A suite is left out of `npm test` only while all of its dependencies are unchanged since its last whole run. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dependenciesOf, digestOf, REPEATABLE, unchangedSuites } from '../../support/unchanged.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('the digest of a suite', () => {
  let root: string;
  const SUITE = 'test/a.test.ts';
  const write = (file: string, text: string) => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'statehouse-unchanged-'));
    write(SUITE, "import { one } from '../src/one.ts';");
    write('src/one.ts', "export const one = async () => (await import('./two.ts')).two;");
    write('src/two.ts', 'export const two = 2;');
    write('src/three.ts', 'export const three = 3;');
    write('machines/session/guards.ts', 'export const guards = {};');
    write('policies/web-app.yaml', 'name: web-app');
    write('drizzle/triggers.sql', 'select 1');
    write('package-lock.json', '{}');
    write('test/report.md', '# Report');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it.each([
    SUITE,
    'src/one.ts',
    'src/two.ts',
    'machines/session/guards.ts',
    'policies/web-app.yaml',
    'drizzle/triggers.sql',
    'package-lock.json',
    'test/report.md',
  ])('changes with %s', (file) => {
    const before = digestOf(SUITE, root);
    cpSync(join(root, file), join(root, 'kept'));
    write(file, '// changed');
    expect(digestOf(SUITE, root)).not.toBe(before);
    cpSync(join(root, 'kept'), join(root, file));
    expect(digestOf(SUITE, root)).toBe(before);
  });

  it('changes with a file that moves', () => {
    const before = digestOf(SUITE, root);
    write('machines/session/other.ts', 'export const guards = {};');
    rmSync(join(root, 'machines/session/guards.ts'));
    expect(digestOf(SUITE, root)).not.toBe(before);
  });

  it('stays where a file changes that the suite does not reach', () => {
    const before = digestOf(SUITE, root);
    write('src/three.ts', '// changed');
    expect(digestOf(SUITE, root)).toBe(before);
  });
});

describe('a run', () => {
  it.each(REPEATABLE)('runs %s where the command names it', (suite) => {
    expect(unchangedSuites(['run', suite])).not.toContain(suite);
  });

  it('reaches the engine, the lifecycles and the machines from the suite of the model check', () => {
    const reached = [...dependenciesOf(resolve(ROOT, 'test/unit/review/mutation.test.ts'))].map((file) =>
      relative(ROOT, file),
    );
    for (const file of ['src/engine/run.ts', 'src/lifecycles/mail/lifecycle.ts', 'machines/mail/guards.ts']) {
      expect(reached).toContain(file);
    }
  });
});

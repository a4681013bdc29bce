import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemRandom } from '../../../src/crypto/random.ts';
import { openEmbedded } from '../../../src/storage/embedded.ts';
import { FolderOpenToOthers, keptSecrets, makePrivate, readOrMake } from '../../../src/system/home-folder.ts';
import { giveDatabase } from '../../support/embedded-folder.ts';

const fs = vi.hoisted(() => ({ chmod: null as (() => void) | null }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    chmodSync: (...given: Parameters<typeof real.chmodSync>) => (fs.chmod ?? real.chmodSync)(...given),
  };
});

describe('the home folder', () => {
  let folder: string;
  let said: string[];
  const say = (line: string) => void said.push(line);
  const modeOf = (name = '') => (statSync(join(folder, name)).mode & 0o777).toString(8);

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'statehouse-home-')), '.statehouse');
    said = [];
  });
  afterEach(() => {
    fs.chmod = null;
    rmSync(join(folder, '..'), { recursive: true });
  });

  function makeOpen(mode: number): void {
    mkdirSync(join(folder, 'database'), { recursive: true });
    writeFileSync(join(folder, 'secret'), 's3cret');
    for (const name of ['', 'database', 'secret']) chmodSync(join(folder, name), mode);
  }

  test('is created for its owner alone, without a message', () => {
    makePrivate(folder, say);
    expect([modeOf(), said]).toEqual(['700', []]);
  });

  test.each([0o755, 0o750, 0o777, 0o711])(
    'with open permissions (%o) is closed with its content, and a line reports it',
    (mode) => {
      makeOpen(mode);
      makePrivate(folder, say);
      expect([modeOf(), modeOf('database'), modeOf('secret')]).toEqual(['700', '700', '700']);
      const before = `0${mode.toString(8)}`;
      expect(said).toEqual([
        `${folder} was open to other users of this machine (mode ${before}). Now only its owner can read it.`,
      ]);
      makePrivate(folder, say);
      expect(said).toHaveLength(1);
    },
  );

  test.each([
    [
      'may not be closed',
      () => {
        throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
      },
    ],
    ['does not stay closed', () => {}],
  ])('that %s is rejected, with a remedy', (_name, chmod) => {
    makeOpen(0o755);
    fs.chmod = chmod;
    expect(() => makePrivate(folder, say)).toThrow(FolderOpenToOthers);
    expect(() => makePrivate(folder, say)).toThrow(`${folder} is open to other users of this machine (mode 0755)`);
    expect(said).toEqual([]);
  });

  test('is closed before a secret or the database goes into it', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    mkdirSync(folder, { mode: 0o755 });
    keptSecrets(folder, systemRandom);
    expect(modeOf()).toBe('700');
    giveDatabase(folder);
    chmodSync(folder, 0o755);
    const database = await openEmbedded(folder);
    expect(modeOf()).toBe('700');
    await database.close();
    expect(written.mock.calls.map(([line]) => line)).toEqual(Array(2).fill(expect.stringMatching(/was open.*\n$/)));
    written.mockRestore();
  });

  test('has a small file of the process that wrote it first', () => {
    expect(readOrMake(folder, 'token', () => 'first')).toBe('first');
    expect(readOrMake(folder, 'token', () => 'second')).toBe('first');
    expect(modeOf('token')).toBe('600');
  });

  test('a small file that cannot be written is an error', () => {
    makePrivate(folder, say);
    expect(() => readOrMake(folder, 'missing/token', () => 'x')).toThrow('ENOENT');
  });

  test('has the root secrets of its file, one for each word', () => {
    const [made = '', ...others] = keptSecrets(folder, systemRandom);
    expect(Buffer.from(made, 'base64url')).toHaveLength(32);
    expect(others).toEqual([]);
    writeFileSync(join(folder, 'secret'), 'new, \n old\n');
    expect(keptSecrets(folder, systemRandom)).toEqual(['new', 'old']);
  });
});

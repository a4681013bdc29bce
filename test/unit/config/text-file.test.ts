import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { readText } from '../../../src/config/text-file.ts';

const denied = vi.hoisted(() => ({ code: null as string | null }));
// Tests often run as a user that may read everything.
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const readFileSync = (...given: Parameters<typeof real.readFileSync>) => {
    if (denied.code) throw Object.assign(new Error('denied'), { code: denied.code });
    return real.readFileSync(...given);
  };
  return { ...real, readFileSync };
});

describe('a text file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-text-'));
  const path = join(folder, 'a.yaml');
  afterEach(() => {
    denied.code = null;
    rmSync(path, { recursive: true, force: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['plain', Buffer.from('name: Fotó\n'), 'name: Fotó\n'],
    ['with a byte order mark', Buffer.from('\ufeffname: Fotó\n'), 'name: Fotó\n'],
    ['empty', Buffer.alloc(0), ''],
  ])('in UTF-8, %s, is read', (_name, bytes, text) => {
    writeFileSync(path, bytes);
    expect(readText(path)).toEqual({ ok: true, text });
  });

  test.each([
    ['UTF-16 with a mark', Buffer.from('\ufeffname: a\n', 'utf16le'), 'UTF-16', null],
    ['UTF-16, the other end first', Buffer.from('\ufeffname: a\n', 'utf16le').swap16(), 'UTF-16', null],
    ['UTF-16 without a mark', Buffer.from('name: a\n', 'utf16le'), 'UTF-16', null],
    ['Latin-1', Buffer.from('a: 1\nb: 2\nname: Fotó\n', 'latin1'), 'Latin-1', 3],
    ['Latin-1 on a last line without an end', Buffer.from('a: 1\nname: Fotó', 'latin1'), 'Latin-1', 2],
  ])('in %s is rejected', (_name, bytes, found, line) => {
    writeFileSync(path, bytes);
    expect(readText(path)).toEqual({ ok: false, line, found: expect.stringContaining(found), allowed: 'UTF-8' });
  });

  test('that is missing is reported as missing', () => {
    expect(readText(path)).toMatchObject({ ok: false, found: 'no such file', allowed: 'a file of this name' });
  });

  test.each([
    ['EACCES', 'permission denied (EACCES)'],
    ['EPERM', 'not permitted (EPERM)'],
    ['EIO', 'an error of the file system (EIO)'],
  ])('that cannot be read (%s) is not reported as missing', (code, found) => {
    writeFileSync(path, 'a: 1\n');
    denied.code = code;
    const reading = readText(path);
    expect(reading).toMatchObject({ ok: false, found: expect.stringContaining(found) });
    expect(JSON.stringify(reading)).not.toContain('no such file');
  });

  test('that is a folder, or a broken link, is reported as such', () => {
    mkdirSync(path);
    expect(readText(path)).toMatchObject({ found: 'a folder' });
    rmSync(path, { recursive: true });
    symlinkSync(path, path);
    expect(readText(path)).toMatchObject({ found: 'a symbolic link that leads to itself' });
    rmSync(path);
    symlinkSync(join(folder, 'gone.yaml'), path);
    expect(readText(path)).toMatchObject({
      found: 'a symbolic link that leads nowhere',
      allowed: 'a file of this name',
    });
  });

  test('that is a device or a socket is rejected before a read that may never end', async () => {
    const found = { ok: false, line: null, found: 'a pipe, a socket or a device', allowed: 'a regular file' };
    expect(readText('/dev/null')).toEqual(found);
    const server = createServer().listen(path);
    await once(server, 'listening');
    expect(readText(path)).toEqual(found);
    server.close();
  });

  test('that is far too large is rejected unread', () => {
    writeFileSync(path, '');
    truncateSync(path, 16 * 1024 * 1024 + 1);
    expect(readText(path)).toEqual({
      ok: false,
      line: null,
      found: 'a file of 17 MiB',
      allowed: 'a file of at most 16 MiB',
    });
  });
});

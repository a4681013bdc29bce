/** Reads a file as UTF-8, and says in words why it cannot be read. */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readFileSync, statSync } from 'node:fs';

export type TextFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly line: number | null; readonly found: string; readonly allowed: string };

export function readText(path: string): TextFile {
  try {
    const unsuitable = whatIsNoFile(path);
    if (unsuitable !== null) return { ok: false, line: null, ...unsuitable };
    return decoded(readFileSync(path));
  } catch (error) {
    const { found, isMissing } = unreadable(error);
    // A symbolic link without its target: half of a release, or of a ConfigMap.
    const leadsNowhere = isMissing && lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    return {
      ok: false,
      line: null,
      found: leadsNowhere ? 'a symbolic link that leads nowhere' : found,
      allowed: isMissing ? 'a file of this name' : 'a file that this process may read',
    };
  }
}

/** Far more than any configuration. Parsing it would hold up a running server. */
const MAX_MEBIBYTES = 16;
/** A pipe that the shell has opened, such as that of `<(command)`. */
const OPENED = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

/**
 * The read of a named pipe or a device may never end, and nothing else happens in the process meanwhile. @returns null: the file can be
 * read, or the read itself says why not. @throws as `statSync` does.
 */
export function whatIsNoFile(path: string): { readonly found: string; readonly allowed: string } | null {
  const stats = statSync(path);
  if (!stats.isFile() && !stats.isDirectory() && !OPENED.test(path))
    return { found: 'a pipe, a socket or a device', allowed: 'a regular file' };
  if (stats.size > MAX_MEBIBYTES * 1024 * 1024)
    return {
      found: `a file of ${Math.ceil(stats.size / 1024 / 1024)} MiB`,
      allowed: `a file of at most ${MAX_MEBIBYTES} MiB`,
    };
  return null;
}

/** The reason why a file or a folder cannot be read. */
export function unreadable(error: unknown): { readonly found: string; readonly isMissing: boolean } {
  const { code = 'an unknown error' } = error as NodeJS.ErrnoException;
  return { found: WORDS[code] ?? `an error of the file system (${code})`, isMissing: code === 'ENOENT' };
}

const WORDS: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'no such file',
  EACCES: 'a file that cannot be read: permission denied (EACCES)',
  EPERM: 'a file that cannot be read: not permitted (EPERM)',
  EISDIR: 'a folder',
  ELOOP: 'a symbolic link that leads to itself',
};

function decoded(bytes: Buffer): TextFile {
  const utf16 = startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff]) || bytes.includes(0);
  if (utf16) return { ok: false, line: null, found: 'UTF-16, or another encoding with zero bytes', allowed: 'UTF-8' };
  if (!isUtf8(bytes)) {
    const found = 'bytes that are not UTF-8 (Latin-1 or Windows-1252?)';
    return { ok: false, line: lineOfFirstBadByte(bytes), found, allowed: 'UTF-8' };
  }
  // Without the byte order mark, which editors on Windows write.
  return { ok: true, text: new TextDecoder().decode(bytes) };
}

const startsWith = (bytes: Buffer, mark: readonly number[]) => bytes.subarray(0, 2).equals(Buffer.from(mark));

/** No byte of a longer UTF-8 sequence is a line feed, so each line can be tried alone. */
function lineOfFirstBadByte(bytes: Buffer): number {
  let line = 1;
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, at);
    if (end === -1 || !isUtf8(bytes.subarray(at, end))) break;
    at = end + 1;
  }
  return line;
}

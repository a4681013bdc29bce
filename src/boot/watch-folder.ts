/**
 * Notices changes to the files of a folder. Notifications of the operating system belong to one folder: they stop when the folder is
 * replaced or a symbolic link in its path changes, and do not work for files on another host. So this polls a few files, every second.
 */
import { type BigIntStats, readdirSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const LOOK_EVERY_MILLISECONDS = 1000;

/**
 * Editors, rsync and orchestrators change files in several steps: a change is reported when the next poll finds no further change.
 * @param loaded the trace of the files before they were loaded.
 * @param isUnfinished whether the reload failed for a reason outside the files: then each poll reports the change again.
 * @returns a function that stops polling.
 */
export function watchFolder(
  folder: string,
  loaded: string,
  onChange: () => void,
  everyMilliseconds = LOOK_EVERY_MILLISECONDS,
  isUnfinished: () => boolean = () => false,
): () => void {
  let reported = loaded;
  let seen = loaded;
  let looking = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    const now = await currentTrace(folder);
    looking = false;
    const isQuiet = now === seen;
    seen = now;
    if (!isQuiet || (now === reported && !isUnfinished())) return;
    reported = now;
    onChange();
  }

  const timer = setInterval(() => void look(), everyMilliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

/** Changes with every change of a YAML file, an image or a font: of its content, its permissions, or where the links on the way to it lead. */
export function traceOf(folder: string): string {
  try {
    return readIn(readdirSync(folder))
      .map((file) => traceOfFile(file, () => statSync(join(folder, file), EXACT)))
      .join('\n');
  } catch (error) {
    return codeOf(error);
  }
}

/** The same without waiting for the disk, which may be a network's. */
async function currentTrace(folder: string): Promise<string> {
  try {
    const files = readIn(await readdir(folder));
    const stats = await Promise.allSettled(files.map((file) => stat(join(folder, file), EXACT)));
    const traces = files.map((file, index) =>
      traceOfFile(file, () => {
        const found = stats[index];
        if (found?.status !== 'fulfilled') throw found?.reason;
        return found.value;
      }),
    );
    return traces.join('\n');
  } catch (error) {
    return codeOf(error);
  }
}

const EXACT = { bigint: true } as const;
/** With the images and fonts of the branding. */
const readIn = (files: readonly string[]) =>
  files.filter((file) => /\.(?:ya?ml|png|jpe?g|webp|svg|woff2)$/i.test(file)).sort();

function traceOfFile(file: string, statsOf: () => BigIntStats): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statsOf();
    return [file, dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return `${file} ${codeOf(error)}`;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unreadable';

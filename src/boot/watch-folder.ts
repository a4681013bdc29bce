/**
 * Notices that the files of a folder changed, however that was done. Notifications of the operating system belong to the folder that
 * they were asked for, and stay silent once it was replaced, a symbolic link on the way leads elsewhere, or the files are on another
 * host. So this looks: at a few files, every second.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const LOOK_EVERY_MILLISECONDS = 1000;

/**
 * Editors, rsync and orchestrators change files in several steps: a change is told when the next look finds no further change.
 * @returns a function that stops looking.
 */
export function watchFolder(
  folder: string,
  onChange: () => void,
  everyMilliseconds = LOOK_EVERY_MILLISECONDS,
): () => void {
  let told: string | null = null;
  let seen: string | null = null;
  let looking = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    const now = await traceOf(folder);
    looking = false;
    told ??= now;
    const isQuiet = now === seen;
    seen = now;
    if (!isQuiet || now === told) return;
    told = now;
    onChange();
  }

  void look();
  const timer = setInterval(() => void look(), everyMilliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

/** Changes with every change of a YAML file: of its content, its permissions, or where the links on the way to it lead. */
async function traceOf(folder: string): Promise<string> {
  try {
    const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file)).sort();
    const traces = await Promise.all(files.map((file) => traceOfFile(folder, file)));
    return traces.join('\n');
  } catch (error) {
    return codeOf(error);
  }
}

async function traceOfFile(folder: string, file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(join(folder, file), { bigint: true });
    return [file, dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return `${file} ${codeOf(error)}`;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unreadable';

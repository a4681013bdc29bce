/** Writes the tables of a run into docs/performance.md, with its date and commit. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'docs/performance.md');
/** The default command. */
const BENCH = 'npm run bench -- --write';
const END = '<!-- end -->';

/**
 * @param text the document. @param figures of a run. @param command of the run, which marks the place of its figures.
 * @throws Error where the document has no place for them.
 */
export function withFigures(text: string, figures: string, command = BENCH): string {
  const mark = `<!-- ${command} -->`;
  const begin = text.indexOf(mark);
  const end = text.indexOf(END, begin);
  if (begin < 0 || end < 0) throw new Error(`docs/performance.md: expected "${mark}" before "${END}"`);
  return `${text.slice(0, begin + mark.length)}\n\n${figures}\n\n${text.slice(end)}`;
}

export function writeFigures(figures: string, command = BENCH): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ', with uncommitted changes';
  const day = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const heading = `${day}, commit ${git('rev-parse', '--short', 'HEAD')}${changes}.`;
  writeFileSync(FILE, withFigures(readFileSync(FILE, 'utf8'), `${heading}\n${figures}`, command));
}

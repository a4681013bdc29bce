/**
 * drizzle/triggers.sql. Its first line has a revision, which rises with each committed change. A node leaves triggers of a higher revision in place,
 * since nodes of the version before start beside newer ones during an upgrade.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { heldMachines } from './rules.ts';
import { sqlOf } from './text.ts';

const PATH = 'drizzle/triggers.sql';
const root = new URL('../../../', import.meta.url);

/** The file as it is, and as it was committed; null: there is none. */
export type Stored = { readonly present: string | null; readonly committed: string | null };

export const triggersFile = () => [
  { path: PATH, text: withRevision(sqlOf(heldMachines), { present: present(), committed: committed() }) },
];

/** @param body all but the first line. */
export function withRevision(body: string, { present, committed }: Stored): string {
  const same = [present, committed].find((text) => text !== null && bodyOf(text) === body);
  return same ?? `-- Revision ${revisionOf(committed ?? present ?? '') + 1}\n${body}`;
}

const bodyOf = (text: string) => text.slice(text.indexOf('\n') + 1);
const revisionOf = (text: string) => Number(/^-- Revision (\d+)\n/.exec(text)?.[1] ?? 0);

const present = (): string | null => orNull(() => readFileSync(new URL(PATH, root), 'utf8'));

/** Null without git, and without a history. */
const committed = (): string | null =>
  orNull(() =>
    execFileSync('git', ['show', `HEAD:${PATH}`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

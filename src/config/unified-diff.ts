/** The change of a text file as a unified diff, which `git apply` and `patch` take. */

const CONTEXT_LINES = 3;

type Edit = { readonly sign: ' ' | '-' | '+'; readonly line: string };

/** @returns an empty text where nothing differs. @param old null: the file is new. */
export function unifiedDiff(file: string, old: string | null, fresh: string): string {
  if (old === fresh) return '';
  const edits = editsBetween(linesOf(old ?? ''), linesOf(fresh));
  const head = [`--- ${old === null ? '/dev/null' : `a/${file}`}`, `+++ b/${file}`];
  return `${[...head, ...hunksOf(edits).flatMap(wordsOfHunk)].join('\n')}\n`;
}

const NO_LINE_END = '\n\\ No newline at end of file';

/** Without their line ends. A last line without one says so, as the format does. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  if (text.endsWith('\n')) return text.slice(0, -1).split('\n');
  return `${text}${NO_LINE_END}`.split('\n').reduce<string[]>((lines, line) => {
    if (line.startsWith('\\ No newline')) lines.push(`${lines.pop()}\n${line}`);
    else lines.push(line);
    return lines;
  }, []);
}

/** The longest common subsequence: files of policies have a few hundred lines. */
function editsBetween(old: readonly string[], fresh: readonly string[]): readonly Edit[] {
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const row = common[i] as Uint32Array;
      row[j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [before, after] = [old[i], fresh[j]];
    if (before !== undefined && before === after) {
      edits.push({ sign: ' ', line: before });
      [i, j] = [i + 1, j + 1];
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ sign: '-', line: before });
      i++;
    } else {
      edits.push({ sign: '+', line: after ?? '' });
      j++;
    }
  }
  return edits;
}

type Hunk = { readonly from: number; readonly to: number; readonly edits: readonly Edit[] };

/** Changes with less than twice the context between them share a hunk. */
function hunksOf(edits: readonly Edit[]): readonly Hunk[] {
  const changed = edits.flatMap(({ sign }, place) => (sign === ' ' ? [] : [place]));
  const ranges: { from: number; to: number }[] = [];
  for (const place of changed) {
    const last = ranges.at(-1);
    const from = Math.max(0, place - CONTEXT_LINES);
    const to = Math.min(edits.length, place + CONTEXT_LINES + 1);
    if (last && from <= last.to) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges.map((range) => ({ ...range, edits }));
}

function wordsOfHunk({ from, to, edits }: Hunk): readonly string[] {
  const count = (part: readonly Edit[], sign: '-' | '+') => part.filter((edit) => edit.sign !== sign).length;
  const [before, within] = [edits.slice(0, from), edits.slice(from, to)];
  // A side without lines begins at the line before it.
  const place = (sign: '-' | '+') => {
    const length = count(within, sign);
    return `${count(before, sign) + (length === 0 ? 0 : 1)},${length}`;
  };
  return [`@@ -${place('+')} +${place('-')} @@`, ...within.map(({ sign, line }) => `${sign}${line}`)];
}

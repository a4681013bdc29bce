/** Parses one YAML file and holds it against its schema; what is wrong is said with its line. */
import { type Document, isMap, isNode, isPair, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { nearestOf } from './nearest.ts';
import type { Problem } from './problem.ts';

export type Reading<T> =
  | { readonly ok: true; readonly value: T; readonly lineOf: (path: readonly PropertyKey[]) => number | null }
  | { readonly ok: false; readonly problems: Problem[] };
type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

export function readYaml<Schema extends z.ZodType>(
  file: string,
  text: string | null,
  schema: Schema,
): Reading<z.infer<Schema>> {
  if (text === null) return { ok: false, problems: [problem(file, null, [], 'no such file', 'a file with this name')] };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => {
      const [summary = 'broken YAML'] = error.message.split('\n');
      return problem(
        file,
        lines.linePos(error.pos[0]).line,
        [],
        summary.replace(/ at line \d+, column \d+:?$/, ''),
        'YAML',
      );
    });
    return { ok: false, problems };
  }
  const contents = plainOf(document);
  if (contents === null)
    return { ok: false, problems: [problem(file, null, [], 'aliases upon aliases', 'less of them')] };
  const result = schema.safeParse(contents.value);
  if (result.success) return { ok: true, value: result.data, lineOf: (path) => lineIn(document, lines, path) };
  return { ok: false, problems: result.error.issues.flatMap((issue) => explain(file, issue, document, lines, schema)) };
}

/** @returns null when its aliases multiply without measure ("billion laughs"). */
function plainOf(document: Document): { readonly value: unknown } | null {
  try {
    return { value: document.toJS() };
  } catch (error) {
    if (error instanceof ReferenceError) return null;
    throw error;
  }
}

function explain(file: string, issue: Issue, document: Document, lines: LineCounter, schema: z.ZodType): Problem[] {
  const lineOf = (path: Path) => lineIn(document, lines, path);
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path);
    return issue.keys.map((key) => ({
      ...problem(file, lineOf([...issue.path, key]), [...issue.path, key], 'an unknown key', known.join(', ')),
      nearest: nearestOf(key, known, (length) => Math.max(3, length / 2)),
    }));
  }
  const found = document.getIn([...issue.path]);
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String);
    const nearest = typeof found === 'string' ? nearestOf(found, known, (length) => Math.max(3, length / 2)) : null;
    return [{ ...problem(file, lineOf(issue.path), issue.path, show(found), known.join(', ')), nearest }];
  }
  return [problem(file, lineOf(issue.path), issue.path, show(found), allowedBy(issue))];
}

function problem(file: string, line: number | null, path: Path, found: string, allowed: string): Problem {
  return { file, line, key: path.length > 0 ? path.map(String).join('.') : null, found, allowed, nearest: null };
}

/** The line of the key itself, or of the nearest thing around it that exists. */
function lineIn(document: Document, lines: LineCounter, path: Path): number | null {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const last = path.at(-1);
  const pair = isMap(parent)
    ? parent.items.find((item) => isPair(item) && String(item.key) === String(last))
    : undefined;
  const node = pair?.key ?? (path.length > 0 ? document.getIn([...path], true) : document.contents);
  if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  return path.length > 0 ? lineIn(document, lines, path.slice(0, -1)) : null;
}

function show(found: unknown): string {
  if (found === undefined) return 'nothing';
  if (isNode(found)) return isMap(found) ? 'a mapping' : 'a sequence';
  const text = JSON.stringify(found);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function allowedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return WORDS[issue.expected] ?? issue.expected;
    case 'too_small':
      return issue.origin === 'array' ? `at least ${issue.minimum} entries` : `${issue.minimum} or more`;
    case 'too_big':
      return issue.origin === 'array' ? `at most ${issue.maximum} entries` : `${issue.maximum} or less`;
    default:
      return issue.message;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a sequence',
  object: 'a mapping',
};

/** The keys that the schema knows at a path. */
function keysAt(schema: z.ZodType, path: Path): string[] {
  let at: z.ZodType = schema;
  for (const step of path) {
    while (at instanceof z.ZodOptional) at = at.unwrap() as z.ZodType;
    if (at instanceof z.ZodArray) at = at.element as z.ZodType;
    else if (at instanceof z.ZodObject) at = (at.shape as Record<string, z.ZodType>)[String(step)] ?? z.never();
  }
  while (at instanceof z.ZodOptional) at = at.unwrap() as z.ZodType;
  return at instanceof z.ZodObject ? Object.keys(at.shape as object) : [];
}

/** Parses a YAML file and checks it against its schema. Every problem has a line. */
import { type Document, isMap, isNode, isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { duplicateKeyAt } from './duplicate-keys.ts';
import { type Path, type Problem, problemOf, type ReadFile } from './problem.ts';
import { keyOf, schemaProblems } from './schema-problems.ts';
import { printable } from './shown.ts';
import type { TextFile } from './text-file.ts';

export type Reading<Schema extends z.ZodType> =
  | (ReadFile<z.output<Schema>> & {
      readonly ok: true;
      /** The value without defaults, as written in the file. */
      readonly written: z.input<Schema>;
    })
  | { readonly ok: false; readonly problems: Problem[] };

export function readYaml<Schema extends z.ZodType>(file: string, source: TextFile, schema: Schema): Reading<Schema> {
  const wrong = (line: number | null, found: string, allowed: string): Problem => ({
    ...problemOf(file, null, found, allowed),
    line,
  });
  if (!source.ok) return { ok: false, problems: [wrong(source.line, source.found, source.allowed)] };
  const { text } = source;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  // A warning is about a part that the parser left out, such as the tag of `!env NAME`.
  const errors = [...document.errors, ...document.warnings];
  if (errors.length > 0) {
    const problems = errors.map((error): Problem => {
      const duplicate = error.code === 'DUPLICATE_KEY' ? duplicateKeyAt(document, error.pos[0]) : null;
      if (duplicate !== null) {
        const found = `it a second time (first in line ${lines.linePos(duplicate.firstAt).line})`;
        return { ...wrong(lines.linePos(error.pos[0]).line, found, 'each key once'), key: keyOf(duplicate.path) };
      }
      const [summary = 'broken YAML'] = error.message.split('\n');
      const words = summary.replace(/ at line \d+, column \d+:?$/, '');
      const found = printable(`${words.charAt(0).toLowerCase()}${words.slice(1)}`);
      return wrong(lines.linePos(error.pos[0]).line, found, 'valid YAML');
    });
    return { ok: false, problems };
  }
  const strange = offsetOfStrangeKey(document);
  if (strange !== null) {
    const found = 'a key that is an alias, a list or an object';
    return { ok: false, problems: [wrong(lines.linePos(strange).line, found, 'a name as the key')] };
  }
  const contents = plainOf(document);
  if ('problem' in contents) return { ok: false, problems: [wrong(null, ...contents.problem)] };
  const lineOf = (path: Path) => lineIn(document, lines, path);
  const result = schema.safeParse(contents.value);
  if (result.success) return { ok: true, value: result.data, written: contents.value as z.input<Schema>, lineOf };
  const problems = schemaProblems(schema, contents.value, result.error.issues).map(({ path, ...problem }) => ({
    file,
    line: lineOf(path),
    key: keyOf(path),
    ...problem,
  }));
  return { ok: false, problems };
}

/** The parser compares scalars alone, so such a key may repeat another key. @returns null: there is none. */
function offsetOfStrangeKey(document: Document): number | null {
  let offset: number | null = null;
  visit(document, {
    Pair: (_, { key }) => {
      if (key === null || isScalar(key)) return undefined;
      offset = (isNode(key) ? key.range?.[0] : null) ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

type Plain = { readonly value: unknown } | { readonly problem: readonly [found: string, allowed: string] };

/** The problem: an alias of no anchor, or aliases that expand to too many nodes ("billion laughs"). */
function plainOf(document: Document): Plain {
  try {
    return { value: document.toJS() };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const isUnresolved = error.message.startsWith('Unresolved alias');
    return {
      problem: isUnresolved
        ? ['an alias without its anchor', 'an anchor before each alias, or the value in quotes']
        : ['aliases upon aliases', 'fewer aliases'],
    };
  }
}

/** The line of the key itself, or of its nearest ancestor that exists. */
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

/**
 * Error texts for values that a schema rejects, in files and in imported records. The expected value comes from the schema and from
 * the texts beside it (policies/expectations.ts).
 */
import { z } from 'zod';
import { expectations } from '../../policies/expectations.ts';
import { nearestOf } from './nearest.ts';
import type { RecordProblem } from './problem.ts';
import { oneOf, printable, shown, shownSecret } from './shown.ts';

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;
export type SchemaProblem = Omit<RecordProblem, 'key'> & { readonly path: Path };

/** One problem per path, even when several rules are broken there. */
export function schemaProblems(schema: z.ZodType, input: unknown, issues: readonly Issue[]): SchemaProblem[] {
  const problems = new Map<string, SchemaProblem>();
  for (const problem of issues.flatMap((issue) => problemsOf(schema, input, issue))) {
    problems.set(JSON.stringify(problem.path), problem);
  }
  return [...problems.values()];
}

/** Dotted, as in `redirect_uris.0`; null for the whole record. */
export const keyOf = (path: Path): string | null =>
  path.length > 0 ? path.map((step) => printable(String(step))).join('.') : null;

function problemsOf(schema: z.ZodType, input: unknown, issue: Issue): SchemaProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path);
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      found: 'an unknown key',
      allowed: known.length > 0 ? `one of ${known.join(', ')}` : 'no keys',
      nearest: nearest(key, known),
    }));
  }
  const { path } = issue;
  const value = path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], input);
  const { expected, insteadOf = {}, secret } = expectationAt(schema, path) ?? {};
  const special = typeof value === 'string' && Object.hasOwn(insteadOf, value) ? insteadOf[value] : undefined;
  return [
    {
      path,
      found: secret ? shownSecret(value) : shown(value),
      allowed: special ?? expected ?? allowedBy(issue),
      nearest:
        special === undefined && issue.code === 'invalid_value' && typeof value === 'string'
          ? nearest(value, issue.values.map(String))
          : null,
    },
  ];
}

const nearest = (name: string, known: readonly string[]) => nearestOf(name, known, (length) => Math.max(3, length / 2));

/** From the broken rule itself. */
function allowedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return oneOf(issue.values.map(String));
    case 'too_small':
      return sizeWords(issue.origin, issue.minimum, ['at least', 'or more']);
    case 'too_big':
      return sizeWords(issue.origin, issue.maximum, ['at most', 'or less']);
    default:
      return issue.message;
  }
}

function sizeWords(origin: string, bound: number | bigint, [before, after]: readonly [string, string]): string {
  if (origin === 'array') return `${before} ${bound} ${bound === 1 ? 'entry' : 'entries'}`;
  return origin === 'string' ? `${before} ${bound} characters` : `${bound} ${after}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a list',
  object: 'an object',
};

/** The schemas at a path, from the outer wrapper (`optional`, `default`) to the inner schema. */
function schemasAt(schema: z.ZodType, path: Path): z.ZodType[] {
  let layers = layersOf(schema);
  for (const step of path) {
    const inner = layers.at(-1);
    const next =
      inner instanceof z.ZodArray
        ? inner.element
        : inner instanceof z.ZodObject && Object.hasOwn(inner.shape, step)
          ? inner.shape[String(step)]
          : z.never();
    layers = layersOf(next as z.ZodType);
  }
  return layers;
}

function layersOf(schema: z.ZodType): z.ZodType[] {
  const wraps = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNonOptional;
  return wraps ? [schema, ...layersOf(schema.def.innerType as z.ZodType)] : [schema];
}

const expectationAt = (schema: z.ZodType, path: Path) =>
  schemasAt(schema, path)
    .map((layer) => expectations.get(layer))
    .find((words) => words !== undefined);

/** The keys allowed at a path. */
function keysAt(schema: z.ZodType, path: Path): string[] {
  const inner = schemasAt(schema, path).at(-1);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.keys(inner.shape).filter((key) => !(layersOf(inner.shape[key]).at(-1) instanceof z.ZodNever));
}

/** The checks of a request by the schema of its method: all problems, with the field and the nearest known name. */
import type { z } from 'zod';
import { isJsonObject, notAnObject, recordProblems, withoutNulls } from '../registration/record-problem.ts';
import { fieldProblems, type Problem, type ProblemReason, problem, refusedField } from './problem.ts';

export type Checked<T> = { readonly kind: 'good'; readonly value: T; readonly sent: unknown } | Problem;

/** A member that is null counts as left out. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  reason: ProblemReason,
): Checked<z.output<Schema>> {
  if (!isJsonObject(input)) {
    const reading = notAnObject(input, 'an object');
    return fieldProblems(reason, reading.ok ? [] : reading.problems);
  }
  const sent = withoutNulls(input);
  const read = schema.safeParse(sent);
  if (read.success) return { kind: 'good', value: read.data, sent };
  return fieldProblems(reason, recordProblems(schema, sent, read.error));
}

/** @param text as sent. */
export function parsedJson(text: string): { readonly kind: 'good'; readonly value: unknown } | Problem {
  try {
    const value: unknown = JSON.parse(text);
    if (isDeeper(value, MAX_DEPTH)) return TOO_DEEP;
    return hasProto(value) ? NO_PROTO : { kind: 'good', value };
  } catch {
    return problem('malformed_json', 'The body is not JSON (RFC 8259). Nothing was changed.');
  }
}

/** Deeper than anything that is stored, and far from what the stack takes (RFC 8259 §9). */
const MAX_DEPTH = 32;
const TOO_DEEP = problem('malformed_json', `The body is nested deeper than ${MAX_DEPTH} levels. Nothing was changed.`);

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** Schemas leave such a member out without a word, and nothing that was sent is left out without a word here. */
const hasProto = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProto));
const NO_PROTO = refusedField('__proto__', 'Expected no member of this name, at any depth.');

export type QueryValues = { readonly kind: 'good'; readonly value: Readonly<Record<string, string>> } | Problem;

/** A repeated parameter is ambiguous. */
export function queryValues(query: URLSearchParams): QueryValues {
  const names = [...query.keys()];
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length === 0) return { kind: 'good', value: Object.fromEntries(query) };
  return problem(
    'invalid_parameter',
    'Nothing was read. See "errors".',
    [...new Set(twice)].map((field) => ({ field, detail: 'Expected once, found several times.' })),
  );
}

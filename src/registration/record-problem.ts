/** The result of reading a record: a value with warnings, or all problems. */
import type { z } from 'zod';
import { nearestOf } from '../config/nearest.ts';
import type { RecordProblem } from '../config/problem.ts';
import { keyOf, schemaProblems } from '../config/schema-problems.ts';
import { shown } from '../config/shown.ts';

export type Reading<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly RecordProblem[] };

type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Exports of other servers write null for unset fields; null means the same as leaving a field out. */
export const withoutNulls = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

/** @param key dotted, as written in the record; null for the whole record. */
export const problem = (
  key: string | null,
  found: string,
  allowed: string,
  nearest: string | null = null,
): RecordProblem => ({ key, found, allowed, nearest });

/** A problem of the whole record, since it has no fields. */
export const notAnObject = (input: unknown, allowed: string): Reading<never> => ({
  ok: false,
  problems: [problem(null, shown(input), allowed)],
});

/** The violations of the schema, as problems of the record. */
export const recordProblems = (schema: z.ZodType, record: JsonObject, { issues }: z.ZodError): RecordProblem[] =>
  schemaProblems(schema, record, issues).map(({ path, ...rest }) => ({ key: keyOf(path), ...rest }));

/** Names of fields and policies are short, so only few letters may differ. */
export const nearestField = (name: string, known: readonly string[]): string | null =>
  nearestOf(name, known, (length) => Math.min(3, length / 2));

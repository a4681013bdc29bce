/** One thing wrong in one record, in words that say what to change. The value of a secret never gets into them. */
import type { z } from 'zod';
import { nearestOf } from '../config/nearest.ts';

export type RecordProblem = {
  /** As written in the record, e.g. `redirect_uris.0`; null when it concerns the whole record. */
  readonly field: string | null;
  readonly found: string;
  readonly allowed: string;
};

export type Reading<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly RecordProblem[] };

export function describeRecordProblem({ field, found, allowed }: RecordProblem): string {
  return `${field === null ? '' : `${field}: `}found ${found}; allowed: ${allowed}`;
}

/** A record that is no object has no field to speak of. */
export const notAnObject = (input: unknown, allowed: string): Reading<never> => ({
  ok: false,
  problems: [{ field: null, found: shown(input), allowed }],
});

type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Exports of other servers write null for what is not set; here that is the same as leaving it out. */
export const withoutNulls = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

export type Words = {
  /** What may stand in a field. The second argument is what stood there. */
  readonly allowed: (field: string, found: unknown) => string;
  readonly isSecret: (field: string) => boolean;
};

/** One problem per place, however many rules it breaks there. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], record: JsonObject, words: Words): RecordProblem[] {
  const problems = new Map<string, RecordProblem>();
  for (const { path } of issues) {
    const field = path.map(String).join('.');
    const top = String(path[0] ?? '');
    const value = path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], record);
    const found = words.isSecret(top) ? describeSecret(value) : shown(value);
    problems.set(field, { field, found, allowed: words.allowed(top, value) });
  }
  return [...problems.values()];
}

const LONGEST_SHOWN = 80;

/** Found text may be hostile: no character of it may steer a terminal. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = printable(JSON.stringify(value));
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}

/** Controls, line separators, formatting characters (which can turn the direction of text) as escapes. */
export const printable = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);

function describeSecret(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? `a text of ${value.length} characters (not shown)` : 'something that is no text';
}

/** Names of fields are short, so few letters may differ. */
export const nearestField = (name: string, known: readonly string[]): string | null =>
  nearestOf(name, known, (length) => Math.min(3, length / 2));

/** What Postgres can store and a page can show: no controls, no lone halves of characters, nothing that turns text around. */
export const isPlainText = (text: string): boolean =>
  text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text);

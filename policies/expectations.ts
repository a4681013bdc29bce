/** What a field expects, in words, kept beside its schema: every error text about the field is made from it. */
import { z } from 'zod';

export type Expectation = {
  /** Completes "Expected …, found …". Without it, the rule that was broken says what is expected. */
  readonly expected?: string | undefined;
  /** Takes the place of `expected` for values that deserve an answer of their own. */
  readonly insteadOf?: Readonly<Record<string, string>> | undefined;
  /** Found values never get into an error text. */
  readonly secret?: true | undefined;
};

export const expectations = z.registry<Expectation>();

export function expecting<Schema extends z.ZodType>(schema: Schema, expected: string): Schema {
  expectations.add(schema, { expected });
  return schema;
}

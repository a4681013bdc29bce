/** The expected value of a field, in words, beside its schema: the source of every error text about the field. */
import { z } from 'zod';

export type Expectation = {
  /** Completes "Expected …, found …". Without it, the rule that was broken says what is expected. */
  readonly expected?: string | undefined;
  /** Replaces `expected` for the values named here. */
  readonly insteadOf?: Readonly<Record<string, string>> | undefined;
  /** The value found never appears in an error text. */
  readonly secret?: true | undefined;
};

export const expectations = z.registry<Expectation>();

export function expecting<Schema extends z.ZodType>(schema: Schema, expected: string): Schema {
  expectations.add(schema, { expected });
  return schema;
}

/** The value may be a secret in the wrong field, so the error does not show it. */
export function expectingSecret<Schema extends z.ZodType>(schema: Schema, expected: string): Schema {
  expectations.add(schema, { expected, secret: true });
  return schema;
}

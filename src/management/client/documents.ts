/** The request and response of each operation of the API, by the schemas of its resource. Types alone: it loads nothing of the server. */
import type { z } from 'zod';
import type { Method } from '../operations.ts';
import type { Resource } from '../resources/all.ts';

type MethodsAt<Path> = Extract<Resource, { readonly path: Path }>['methods'];
/** The addresses that have the method. */
export type PathWith<M extends Method> = {
  [R in Resource as R['path']]: M extends keyof R['methods'] ? R['path'] : never;
}[Resource['path']];
type OperationAt<M, Path> = MethodsAt<Path>[M & keyof MethodsAt<Path>];

/** Never: the operation has none. */
type Part<Operation, Name extends 'query' | 'body' | 'answer'> = Exclude<Operation[Name & keyof Operation], undefined>;

/** A value that a schema coerces is sent as text. */
type Sent<Value> = unknown extends Value ? string | number : Value;
type QueryFrom<Schema> = [Schema] extends [never]
  ? { readonly query?: never }
  : Schema extends z.ZodType
    ? { readonly query?: { readonly [N in keyof z.input<Schema>]?: Sent<z.input<Schema>[N]> | undefined } }
    : never;
type BodyFrom<Schema> = [Schema] extends [never]
  ? { readonly body?: never }
  : Schema extends z.ZodType
    ? { readonly body?: z.input<Schema> }
    : never;

type Name<Path> = Path extends `${string}{${infer First}}${infer Rest}` ? First | Name<Rest> : never;
type ParamsOf<Path> = [Name<Path>] extends [never]
  ? { readonly params?: never }
  : { readonly params: { readonly [N in Name<Path>]: string } };

/** RFC 9110 §13.1 and the draft on Idempotency-Key. */
type Conditions = {
  /** An entity tag, or `*`. */
  readonly ifMatch?: string | null;
  /** The same request again makes the same again. */
  readonly idempotencyKey?: string | null;
  /** The answer as if it had been carried out; nothing changes. */
  readonly dryRun?: boolean;
};

export type Asked<M extends Method, Path> = ParamsOf<Path> &
  QueryFrom<Part<OperationAt<M, Path>, 'query'>> &
  BodyFrom<Part<OperationAt<M, Path>, 'body'>> &
  Conditions;

/** Null: the operation answers without a document. */
export type Document<M extends Method, Path> = [Part<OperationAt<M, Path>, 'answer'>] extends [never]
  ? null
  : Part<OperationAt<M, Path>, 'answer'> extends z.ZodType
    ? z.output<Part<OperationAt<M, Path>, 'answer'>>
    : null;

/** One of a list. */
export type Item<Path extends PathWith<'GET'>> =
  Document<'GET', Path> extends { readonly items: readonly (infer One)[] } ? One : never;

/**
 * A resource of the API as data: its address, and for each method its request, its response and its work. The OpenAPI document
 * and the tests of the conventions are made from it; the scope of each method is in operations.ts.
 */
import { z } from 'zod';
import type { Actor } from '../model/actor.ts';
import type { ManagementDeps } from './deps.ts';
import type { Makes } from './idempotency.ts';
import type { Address, Method } from './operations.ts';
import type { Problem, ProblemReason } from './problem.ts';
import type { Send } from './send.ts';
import type { Me } from './who.ts';

/**
 * `representation`: the value that the entity tag covers, where the body has more, such as a secret. `facts`: those of the body that no request
 * writes, and that the tag covers in a part of its own.
 */
type Tagged = { readonly body: object; readonly representation?: object; readonly facts?: object };

export type Answer =
  /** 200. */
  | ({ readonly kind: 'found' } & Tagged)
  /** 201, with the address of what was created. */
  | ({ readonly kind: 'created'; readonly location: string } & Tagged)
  /** 200 with another media type than JSON. */
  | { readonly kind: 'document'; readonly type: string; readonly text: string }
  /** 204. */
  | { readonly kind: 'done' }
  | Problem;

export const found = (body: object, representation = body, facts?: object): Answer => ({
  kind: 'found',
  body,
  representation,
  ...(facts && { facts }),
});
export const created = (body: object, location: string, representation = body, facts?: object): Answer => ({
  kind: 'created',
  body,
  location,
  representation,
  ...(facts && { facts }),
});
export const document = (type: string, text: string): Answer => ({ kind: 'document', type, text });
export const done: Answer = { kind: 'done' };

/** RFC 9110 §13.1. */
export type Precondition = {
  /** If-Match: whether the caller read this representation. Null: not sent. */
  readonly isSeen: ((representation: object) => boolean) | null;
  /** `If-None-Match: *`: only create. */
  readonly onlyNew: boolean;
};

export type ManagementRequest<Params, Query, Body> = {
  readonly params: Params;
  readonly query: Query;
  /** As its schema reads it. */
  readonly body: Body;
  /** The body as it was sent. */
  readonly sent: unknown;
  /** The address of this request, with its query. */
  readonly href: string;
  readonly actor: Actor;
  readonly me: Me;
  readonly precondition: Precondition;
  /** Ids and secrets of what is created: the same for a request that is sent again with its Idempotency-Key. */
  readonly makes: Makes;
  /** Another request of the same caller to the API, which answers it as if the caller had sent it. */
  readonly send: Send;
};

export type Operation = {
  /** The first part, up to a full stop, colon or semicolon, is the heading in the reference. */
  readonly summary: string;
  readonly query?: z.ZodObject;
  /** Absent: the method takes no body. */
  readonly body?: z.ZodType;
  /** PATCH: the shape of the whole, of which the body is a patch. */
  readonly patches?: z.ZodType;
  /** An example of a body, for the reference. */
  readonly example?: object;
  /** A body may be left out. */
  readonly bodyIsOptional?: true;
  /** Absent: 204. */
  readonly answer?: z.ZodType;
  /** The media type of the answer; default: application/json. */
  readonly answerType?: string;
  /** 201 instead of 200; `ifNew`: where there was nothing under the address. */
  readonly creates?: true | 'ifNew';
  /** `required`: 428 without it (RFC 6585 §3). `whenChanging`: needed unless the resource is new or stays as it is. */
  readonly ifMatch?: 'required' | 'whenChanging' | 'optional';
  /** The answer holds a secret, and is stored nowhere. */
  readonly secret?: true;
  /** Its member with a secret that was made now. A dry run has another value there, since it makes none. */
  readonly makes?: { readonly member: string; readonly inDryRun: string | null };
  /** Its problems, beside those of every operation. */
  readonly rejects?: readonly ProblemReason[];
  // Each resource gives its own types, by `resource` below; routes check what comes with its schemas first.
  readonly run: (
    deps: ManagementDeps,
    // biome-ignore lint/suspicious/noExplicitAny: see above.
    request: ManagementRequest<any, any, any>,
  ) => Promise<Answer>;
};

export type ManagementResource = {
  readonly path: Address;
  /** A short name of the resource. */
  readonly name: string;
  readonly params: z.ZodObject;
  readonly methods: Readonly<Partial<Record<Method, Operation>>>;
};

/** An operation that keeps the types of its schemas. */
export type Described<Query extends z.ZodObject, Body extends z.ZodType, Shape extends z.ZodType> = Omit<
  Operation,
  'query' | 'body' | 'answer'
> & {
  readonly query?: Query;
  readonly body?: Body;
  readonly answer?: Shape;
};

/** The schemas of the names in an address. */
type Params = Readonly<Record<string, z.ZodType>>;

type Typed<Names extends Params, Query extends z.ZodObject, Body extends z.ZodType, Shape extends z.ZodType> = Omit<
  Described<Query, Body, Shape>,
  'run'
> & {
  readonly run: (
    deps: ManagementDeps,
    request: ManagementRequest<z.output<z.ZodObject<Names>>, z.output<Query>, z.output<Body>>,
  ) => Promise<Answer>;
};

/** Gives a method the types of its schemas. */
type DescribeMethod<Names extends Params> = <
  Query extends z.ZodObject = never,
  Body extends z.ZodType = never,
  Shape extends z.ZodType = never,
>(
  operation: Typed<Names, Query, Body, Shape>,
) => Described<NoInfer<Query>, NoInfer<Body>, NoInfer<Shape>>;

/** @param params the schemas of the names in the path. */
export const resource = <Path extends Address, Names extends Params, Methods extends ManagementResource['methods']>(
  path: Path,
  name: string,
  params: Names,
  methods: (method: DescribeMethod<Names>) => Methods,
) => ({ path, name, params: z.object(params), methods: methods((operation) => operation) });

/** A method of a collection that is declared beside its resource. */
export const methodOfCollection: DescribeMethod<Record<never, never>> = (operation) => operation;

/** Parameters of the path and the query, and the headers that requests may carry. */
import type { z } from 'zod';
import { IDEMPOTENCY_KEY } from '../idempotency.ts';
import type { Method } from '../operations.ts';
import type { ManagementResource, Operation } from '../resource.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

type Parameter = { readonly [key: string]: unknown };

const HEADERS = {
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of what is known already: 304 where it is still the same (RFC 9110 §13.1.2).',
    schema: { type: 'string' },
  },
  onlyNew: {
    name: 'If-None-Match',
    in: 'header',
    description: '`*`: only if no resource exists at this address (RFC 9110 §13.1.2).',
    schema: { type: 'string' },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` of what was seen: 412 where it is not like that any more (RFC 9110 §13.1.1).',
    schema: { type: 'string' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key with the same request, within a day, creates nothing twice and gets the same answer.',
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
  },
} as const;

/** Of every operation that changes something. */
const DRY_RUN = {
  name: 'dry_run',
  in: 'query',
  description:
    '`true`: the server answers as if it had carried out the operation, with the header `Dry-Run: true`, and changes nothing.',
  schema: { type: 'string', enum: ['true', 'false'] },
};

const IF_MATCH_WORDS = {
  required: '',
  whenChanging: ' Needed where the request changes what is there.',
  optional: '',
} as const;

export function parametersOf(
  schemas: Schemas,
  method: Method,
  operation: Operation,
  { params }: ManagementResource,
): readonly Parameter[] {
  const headers: (Parameter | false)[] = [
    method === 'GET' && HEADERS.ifNoneMatch,
    operation.ifMatch !== undefined && {
      ...HEADERS.ifMatch,
      description: `${HEADERS.ifMatch.description}${IF_MATCH_WORDS[operation.ifMatch]}`,
      ...(operation.ifMatch === 'required' && { required: true }),
    },
    operation.creates === 'ifNew' && HEADERS.onlyNew,
    operation.creates === true && HEADERS.idempotencyKey,
  ];
  return [
    ...membersOf(schemas, params).map(({ name, schema, ...rest }) => ({
      name,
      in: 'path',
      ...rest,
      required: true,
      schema,
    })),
    // No list needs a parameter.
    ...(operation.query ? membersOf(schemas, operation.query) : []).map(({ name, ...rest }) => ({
      name,
      in: 'query',
      ...rest,
    })),
    ...(method === 'GET' || (operation.query && 'dry_run' in operation.query.shape) ? [] : [DRY_RUN]),
    ...headers.filter((header) => header !== false),
  ];
}

function membersOf(schemas: Schemas, object: z.ZodObject) {
  const { properties = {} } = schemas.of(object) as { properties?: Readonly<Record<string, JsonSchema>> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    ...(description !== undefined && { description }),
    schema,
  }));
}

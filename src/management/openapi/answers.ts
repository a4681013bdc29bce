/** The responses of an operation: its result, and its possible problems. */

import { FIELDS_TYPE, hasFields, shapeWithFields } from '../fields.ts';
import type { Method } from '../operations.ts';
import { PROBLEM_TYPE, PROBLEMS, type ProblemReason, problemType } from '../problem.ts';
import type { ManagementResource, Operation } from '../resource.ts';
import { problemsOf } from './problems.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

type Answer = { readonly [key: string]: unknown };

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

const described = (description: string, schema: JsonSchema = { type: 'string' }, required = false) => ({
  description,
  ...(required && { required }),
  schema,
});

export const HEADER_COMPONENTS = {
  ETag: described(
    'The tag of this representation (RFC 9110 §8.8.3), for `If-Match` and `If-None-Match`.',
    undefined,
    true,
  ),
  'Cache-Control': described('Whether the answer may be kept.', undefined, true),
  Link: described('`rel="next"`: the next page (RFC 8288), as in `_links`. Absent: this is the last page.'),
  Location: described('The address of what was created.', { type: 'string', format: 'uri' }, true),
  'WWW-Authenticate': described(
    'The missing scope, and the authorization server (RFC 6750 §3, RFC 9728 §5.1).',
    undefined,
    true,
  ),
  Accept: described('The media types of request bodies (RFC 9110 §12.5.1).'),
  'Accept-Patch': described('The media types of PATCH bodies (RFC 5789 §3.1).'),
  'Retry-After': described('Seconds.', { type: 'string', pattern: '^[0-9]+$' }),
  'RateLimit-Policy': described(
    'The quota of the caller at this node: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers-10). Each operation of a batch counts as one.',
    { type: 'string', pattern: '^"default";q=[0-9]+;w=[0-9]+$' },
  ),
  RateLimit: described('The caller has `r` requests left, and the next window begins in `t` seconds.', {
    type: 'string',
    pattern: '^"default";r=[0-9]+;t=[0-9]+$',
  }),
} as const;

type HeaderName = keyof typeof HEADER_COMPONENTS;

/** Of every response to a caller that the server has authenticated. */
const QUOTA = ['RateLimit-Policy', 'RateLimit'] as const;

const headersOf = (names: readonly HeaderName[]) => Object.fromEntries(names.map((name) => [name, header(name)]));

const HEADERS_OF_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  415: ['Accept', 'Accept-Patch'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

export function answersOf(
  schemas: Schemas,
  method: Method,
  operation: Operation,
  resource: ManagementResource,
): Readonly<Record<string, Answer>> {
  const problems = [...problemsOf(method, operation, resource)].map(([status, reasons]): [string, Answer] => [
    `${status}`,
    { $ref: `#/components/responses/${reasons.join('.')}` },
  ]);
  return { ...Object.fromEntries(problems), ...goodAnswers(schemas, method, operation) };
}

function goodAnswers(schemas: Schemas, method: Method, operation: Operation): Readonly<Record<string, Answer>> {
  const { answer, answerType = 'application/json', creates, query } = operation;
  if (!answer) return { 204: { description: 'Done.', headers: headersOf(['Cache-Control', ...QUOTA]) } };
  const isPaged = method === 'GET' && query !== undefined && 'cursor' in query.shape;
  const content = {
    [answerType]: { schema: schemas.of(answer) },
    ...(hasFields(query) && { [FIELDS_TYPE]: { schema: schemas.of(shapeWithFields(answer)) } }),
  };
  const document = (description: string, names: readonly HeaderName[]) => ({
    description,
    headers: headersOf(['ETag', 'Cache-Control', ...names, ...QUOTA]),
    content,
  });
  return {
    ...(creates !== true && { 200: document('As asked for.', isPaged ? ['Link'] : []) }),
    ...(creates && { 201: document('Created.', ['Location']) }),
    ...(method === 'GET' && {
      304: {
        description: 'It is still as `If-None-Match` says.',
        headers: headersOf(['ETag', 'Cache-Control', ...QUOTA]),
      },
    }),
  };
}

/** Each set of problems that some operation can have, once. */
export function problemComponents(
  issuer: string,
  operations: readonly (readonly [Method, Operation, ManagementResource])[],
): Readonly<Record<string, Answer>> {
  const components = new Map<string, Answer>();
  for (const operation of operations) {
    for (const [status, reasons] of problemsOf(...operation)) {
      components.set(reasons.join('.'), problemAnswer(issuer, status, reasons));
    }
  }
  return Object.fromEntries(components);
}

const problemAnswer = (issuer: string, status: number, reasons: readonly ProblemReason[]): Answer => ({
  description: reasons.map((reason) => `${PROBLEMS[reason].title} (\`${reason}\`).`).join(' '),
  headers: headersOf(['Cache-Control', ...(HEADERS_OF_STATUS[status] ?? []), ...(status === 401 ? [] : QUOTA)]),
  content: {
    [PROBLEM_TYPE]: {
      schema: {
        $ref: '#/components/schemas/Problem',
        properties: { type: { enum: reasons.map((reason) => problemType(issuer, reason)) }, status: { const: status } },
      },
    },
  },
});

/** RFC 9457. */
export const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description:
    'A problem (RFC 9457). Programs compare `type`; the other members are for people, and their wording can change.',
  properties: {
    type: { type: 'string', format: 'uri', description: 'The address of a page about the problem. It never changes.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What to do.' },
    errors: {
      type: 'array',
      description: 'All errors of the request.',
      items: {
        type: 'object',
        properties: {
          field: {
            type: ['string', 'null'],
            description: 'Dotted, as in `redirect_uris.0`; null: the body as a whole.',
          },
          detail: { type: 'string' },
        },
        required: ['field', 'detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail'],
};

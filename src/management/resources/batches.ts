/** Many changes in one request. Each is a request of the same caller, with its own conditions and its own outcome. */
import { z } from 'zod';
import { deadlines } from '../../system/deadlines.ts';
import { type Problem, problem, problemDocument } from '../problem.ts';
import { found, resource } from '../resource.ts';
import type { Send } from '../send.ts';

const MAX_OPERATIONS = 1000;
const PATH = '/batches';

const operation = z.strictObject({
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: z
    .string()
    .min(2)
    .max(2048)
    .regex(/^\/[\x21-\x7e]+$/)
    .describe('Below the address of the API, with its query: `/users/{sub}`.'),
  body: z.unknown().optional().describe('JSON, as the operation takes it.'),
  if_match: z.string().min(1).max(1024).optional().describe('The header `If-Match` of this operation.'),
  if_none_match: z.literal('*').optional().describe('The header `If-None-Match` of this operation.'),
  idempotency_key: z.string().min(1).max(257).optional().describe('The header `Idempotency-Key` of this operation.'),
});
type Sent = z.output<typeof operation>;

const outcome = z.object({
  status: z.int().min(200).max(599).describe('The status of this operation.'),
  location: z.string().optional(),
  etag: z.string().optional(),
  body: z.unknown().optional().describe('The response, or the problem (RFC 9457). Absent: it has none.'),
});
type Outcome = z.output<typeof outcome>;

export const batches = resource(PATH, 'the batches', {}, (method) => ({
  POST: method({
    summary: `Carries out up to ${MAX_OPERATIONS} operations, one after the other. Each has its own outcome: one that is refused stops none of the others. The time is bounded: the operations that the server did not begin have the problem \`not_attempted\`.`,
    query: z.strictObject({
      dry_run: z
        .enum(['true', 'false'])
        .optional()
        .describe('`true`: every operation is a dry run, by itself. None sees the changes of another.'),
    }),
    body: z.strictObject({ operations: z.array(operation).min(1).max(MAX_OPERATIONS) }),
    example: {
      operations: [{ method: 'POST', path: '/users', body: { username: 'ada', claims: { name: 'Ada Lovelace' } } }],
    },
    answer: z
      .object({ outcomes: z.array(outcome).describe('In the order of the operations.') })
      .meta({ id: 'BatchOutcomes' }),
    secret: true,
    run: async ({ issuer }, { query: { dry_run: dry }, body: { operations }, send }) => {
      const endsAt = performance.now() + deadlines.batchMilliseconds;
      const outcomes: Outcome[] = [];
      for (const one of operations) {
        const isLate = performance.now() > endsAt;
        outcomes.push(
          isLate ? problemOutcome(issuer, NOT_ATTEMPTED) : await outcomeOf(issuer, send, one, dry === 'true'),
        );
      }
      return found({ outcomes });
    },
  }),
}));

async function outcomeOf(issuer: string, send: Send, sent: Sent, isDry: boolean): Promise<Outcome> {
  const { method, path, body, if_match: ifMatch, if_none_match: ifNoneMatch, idempotency_key: key } = sent;
  if (path.split(/[/?]/)[1] === PATH.slice(1)) return problemOutcome(issuer, NO_RESOURCE);
  const received = await send({
    method,
    path: isDry ? `${path}${path.includes('?') ? '&' : '?'}dry_run=true` : path,
    headers: {
      ...(body !== undefined && {
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (received === null) return problemOutcome(issuer, NO_RESOURCE);
  const { status, header, text } = received;
  const [location, etag] = [header('location'), header('etag')];
  return {
    status,
    ...(location !== null && { location }),
    ...(etag !== null && { etag }),
    ...(text !== '' && { body: JSON.parse(text) as unknown }),
  };
}

function problemOutcome(issuer: string, refusal: Problem): Outcome {
  const document = problemDocument(issuer, refusal);
  return { status: document.status, body: document };
}

const NO_RESOURCE = problem('not_found', 'The path leads to no resource of the API, or to the batches themselves.');
const NOT_ATTEMPTED = problem('not_attempted', 'The time of the batch had ended. Nothing was changed. Send it again.');

/** Which problems an operation can answer with: those of its conventions, and those that it names itself. */
import { type Method, scopesOf } from '../operations.ts';
import { PROBLEMS, type ProblemReason } from '../problem.ts';
import type { ManagementResource, Operation } from '../resource.ts';

type Convention = {
  readonly holds: (method: Method, operation: Operation, resource: ManagementResource) => boolean;
  readonly reasons: readonly ProblemReason[];
};

const CONVENTIONS: readonly Convention[] = [
  {
    holds: () => true,
    reasons: [
      'invalid_request',
      'invalid_parameter',
      'no_credentials',
      'invalid_token',
      'not_acceptable',
      'too_many_requests',
      'server_error',
      'temporarily_unavailable',
    ],
  },
  { holds: (method, _, { path }) => scopesOf(path, method).length > 0, reasons: ['insufficient_scope'] },
  { holds: (_, __, { path }) => path.includes('{'), reasons: ['not_found'] },
  {
    holds: (method) => method !== 'GET',
    reasons: ['request_timeout', 'content_too_large', 'unsupported_media_type', 'commit_unknown'],
  },
  { holds: (_, { body }) => body !== undefined, reasons: ['malformed_json', 'invalid_fields'] },
  { holds: (_, { creates }) => creates === true, reasons: ['invalid_idempotency_key', 'idempotency_key_reused'] },
  { holds: (_, { ifMatch }) => ifMatch !== undefined, reasons: ['changed_meanwhile'] },
  {
    holds: (_, { ifMatch }) => ifMatch === 'required' || ifMatch === 'whenChanging',
    reasons: ['precondition_required'],
  },
];

/** By status, in its order. */
export function problemsOf(
  method: Method,
  operation: Operation,
  resource: ManagementResource,
): ReadonlyMap<number, readonly ProblemReason[]> {
  const conventional = CONVENTIONS.filter(({ holds }) => holds(method, operation, resource));
  const reasons = new Set([...conventional.flatMap(({ reasons: of }) => of), ...(operation.rejects ?? [])]);
  // In the order of the table, so that the same problems are written alike everywhere.
  const inOrder = (Object.keys(PROBLEMS) as ProblemReason[]).filter((reason) => reasons.has(reason));
  return Map.groupBy(inOrder, (reason) => PROBLEMS[reason].status);
}

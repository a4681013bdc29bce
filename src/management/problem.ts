/** Problem details (RFC 9457): a table of reasons, each with a stable `type` that is also the address of a page about it. */
import type { FastifyReply } from 'fastify';
import { describeRecordProblem, type RecordProblem } from '../config/problem.ts';
import { urlUnder } from '../oauth/urls.ts';

type Reason = { readonly status: number; readonly title: string };

/** What is wrong with a request, or why it cannot be served. The names never change: programs compare them. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request cannot be read' },
  invalid_parameter: { status: 400, title: 'A parameter of the query is not as expected' },
  malformed_json: { status: 400, title: 'The body is not JSON' },
  invalid_idempotency_key: { status: 400, title: 'The Idempotency-Key is not as expected' },
  no_credentials: { status: 401, title: 'An access token is needed' },
  invalid_token: { status: 401, title: 'The access token is not valid here' },
  insufficient_scope: { status: 403, title: 'The access token, or the role of today, lacks a scope' },
  not_found: { status: 404, title: 'There is nothing under this address' },
  method_not_allowed: { status: 405, title: 'This resource does not have that method' },
  not_acceptable: { status: 406, title: 'There is no representation of the type that was asked for' },
  request_timeout: { status: 408, title: 'The body did not arrive in time' },
  already_exists: { status: 409, title: 'There is such a resource already' },
  client_is_declared: { status: 409, title: 'The client is declared in clients.yaml' },
  client_is_own: { status: 409, title: 'The client belongs to the server itself' },
  client_is_public: { status: 409, title: 'A public client has no secret' },
  too_many_secrets: { status: 409, title: 'The client has two live secrets' },
  last_secret: { status: 409, title: 'The client would be left without a secret' },
  sign_up_off: { status: 409, title: 'The policy lets nobody make an account by invitation' },
  mails_off: { status: 409, title: 'This server sends no mails' },
  username_taken: { status: 409, title: 'Another end-user has this username' },
  sign_in_ended: { status: 409, title: 'The sign-in cannot be answered any more' },
  end_user_ended: { status: 409, title: 'The end-user may not sign in' },
  end_user_unknown: { status: 409, title: 'There is no such end-user' },
  changed_meanwhile: { status: 412, title: 'The resource is not as the request expects' },
  content_too_large: { status: 413, title: 'The body is too long' },
  unsupported_media_type: { status: 415, title: 'The body has another media type than this method takes' },
  invalid_fields: { status: 422, title: 'Fields of the body are not as expected' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request' },
  precondition_required: { status: 428, title: 'If-Match is needed' },
  server_error: { status: 500, title: 'The server failed' },
  temporarily_unavailable: { status: 503, title: 'Not available right now' },
  commit_unknown: { status: 503, title: 'It is not known whether the change was made' },
} as const satisfies Readonly<Record<string, Reason>>;

export type ProblemReason = keyof typeof PROBLEMS;

/** `field`: dotted, as in `redirect_uris.0`; null: the body as a whole. */
export type FieldProblem = { readonly field: string | null; readonly detail: string };

export type Problem = {
  readonly kind: 'problem';
  readonly reason: ProblemReason;
  /** What to do, for people. */
  readonly detail: string;
  readonly errors: readonly FieldProblem[];
};

export const problem = (reason: ProblemReason, detail: string, errors: readonly FieldProblem[] = []): Problem => ({
  kind: 'problem',
  reason,
  detail,
  errors,
});

/** @param where `fields` of the body, or `parameters` of the query. */
export const fieldProblems = (reason: ProblemReason, problems: readonly RecordProblem[]): Problem =>
  problem(
    reason,
    'Nothing was changed. See "errors".',
    problems.map(({ key, ...rest }) => ({ field: key, detail: describeRecordProblem({ key: null, ...rest }) })),
  );

export const notFound = (what: string): Problem => problem('not_found', `There is no such ${what}.`);

export const PROBLEM_TYPE = 'application/problem+json';

/** The addresses of the problems' pages are under the API's own. */
export const problemType = (issuer: string, reason: ProblemReason): string =>
  urlUnder(issuer, `/management/v1/problems/${reason}`);

export function sendProblem(reply: FastifyReply, issuer: string, { reason, detail, errors }: Problem): FastifyReply {
  const { status, title } = PROBLEMS[reason];
  const document = { type: problemType(issuer, reason), title, status, detail, ...(errors.length > 0 && { errors }) };
  return reply.code(status).header('cache-control', 'no-store').type(PROBLEM_TYPE).send(JSON.stringify(document));
}

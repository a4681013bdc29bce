/** Problem details (RFC 9457): a table of reasons, each with a stable `type` that is also the address of a page about it. */
import type { FastifyReply } from 'fastify';
import { describeRecordProblem, type RecordProblem } from '../config/problem.ts';
import { urlUnder } from '../oauth/urls.ts';

type Reason = { readonly status: number; readonly title: string };

/** The problems of a request, and the reasons why the server cannot serve it. The names never change: programs compare them. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request cannot be read' },
  invalid_parameter: { status: 400, title: 'Invalid query parameter' },
  malformed_json: { status: 400, title: 'The body is not JSON' },
  invalid_idempotency_key: { status: 400, title: 'Invalid Idempotency-Key' },
  no_credentials: { status: 401, title: 'The request needs an access token' },
  invalid_token: { status: 401, title: 'The access token is not valid here' },
  insufficient_scope: { status: 403, title: 'The access token or the current role lacks a scope' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'This resource does not have that method' },
  not_acceptable: { status: 406, title: 'No representation of the requested media type' },
  request_timeout: { status: 408, title: 'The body did not arrive in time' },
  already_exists: { status: 409, title: 'The resource exists' },
  client_is_declared: { status: 409, title: 'The client is declared in clients.yaml' },
  client_is_own: { status: 409, title: 'The client belongs to the server itself' },
  client_is_public: { status: 409, title: 'The client has no secret' },
  too_many_secrets: { status: 409, title: 'The client has two active secrets' },
  secret_in_use: { status: 409, title: 'A file in force needs the secret' },
  secret_of_process: { status: 409, title: 'The variable belongs to the process' },
  too_many_values: { status: 409, title: 'Too many secrets are set' },
  last_secret: { status: 409, title: 'The client needs at least one secret' },
  sign_up_off: { status: 409, title: 'The policy does not allow invitations' },
  mails_off: { status: 409, title: 'This server sends no mails' },
  no_verified_address: { status: 409, title: 'The caller has no verified e-mail address' },
  no_email_address: { status: 409, title: 'The end-user has no e-mail address' },
  username_taken: { status: 409, title: 'Another end-user has this username' },
  address_taken: { status: 409, title: 'Another end-user signs in by this address' },
  sign_in_ended: { status: 409, title: 'The sign-in has an answer or has expired' },
  end_user_ended: { status: 409, title: 'The end-user may not sign in' },
  end_user_unknown: { status: 409, title: 'The end-user does not exist' },
  changed_meanwhile: { status: 412, title: 'The resource does not meet the precondition' },
  content_too_large: { status: 413, title: 'The body is too long' },
  unsupported_media_type: { status: 415, title: 'The method does not accept the media type of the body' },
  invalid_fields: { status: 422, title: 'Invalid fields in the body' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request' },
  precondition_required: { status: 428, title: 'The request needs If-Match' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  server_error: { status: 500, title: 'The server failed' },
  temporarily_unavailable: { status: 503, title: 'Temporarily unavailable' },
  not_attempted: { status: 503, title: 'The server did not begin the operation' },
  commit_unknown: { status: 503, title: 'The result of the change is unknown' },
} as const satisfies Readonly<Record<string, Reason>>;

export type ProblemReason = keyof typeof PROBLEMS;

/** `field`: dotted, as in `redirect_uris.0`; null: the body as a whole. */
export type FieldProblem = { readonly field: string | null; readonly detail: string };

export type Problem = {
  readonly kind: 'problem';
  readonly reason: ProblemReason;
  /** The remedy, for people. */
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

export const refusedFields = (errors: readonly FieldProblem[]): Problem =>
  problem('invalid_fields', 'Nothing was changed. See "errors".', errors);

export const refusedField = (field: string, detail: string): Problem => refusedFields([{ field, detail }]);

export const notFound = (what: string): Problem => problem('not_found', `The ${what} was not found.`);

export const PROBLEM_TYPE = 'application/problem+json';

/** The addresses of the problems' pages are under the API's own. */
export const problemType = (issuer: string, reason: ProblemReason): string =>
  urlUnder(issuer, `/management/v1/problems/${reason}`);

/** The members of RFC 9457. */
export function problemDocument(issuer: string, { reason, detail, errors }: Problem) {
  const { status, title } = PROBLEMS[reason];
  return { type: problemType(issuer, reason), title, status, detail, ...(errors.length > 0 && { errors }) };
}

export function sendProblem(reply: FastifyReply, issuer: string, refusal: Problem): FastifyReply {
  const document = problemDocument(issuer, refusal);
  return reply
    .code(document.status)
    .header('cache-control', 'no-store')
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(document));
}

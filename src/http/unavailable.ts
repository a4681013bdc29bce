import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailable, Unavailable, type UnavailableReason } from '../engine/errors.ts';
import { setLogLine } from './request-log.ts';

const WORDS: Readonly<Record<UnavailableReason, string>> = {
  store_unavailable: 'The database of this server is not available. Nothing was changed. Try again.',
  too_many_conflicts: 'Too many concurrent requests for the same grant. This request changed nothing. Try again.',
  signing_unavailable: 'This server cannot sign at the moment. Nothing was changed. Try again.',
  commit_unknown:
    'The server lost the connection to its database, and does not know whether the token was used. Do not repeat this request. If the next one fails, ask the end-user to sign in again.',
};

/** For repeatable requests, an unknown commit does no harm. */
const ASK_AGAIN = 'The database of this server is not available. Repeating this request is safe, whatever its result.';

export const isUnavailable = (error: unknown): error is Unavailable | StoreUnavailable =>
  error instanceof Unavailable || error instanceof StoreUnavailable;

/**
 * 503. With `Retry-After` when a retry is safe. Without it when the commit is unknown: a client that retries a
 * committed rotation presents a used token.
 *
 * @param mayBeRepeated a retry is safe in any case, as for a revocation (RFC 7009 §2.2.1).
 */
export function sendUnavailable(
  request: FastifyRequest,
  reply: FastifyReply,
  error: Unavailable | StoreUnavailable,
  mayBeRepeated = false,
): FastifyReply {
  const reason = setUnavailableLine(request, error);
  if (mayBeRepeated || reason !== 'commit_unknown') reply.header('retry-after', '1');
  return reply
    .code(503)
    .header('cache-control', 'no-store')
    .send({
      error: 'temporarily_unavailable',
      error_description: mayBeRepeated ? ASK_AGAIN : WORDS[reason],
    });
}

/** The reason of the request, with the code of the failure (an SQLSTATE, or the driver's own). */
export function setUnavailableLine(
  request: FastifyRequest,
  error: Unavailable | StoreUnavailable,
): Unavailable['reason'] {
  const reason = error instanceof Unavailable ? error.reason : 'store_unavailable';
  const failure = storeFailureOf(error);
  setLogLine(request, 'unavailable', { reason, code: failure?.code ?? undefined, err: error }, 'error');
  if (failure?.isUnexpected) reportOnce(request, failure);
  return reason;
}

function storeFailureOf(error: unknown): StoreUnavailable | null {
  if (error instanceof StoreUnavailable) return error;
  return error instanceof Error ? storeFailureOf(error.cause) : null;
}

/** The codes that each server has reported. */
const reported = new WeakMap<object, Set<string>>();

/** Every failed request has its line. An unforeseen code gets one more line, once, for operators to find. */
function reportOnce(request: FastifyRequest, failure: StoreUnavailable): void {
  const codes = reported.get(request.server.server) ?? new Set();
  reported.set(request.server.server, codes);
  const code = failure.code ?? 'none';
  if (codes.has(code)) return;
  codes.add(code);
  request.log.error({ code, err: failure }, 'unexpected failure of the database');
}

/** Errors that no route handles: pages for users, JSON for programs. Neither contains a stack or a value. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { boundHeaders, HeaderTooLong } from './bounds.ts';
import { apiAskedBy, type RefusingApi } from './early-refusal.ts';
import { sendProblem } from './problem.ts';
import { setLogLine } from './request-log.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { isUnavailable, sendUnavailable, setUnavailableLine } from './unavailable.ts';

export const errorHandler = fp(
  async (app) => {
    app.setErrorHandler(handleError);
    app.setNotFoundHandler((request, reply) => {
      setLogLine(request, 'refused', { reason: 'no_such_route' });
      return wantsPage(request)
        ? sendProblem(request, reply, 404, ({ problems }) => problems.notFound)
        : send(reply, 404, 'not_found');
    });
  },
  { name: 'error-handler' },
);

function handleError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  if (isUnavailable(error)) {
    if (!wantsPage(request)) return sendUnavailable(request, reply, error);
    if (setUnavailableLine(request, error) === 'commit_unknown')
      return sendProblem(request, reply, 503, ({ problems }) => problems.commitUnknown);
    return sendProblem(request, reply.header('retry-after', '1'), 503, ({ problems }) => problems.unavailable);
  }
  if (error instanceof HeaderTooLong) {
    const { code: reason, statusCode, header, length, most } = error;
    setLogLine(request, 'refused', { reason, header, length, most });
    if (!wantsPage(request)) return send(reply, statusCode, 'invalid_request');
    return sendProblem(request, reply, statusCode, ({ problems }) =>
      header === 'cookie' ? problems.tooManyCookies : problems.unreadable,
    );
  }
  const status =
    error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500;
  setLogLine(
    request,
    status === 500 ? 'failed' : 'refused',
    { err: error, reason: error.code },
    status === 500 ? 'error' : 'info',
  );
  if (wantsPage(request))
    return sendProblem(request, reply, status, ({ problems }) =>
      status === 500 ? problems.failed : problems.unreadable,
    );
  return send(reply, status, status === 500 ? 'server_error' : 'invalid_request');
}

/** An undecodable URL reaches no route and no hook, so this function sets the headers and the log line. */
export const frameworkErrors =
  (api?: RefusingApi) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    request.log.info({ method: request.method, status: 400, reason: error.code }, 'refused');
    boundHeaders(request);
    reply.headers(SECURITY_HEADERS);
    const asked = apiAskedBy(request, api);
    if (asked !== null) asked.refuse(reply, 'undecodable');
    else if (wantsPage(request)) void sendProblem(request, reply, 400, ({ problems }) => problems.unreadable);
    else send(reply, 400, 'invalid_request');
  };

const wantsPage = (request: FastifyRequest) => /text\/html/.test(request.headers.accept ?? '');

const send = (reply: FastifyReply, status: number, error: string) =>
  reply.code(status).header('cache-control', 'no-store').send({ error });

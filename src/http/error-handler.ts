/** Errors that no route handles: pages for people, JSON for programs, and never a stack or a value in either. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { setLogLine } from './request-log.ts';
import { SECURITY_HEADERS, sendPage } from './security-headers.ts';
import { isUnavailable, sendUnavailable, setUnavailableLine } from './unavailable.ts';
import { problemPage } from './views/problem.ts';

export const errorHandler = fp(
  async (app) => {
    app.setErrorHandler(handleError);
    app.setNotFoundHandler((request, reply) => {
      setLogLine(request, 'refused', { reason: 'no_such_route' });
      return wantsPage(request) ? sendPage(reply, 404, problemPage(NOT_FOUND)) : send(reply, 404, 'not_found');
    });
  },
  { name: 'error-handler' },
);

function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isUnavailable(error)) {
    if (!wantsPage(request)) return sendUnavailable(request, reply, error);
    if (setUnavailableLine(request, error) === 'commit_unknown')
      return sendPage(reply, 503, problemPage(COMMIT_UNKNOWN));
    return sendPage(reply.header('retry-after', '1'), 503, problemPage(UNAVAILABLE));
  }
  const status =
    error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500;
  setLogLine(
    request,
    status === 500 ? 'failed' : 'refused',
    { err: error, reason: error.code },
    status === 500 ? 'error' : 'info',
  );
  if (wantsPage(request)) return sendPage(reply, status, problemPage(status === 500 ? FAILED : REFUSED));
  return send(reply, status, status === 500 ? 'server_error' : 'invalid_request');
}

/** A URL that cannot be decoded reaches no route and no hook, so headers and log line are set here. */
export function handleFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  request.log.info({ method: request.method, status: 400, reason: error.code }, 'refused');
  reply.headers(SECURITY_HEADERS);
  if (wantsPage(request)) sendPage(reply, 400, problemPage(REFUSED));
  else send(reply, 400, 'invalid_request');
}

const wantsPage = (request: FastifyRequest) => /text\/html/.test(request.headers.accept ?? '');

const send = (reply: FastifyReply, status: number, error: string) =>
  reply.code(status).header('cache-control', 'no-store').send({ error });

const UNAVAILABLE = {
  title: 'Not available right now',
  what: 'The database of this server is not available, so nothing was changed.',
  next: 'Wait a moment, then reload this page.',
};
const COMMIT_UNKNOWN = {
  title: 'Not sure whether that worked',
  what: 'The server lost its database while it answered, so it cannot know whether your change was made.',
  next: 'Wait a moment, then open the page again and look.',
};
const FAILED = {
  title: 'Something went wrong here',
  what: 'The server failed to answer. The operator finds the reason in the log.',
  next: 'Go back to the app and try again.',
};
const REFUSED = {
  title: 'This request cannot be read',
  what: 'What the browser sent is not what this page expects.',
  next: 'Go back to the app and start again.',
};
const NOT_FOUND = {
  title: 'There is nothing here',
  what: 'This server has no page under this address.',
  next: 'Check the address, or go back to the app that sent you.',
};

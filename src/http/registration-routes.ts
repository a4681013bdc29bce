/** POST /oauth/register (RFC 7591) and the client configuration endpoint (RFC 7592): HTTP around src/protocol/client-registration.ts. */
import type { FastifyError, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { errorDescription } from '../oauth/errors.ts';
import { jsonIn } from '../oauth/sent-text.ts';
import {
  type ClientRegistrationDeps,
  changeSelf,
  deleteSelf,
  type RegistrationOutcome,
  registerSelf,
  showSelf,
} from '../protocol/client-registration.ts';
import type { RegistrationRefused, RegistrationSender } from '../protocol/registration-admission.ts';
import { addressKey } from './address-key.ts';
import { crossOrigin } from './cross-origin.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { setLogLine } from './request-log.ts';
import { isUnavailable, sendUnavailable } from './unavailable.ts';

export type RegistrationRoutesOptions = { readonly clientRegistration: ClientRegistrationDeps };

const REGISTER = '/oauth/register';
const REGISTERED = `${REGISTER}/:clientId`;

type Params = { readonly clientId: string };

export const registrationRoutes = fp<RegistrationRoutesOptions>(
  async (app, { clientRegistration: deps }) => {
    app.removeAllContentTypeParsers();
    // As text, so that malformed JSON gets the answer of this endpoint.
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    // A client that no operator registered has no known origin, and no cookie of this server applies here.
    const anyOrigin = { isBrowserOrigin: async () => true };
    const onRequest = crossOrigin(anyOrigin, ['POST']);
    app.post(REGISTER, { onRequest, errorHandler: errorHandler(false) }, async (request, reply) => {
      const sent = jsonIn(textOf(request));
      if (sent === undefined) return refuse(request, reply, NOT_JSON);
      return send(request, reply, await registerSelf(deps, senderOf(request), sent));
    });
    refuseOthers(REGISTER, ['POST'], onRequest);

    const methods = ['GET', 'PUT', 'DELETE'] as const;
    const onManagement = crossOrigin(anyOrigin, methods);
    const options = { onRequest: onManagement, errorHandler: errorHandler(true) };
    app.get<{ Params: Params }>(REGISTERED, options, async (request, reply) =>
      send(request, reply, await showSelf(deps, senderOf(request), request.params.clientId)),
    );
    app.put<{ Params: Params }>(REGISTERED, options, async (request, reply) => {
      const sent = jsonIn(textOf(request));
      if (sent === undefined) return refuse(request, reply, NOT_JSON);
      return send(request, reply, await changeSelf(deps, senderOf(request), request.params.clientId, sent));
    });
    app.delete<{ Params: Params }>(REGISTERED, options, async (request, reply) =>
      send(request, reply, await deleteSelf(deps, senderOf(request), request.params.clientId)),
    );
    refuseOthers(REGISTERED, methods, onManagement);

    function refuseOthers(
      url: string,
      allowed: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[],
      before: onRequestHookHandler,
    ): void {
      const use = { error: 'invalid_request', error_description: `Use ${allowed.join(', ')}.` };
      refuseOtherMethods(app, url, allowed, (reply) => noCache(reply).code(405).send(use), before);
    }
  },
  { name: 'registration-routes', encapsulate: true },
);

const senderOf = (request: FastifyRequest): RegistrationSender => ({
  authorization: request.headers.authorization,
  address: () => addressKey(request.ip, request.socket.remoteAddress ?? ''),
});

const textOf = ({ body }: FastifyRequest): string => (typeof body === 'string' ? body : '');

const malformed = (reason: string, description: string): RegistrationRefused => ({
  kind: 'refused',
  status: 400,
  error: 'invalid_client_metadata',
  reason,
  description,
});
const NOT_JSON = malformed('malformed_body', 'The body is not JSON.');

const REFUSED_BODIES: Readonly<Record<string, RegistrationRefused>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: malformed('content_type', 'Send application/json.'),
  FST_ERR_CTP_BODY_TOO_LARGE: malformed('body_too_large', 'The body is too large.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: NOT_JSON,
  FST_ERR_CTP_EMPTY_JSON_BODY: NOT_JSON,
  BODY_LATE: malformed('body_too_late', 'The body did not arrive in time.'),
};

/** @param mayBeRepeated a registration that is repeated registers a second client. */
const errorHandler =
  (mayBeRepeated: boolean) => (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    if (isUnavailable(error)) return sendUnavailable(request, reply, error, mayBeRepeated);
    const refused = REFUSED_BODIES[error.code];
    if (refused === undefined) throw error;
    return refuse(request, reply, refused);
  };

async function send(request: FastifyRequest, reply: FastifyReply, outcome: RegistrationOutcome): Promise<FastifyReply> {
  switch (outcome.kind) {
    case 'off':
      reply.callNotFound();
      return reply;
    case 'refused':
      return refuse(request, reply, outcome);
    case 'deleted':
      setLogLine(request, 'deleted', { clientId: outcome.clientId });
      return noCache(reply).code(204).send();
    case 'registered':
    case 'shown': {
      const { kind, clientId, by = null, body } = outcome;
      setLogLine(request, kind, { clientId, ...(by !== null && { initialAccessToken: by }) });
      return noCache(reply)
        .code(kind === 'registered' ? 201 : 200)
        .send(body);
    }
  }
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, error, reason, description, retryAfterSeconds }: RegistrationRefused,
): FastifyReply {
  setLogLine(request, 'refused', { reason });
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  // RFC 6750 §3.
  if (status === 401) reply.header('www-authenticate', 'Bearer error="invalid_token"');
  return noCache(reply)
    .code(status)
    .send({ error, error_description: errorDescription(description) });
}

/** RFC 7591 §3.2.1: "Cache-Control: no-store", as in its examples. */
const noCache = (reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');

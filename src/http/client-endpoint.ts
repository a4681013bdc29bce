/**
 * What the endpoints share that clients ask directly (token, revocation, introspection): a form by POST, errors as RFC 6749
 * §5.2 has them, 503 when the database is away, and nothing kept in a cache.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { errorDescription } from '../oauth/errors.ts';
import { REFUSALS, type TokenReason } from '../oauth/refusals.ts';
import type { Refused } from '../protocol/grant-type.ts';
import { bodyOf } from './form-body.ts';
import { refusedOtherMethods } from './other-methods.ts';
import { tell } from './request-log.ts';
import { isUnavailable, sendUnavailable } from './unavailable.ts';

export type ClientEndpoint = {
  readonly url: string;
  /** Asking again does no harm, whatever came of the first time. */
  readonly mayBeRepeated: boolean;
  /** src/http/cross-origin.ts; absent: no script in a browser asks here. */
  readonly crossOrigin?: onRequestHookHandler;
};

export type EndpointAnswer =
  | { readonly kind: 'answered'; readonly body: object }
  /** `facts`: for the log. */
  | { readonly kind: 'refused'; readonly refused: Refused; readonly facts: object };

/** @param answerForm gets the raw body; it tells the log what it did, unless it refuses. */
export function clientEndpoint(
  app: FastifyInstance,
  { url, mayBeRepeated, crossOrigin }: ClientEndpoint,
  answerForm: (request: FastifyRequest, form: string) => Promise<EndpointAnswer>,
): void {
  app.post(
    url,
    {
      ...(crossOrigin && { onRequest: crossOrigin }),
      errorHandler: (error: FastifyError, request, reply) => {
        if (isUnavailable(error)) return sendUnavailable(request, reply, error, mayBeRepeated);
        const reason = REASON_OF_FASTIFY_ERROR[error.code];
        if (reason === undefined) throw error;
        return refuseRequest(request, reply, { kind: 'refused', reason }, {});
      },
    },
    async (request, reply) => {
      if (request.body === undefined) {
        return refuseRequest(request, reply, { kind: 'refused', reason: 'content_type' }, {});
      }
      const answered = await answerForm(request, bodyOf(request.body));
      if (answered.kind === 'refused') return refuseRequest(request, reply, answered.refused, answered.facts);
      return answer(reply, 200, answered.body);
    },
  );
  refusedOtherMethods(
    app,
    url,
    ['POST'],
    (reply) => answer(reply, 405, { error: 'invalid_request', error_description: 'Use POST.' }),
    crossOrigin,
  );
}

const REASON_OF_FASTIFY_ERROR: Readonly<Record<string, TokenReason | undefined>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'content_type',
  FST_ERR_CTP_EMPTY_TYPE: 'content_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_body',
};

/** Reasons that mean: a credential leaked, or the store lost what it had acknowledged. */
const ALARMS: ReadonlySet<TokenReason> = new Set([
  'authorization_code_reused',
  'refresh_token_reused',
  'chain_behind_token',
]);

function refuseRequest(request: FastifyRequest, reply: FastifyReply, refused: Refused, facts: object): FastifyReply {
  const { reason, parameter, revoked } = refused;
  const refusal = REFUSALS[reason];
  const level = reason === 'chain_behind_token' ? 'error' : ALARMS.has(reason) ? 'warn' : 'info';
  tell(request, 'refused', { ...facts, reason, parameter, revoked, alarm: ALARMS.has(reason) || undefined }, level);
  if (refusal.status === 401) {
    // RFC 6749 §5.2: with the Authorization header used, the response MUST be 401 with WWW-Authenticate; RFC 9110 §15.5.2
    // wants the header with every 401.
    reply.header('www-authenticate', 'Basic realm="token", charset="UTF-8"');
  }
  const description = parameter === undefined ? refusal.description : `${parameter}: ${refusal.description}`;
  return answer(reply, refusal.status, { error: refusal.error, error_description: errorDescription(description) });
}

/** RFC 6749 §5.1: the response MUST have Cache-Control: no-store. */
const answer = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').header('pragma', 'no-cache').send(body);

/**
 * The part that the endpoints for direct calls of clients (token, revocation, introspection, pushed authorization requests) share: a form by POST,
 * errors as in RFC 6749 §5.2, 503 when the database is unavailable, no caching.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { type AuthorizationErrorCode, errorDescription } from '../oauth/errors.ts';
import { REFUSALS, type TokenReason } from '../oauth/refusals.ts';
import type { ClientSender } from '../protocol/client-authentication.ts';
import type { Refused } from '../protocol/grant-type.ts';
import { addressKey } from './address-key.ts';
import type { certificatesOf } from './client-certificate.ts';
import { bodyOf } from './form-body.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { presenterOf } from './presenter.ts';
import { setLogLine } from './request-log.ts';
import { isUnavailable, sendUnavailable } from './unavailable.ts';

export type ClientEndpoint = {
  readonly url: string;
  /** Repeating a request is safe, whatever the result of the first. */
  readonly mayBeRepeated: boolean;
  /** src/http/cross-origin.ts. Absent: no script in a browser calls this endpoint. */
  readonly crossOrigin?: onRequestHookHandler;
  /** Absent: the server takes no TLS client certificates. */
  readonly certificateOf?: ReturnType<typeof certificatesOf>;
};

/** `facts`: for the log. `dpopNonce`: RFC 9449 §8. */
export type ClientEndpointOutcome = { readonly facts: object; readonly dpopNonce?: string } & (
  | {
      readonly kind: 'done';
      /** Absent: 200. */
      readonly status?: 201;
      readonly body: object;
      readonly message: string;
    }
  /** An error of the authorization endpoint (RFC 9126 §2.3). */
  | { readonly kind: 'invalid'; readonly error: AuthorizationErrorCode; readonly description: string }
  | { readonly kind: 'refused'; readonly refused: Refused }
);

/** @param handle receives the sender of the request, and the raw body. */
export function clientEndpoint(
  app: FastifyInstance,
  { url, mayBeRepeated, crossOrigin, certificateOf }: ClientEndpoint,
  handle: (sender: ClientSender, form: string) => Promise<ClientEndpointOutcome>,
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
      const sender = {
        authorization: request.headers.authorization,
        dpop: request.headers['dpop'] as string | undefined,
        certificate: certificateOf?.(request),
        address: () => addressKey(request.ip, request.socket.remoteAddress ?? ''),
        presenter: () => presenterOf(request),
      };
      const outcome = await handle(sender, bodyOf(request.body));
      if (outcome.dpopNonce !== undefined) reply.header('dpop-nonce', outcome.dpopNonce);
      if (outcome.kind === 'refused') return refuseRequest(request, reply, outcome.refused, outcome.facts);
      if (outcome.kind === 'invalid') {
        setLogLine(request, 'refused', outcome.facts);
        return sendJson(reply, 400, { error: outcome.error, error_description: errorDescription(outcome.description) });
      }
      setLogLine(request, outcome.message, outcome.facts);
      return sendJson(reply, outcome.status ?? 200, outcome.body);
    },
  );
  refuseOtherMethods(
    app,
    url,
    ['POST'],
    (reply) => sendJson(reply, 405, { error: 'invalid_request', error_description: 'Use POST.' }),
    crossOrigin,
  );
}

const REASON_OF_FASTIFY_ERROR: Readonly<Record<string, TokenReason | undefined>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'content_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_body',
  BODY_LATE: 'body_too_late',
};

/** A credential leaked, or the store lost an acknowledged commit. */
const ALARMS: ReadonlySet<TokenReason> = new Set([
  'authorization_code_reused',
  'refresh_token_reused',
  'chain_behind_token',
]);

function refuseRequest(request: FastifyRequest, reply: FastifyReply, refused: Refused, facts: object): FastifyReply {
  const { reason, parameter, scope, revoked, retryAfterSeconds, claimedClientId } = refused;
  const refusal = REFUSALS[reason];
  const level = reason === 'chain_behind_token' ? 'error' : ALARMS.has(reason) ? 'warn' : 'info';
  setLogLine(
    request,
    'refused',
    {
      ...facts,
      ...(ALARMS.has(reason) && presenterOf(request)),
      reason,
      parameter,
      scope,
      revoked,
      claimedClientId,
      ...((reason === 'client_throttled' || refusal.status === 401) && { address: request.ip }),
      alarm: ALARMS.has(reason) || undefined,
    },
    level,
  );
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  if (refusal.status === 401) {
    // RFC 6749 §5.2: with the Authorization header used, the response MUST be 401 with WWW-Authenticate. RFC 9110
    // §15.5.2 requires the header with every 401.
    reply.header('www-authenticate', 'Basic realm="token", charset="UTF-8"');
  }
  const about = [parameter, scope].filter((one) => one !== undefined).join(' ');
  const description = about === '' ? refusal.description : `${about}: ${refusal.description}`;
  return sendJson(reply, refusal.status, { error: refusal.error, error_description: errorDescription(description) });
}

/** RFC 6749 §5.1: the response MUST have Cache-Control: no-store. */
const sendJson = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').header('pragma', 'no-cache').send(body);

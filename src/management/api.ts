/**
 * The management API: an API like any other (docs/resource-conventions.md), behind the guard that others install too. Its
 * resources are data; routes.ts serves them.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { DPOP_ALGORITHMS } from '../guard/dpop.ts';
import { fastifyGuard } from '../guard/fastify.ts';
import { type Refused, refused, type Unavailable } from '../guard/outcome.ts';
import { addressKey } from '../http/address-key.ts';
import { setLogLine } from '../http/request-log.ts';
import { isUnavailable, setUnavailableLine } from '../http/unavailable.ts';
import type { Actor } from '../model/actor.ts';
import { readBearer } from '../oauth/bearer.ts';
import { isFirstUse } from '../protocol/dpop.ts';
import type { GuardDeps } from './deps.ts';
import { otherMethods } from './other-methods.ts';
import { isPartlyStored } from './partly-stored.ts';
import { PROBLEMS, type ProblemReason, problem, sendProblem } from './problem.ts';
import { publicPages } from './public-pages.ts';
import { sendRefusal } from './refusal.ts';
import { countRequest, quotaFields, tooManyRequests } from './request-quota.ts';
import { operationRoutes } from './routes.ts';
import { SCOPES } from './scopes.ts';
import { accessOfSender } from './send.ts';
import { actorOf, type Me, whoCalls } from './who.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the management API. Null on other routes, and on routes that need no token. */
    me: Me | null;
    /** As the ledger names who calls; null where `me` is. */
    actor: Actor | null;
  }
}

/** To be registered below the path of the issuer, with the prefix of the API. */
export const managementApi: FastifyPluginAsync<GuardDeps> = async (app, deps) => {
  const { issuer, configuration, clock, certificateOf } = deps;
  const now = () => clock.fixedNow() ?? new Date();
  prepareApi(app, issuer);
  app.setErrorHandler((error: FastifyError, request, reply) => sendFailure(error, request, reply, issuer));
  await app.register(fastifyGuard, {
    issuer,
    resource: configuration().management.identifier,
    scopes: SCOPES,
    name: configuration().management.name,
    documentation: `${configuration().management.identifier}/reference`,
    serveMetadata: false,
    // They cost no network here, and a token of a key that signs immediately after a revocation must be valid.
    keys: { maxAgeSeconds: 1, cooldownSeconds: 0 },
    // `whoCalls` compares the end with the clock of the database. The clock of this node may differ.
    clockToleranceSeconds: 300,
    // All nodes share the used proofs.
    ...(certificateOf && {
      certificate: (request) => {
        const sent = certificateOf(request as FastifyRequest['raw'])();
        return sent === 'malformed' ? null : sent;
      },
    }),
    dpop: { isFirstUse: (proof) => isFirstUse(deps, proof, now()) },
    now,
    accessOf: accessOfSender,
    fetch: within(app),
    sendRefusal: (reply, outcome) => sendGuarded(reply, issuer, outcome),
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.access === null) return;
    const me = await whoCalls(deps, request.access, tokenOf(request));
    if (me === null) return refuse(reply, 'token_inactive');
    request.me = me;
    const standing = countRequest(deps, me);
    if (standing.isBeyond) {
      reply.header('retry-after', String(standing.resetSeconds));
      return sendRefusal(request, reply, issuer, tooManyRequests(deps, standing));
    }
    const { scopes: needed = [] } = request.routeOptions.config;
    const missing = needed.filter((scope) => !me.scopes.includes(scope));
    if (missing.length > 0) return refuse(reply, 'scope_missing', missing, needed);
    request.actor = actorOf(deps, me, addressKey(request.ip, request.socket.remoteAddress ?? ''));
  });
  quotaFields(app, deps);
  operationRoutes(app, deps);
  publicPages(app, issuer);

  function refuse(
    reply: FastifyReply,
    reason: 'token_inactive' | 'scope_missing',
    missing: readonly string[] = [],
    scopes: readonly string[] = [],
  ): FastifyReply {
    const isPresented = /^dpop /i.test(reply.request.headers.authorization ?? '');
    const dpop = { algorithms: DPOP_ALGORITHMS, isPresented };
    const outcome = refused(reason, { scopes, metadataUrl: app.guard.metadata.url, dpop }, missing);
    return sendGuarded(reply.code(outcome.status).headers(outcome.headers), issuer, outcome);
  }
};

/** The API without authentication. */
export function prepareApi(app: FastifyInstance, issuer: string): void {
  app.decorateRequest('me', null);
  app.decorateRequest('actor', null);
  jsonBodies(app);
  otherMethods(app, issuer);
  app.setNotFoundHandler((request, reply) =>
    sendRefusal(request, reply, issuer, problem('not_found', 'The API has no resource under this address.')),
  );
}

/** As text: src/management/sent.ts says what is wrong with it. */
function jsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, isUtf8(body) ? body.toString() : NOT_JSON),
  );
}

/** For what is not UTF-8 (RFC 8259 §8.1): decoded as it is, it would be stored with U+FFFD in it. */
const NOT_JSON = '\uFFFD';

/** The keys of this server, asked for as any API asks, without the network. */
const within =
  (app: FastifyInstance): typeof globalThis.fetch =>
  async (input) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const { statusCode, body, headers } = await app.inject({ url: `${pathname}${search}` });
    return new Response(body, { status: statusCode, headers: { 'content-type': String(headers['content-type']) } });
  };

/** The guard has let it in: one header, one token. */
function tokenOf({ headers }: FastifyRequest): string {
  const read = readBearer(headers.authorization, null);
  return read.kind === 'token' ? read.token : '';
}

const REASON_OF_ERROR = {
  invalid_request: 'invalid_request',
  invalid_token: 'invalid_token',
  invalid_dpop_proof: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
  // No address here asks for it.
  insufficient_user_authentication: 'invalid_token',
} as const satisfies Readonly<Record<string, ProblemReason>>;

function sendGuarded(reply: FastifyReply, issuer: string, outcome: Refused | Unavailable): FastifyReply {
  const { request } = reply;
  if (outcome.kind === 'unavailable') {
    setLogLine(request, 'unavailable', { reason: outcome.reason }, 'error');
    return sendProblem(reply, issuer, problem('temporarily_unavailable', UNAVAILABLE));
  }
  const { error, reason, missing, body } = outcome;
  setLogLine(request, 'refused', { reason });
  if (error === null) {
    return sendProblem(reply, issuer, problem('no_credentials', 'Send an access token: "Authorization: Bearer …".'));
  }
  const fields = missing.map((scope) => ({ field: 'scope', detail: `"${scope}" is missing.` }));
  return sendProblem(reply, issuer, problem(REASON_OF_ERROR[error], body['error_description'] ?? '', fields));
}

const PARTLY =
  'The server cannot answer at the moment. Some records may be stored. Send the same request again: it finds them unchanged.';
const UNAVAILABLE = 'The server cannot answer at the moment. Nothing was changed; try again.';

const REASON_OF_STATUS: Readonly<Record<number, ProblemReason>> = {
  400: 'invalid_request',
  404: 'not_found',
  408: 'request_timeout',
  413: 'content_too_large',
  415: 'unsupported_media_type',
  431: 'invalid_request',
};

export function sendFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  issuer: string,
): FastifyReply {
  if (isUnavailable(error)) {
    const reason = setUnavailableLine(request, error);
    if (reason === 'commit_unknown') return sendProblem(reply, issuer, problem('commit_unknown', COMMIT_UNKNOWN));
    return sendProblem(
      reply.header('retry-after', '1'),
      issuer,
      problem('temporarily_unavailable', isPartlyStored(error) ? PARTLY : UNAVAILABLE),
    );
  }
  const reason = REASON_OF_STATUS[error.statusCode ?? 500] ?? 'server_error';
  const isOurs = reason === 'server_error';
  setLogLine(request, isOurs ? 'failed' : 'refused', { err: error, reason: error.code }, isOurs ? 'error' : 'info');
  if (reason === 'unsupported_media_type') {
    const isPatch = request.method === 'PATCH';
    reply.header(isPatch ? 'accept-patch' : 'accept', isPatch ? 'application/merge-patch+json' : 'application/json');
  }
  return sendProblem(reply, issuer, problem(reason, WORDS[reason] ?? PROBLEMS[reason].title));
}

const COMMIT_UNKNOWN =
  'The server lost its database while it answered, and cannot know whether the change was made. Read the resource before you send the request again, or send it with the same Idempotency-Key.';

const WORDS: Partial<Record<ProblemReason, string>> = {
  request_timeout: 'The body did not arrive in time. Nothing was changed. Try again.',
  content_too_large: 'A body has at most 32 KB, one of a batch 1 MB. Nothing was changed.',
  unsupported_media_type: 'Send application/json; for PATCH, application/merge-patch+json. Nothing was changed.',
  server_error: 'The operator finds the reason in the log.',
};

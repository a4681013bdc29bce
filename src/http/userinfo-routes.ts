/** GET and POST /oauth/userinfo (OpenID Connect Core §5.3), a resource that this server itself guards. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readBearer } from '../oauth/bearer.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { resourceMetadataUrl } from '../oauth/urls.ts';
import { type UserInfoDeps, userInfo } from '../protocol/userinfo.ts';
import { crossOrigin } from './cross-origin.ts';
import type { HttpDeps } from './deps.ts';
import { bodyOf } from './form-body.ts';
import { refusedOtherMethods } from './other-methods.ts';
import { tell } from './request-log.ts';
import { noStore } from './security-headers.ts';

const METHODS = ['GET', 'POST'] as const;

export function userInfoRoutes(app: FastifyInstance, deps: UserInfoDeps & Pick<HttpDeps, 'browserOrigins'>): void {
  const onRequest = crossOrigin(deps, METHODS);
  app.route({
    method: [...METHODS],
    url: '/oauth/userinfo',
    onRequest,
    handler: (request, reply) => answer(deps, request, reply, bodyOf(request.body)),
  });
  refusedOtherMethods(
    app,
    '/oauth/userinfo',
    METHODS,
    (reply) => noStore(reply).code(405).send({ error: 'invalid_request', error_description: 'Use GET or POST.' }),
    onRequest,
  );
}

async function answer(
  deps: UserInfoDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  form: string,
): Promise<FastifyReply> {
  const { problem, parameters } = parseParameters(form, ['access_token']);
  const bearer = readBearer(request.headers.authorization, parameters.get('access_token'));
  if (problem || bearer.kind === 'malformed') return challenge(deps, request, reply, 'invalid_request', 'malformed');
  // RFC 6750 §3.1: to a request without a token SHOULD NOT be said what is wrong with it.
  if (bearer.kind === 'none') return challenge(deps, request, reply, null, 'access_token_missing');
  const info = await userInfo(deps, bearer.token);
  if (info.kind === 'refused') return challenge(deps, request, reply, info.error, info.reason);
  tell(request, 'answered', { grantId: info.grantId });
  return noStore(reply).send(info.claims);
}

const STATUS = { invalid_request: 400, invalid_token: 401, insufficient_scope: 403 } as const;

const WORDS: Readonly<Record<keyof typeof STATUS, string>> = {
  invalid_request: 'Send one access token, in the Authorization header or as access_token in the form body.',
  invalid_token: 'The access token is not valid: it is malformed, expired or revoked, or not an access token.',
  insufficient_scope: 'The access token is not for this endpoint: its scope must have openid.',
};

/** RFC 6750 §3, with the `resource_metadata` of RFC 9728 §5.1. Every part is a constant of this server: nothing to quote. */
function challenge(
  { issuer }: UserInfoDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  error: keyof typeof STATUS | null,
  reason: string,
): FastifyReply {
  tell(request, 'refused', { reason });
  const parts = [
    ...(error === null ? [] : [`error="${error}"`, `error_description="${WORDS[error]}"`]),
    ...(error === 'invalid_token' ? [] : ['scope="openid"']),
    `resource_metadata="${resourceMetadataUrl(issuer)}"`,
  ];
  noStore(reply)
    .code(error === null ? 401 : STATUS[error])
    .header('www-authenticate', `Bearer ${parts.join(', ')}`);
  return reply.send(error === null ? {} : { error, error_description: WORDS[error] });
}

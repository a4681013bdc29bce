/** GET and POST /oauth/userinfo (OpenID Connect Core §5.3), a resource that this server itself guards. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { readBearer } from '../oauth/bearer.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { resourceMetadataUrl } from '../oauth/urls.ts';
import type { SentCertificate } from '../protocol/client-certificate.ts';
import { DPOP_ALGORITHMS } from '../protocol/dpop.ts';
import { type UserInfoDeps, userInfo } from '../protocol/userinfo.ts';
import { type CertificateOptions, certificatesOf } from './client-certificate.ts';
import { type CrossOriginOptions, crossOrigin } from './cross-origin.ts';
import { bodyOf } from './form-body.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { setLogLine } from './request-log.ts';
import { noStore } from './security-headers.ts';

const METHODS = ['GET', 'POST'] as const;

export type UserInfoRoutesOptions = UserInfoDeps & CrossOriginOptions & CertificateOptions;

export const userInfoRoutes = fp<UserInfoRoutesOptions>(
  async (app, options) => {
    const onRequest = crossOrigin(options, METHODS);
    const certificateOf = certificatesOf(options);
    app.route({
      method: [...METHODS],
      url: '/oauth/userinfo',
      onRequest,
      handler: (request, reply) =>
        sendUserInfo(options, request, reply, { form: bodyOf(request.body), certificate: certificateOf?.(request) }),
    });
    refuseOtherMethods(
      app,
      '/oauth/userinfo',
      METHODS,
      (reply) => noStore(reply).code(405).send({ error: 'invalid_request', error_description: 'Use GET or POST.' }),
      onRequest,
    );
  },
  { name: 'userinfo-routes', encapsulate: true },
);

async function sendUserInfo(
  deps: UserInfoDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { form, certificate }: { readonly form: string; readonly certificate: SentCertificate | undefined },
): Promise<FastifyReply> {
  const { problem, parameters } = parseParameters(form, ['access_token']);
  const bearer = readBearer(request.headers.authorization, parameters.get('access_token'));
  if (problem || bearer.kind === 'malformed') return challenge(deps, request, reply, 'invalid_request', 'malformed');
  // RFC 6750 §3.1: for a request without a token, the response SHOULD NOT include an error.
  if (bearer.kind === 'none') return challenge(deps, request, reply, null, 'access_token_missing');
  const { scheme, token } = bearer;
  const dpop = request.headers['dpop'] as string | undefined;
  const info = await userInfo(deps, { scheme, token, dpop, certificate, method: request.method });
  if (info.kind === 'refused') return challenge(deps, request, reply, info.error, info.reason, scheme);
  setLogLine(request, 'answered', { grantId: info.grantId });
  return noStore(reply).send(info.claims);
}

const STATUS = { invalid_request: 400, invalid_token: 401, invalid_dpop_proof: 401, insufficient_scope: 403 } as const;

const WORDS: Readonly<Record<keyof typeof STATUS, string>> = {
  invalid_request: 'Send one access token, in the Authorization header or as access_token in the form body.',
  invalid_token: 'The access token is not valid: it is malformed, expired or revoked, or not an access token.',
  invalid_dpop_proof: 'Send one new DPoP proof for this request, signed with the key of the access token.',
  insufficient_scope:
    'The access token is not for this endpoint: expected one for the UserInfo Endpoint, with openid in its scope.',
};

const ALGS = `algs="${DPOP_ALGORITHMS.join(' ')}"`;

/**
 * RFC 6750 §3, with the `resource_metadata` of RFC 9728 §5.1. RFC 9449 §7.1: under the scheme of the request, and a 401
 * tells a request without that scheme of it. All parts are constants of this server, so none needs
 * quoting.
 */
function challenge(
  { issuer }: UserInfoDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  error: keyof typeof STATUS | null,
  reason: string,
  scheme: 'bearer' | 'dpop' = 'bearer',
): FastifyReply {
  setLogLine(request, 'refused', { reason });
  const parts = [
    ...(error === null ? [] : [`error="${error}"`, `error_description="${WORDS[error]}"`]),
    ...(error === 'invalid_token' ? [] : ['scope="openid"']),
    `resource_metadata="${resourceMetadataUrl(issuer)}"`,
  ];
  const status = error === null ? 401 : STATUS[error];
  const bearer = `Bearer ${parts.join(', ')}${status === 401 ? `, DPoP ${ALGS}` : ''}`;
  const value = scheme === 'dpop' ? `DPoP ${[...parts, ALGS].join(', ')}` : bearer;
  noStore(reply).code(status).header('www-authenticate', value);
  return reply.send(error === null ? {} : { error, error_description: WORDS[error] });
}

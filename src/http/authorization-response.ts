/**
 * The answer to an authorization request, on its way to the client: in the query of a redirect, or posted by the browser
 * (OAuth 2.0 Form Post Response Mode §2). Always with RFC 9207's `iss`: the server MUST name itself.
 */
import type { FastifyReply } from 'fastify';
import type { ResponseMode } from '../model/interaction.ts';
import { withParameters } from '../oauth/redirect-uri.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { formPostPage, SUBMIT_SOURCE } from './views/form-post.ts';

type Destination = { readonly redirectUri: string; readonly responseMode: ResponseMode; readonly state: string | null };

export function answerClient(
  reply: FastifyReply,
  issuer: string,
  { redirectUri, responseMode, state }: Destination,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  const parameters = { ...answer, ...(state !== null && { state }), iss: issuer };
  if (responseMode === 'query') return seeOther(reply, withParameters(redirectUri, parameters));
  return sendPage(reply, 200, formPostPage(redirectUri, parameters), SUBMIT_SOURCE);
}

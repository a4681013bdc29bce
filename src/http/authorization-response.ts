/** The authorization response on its way: in the query of a redirect, or posted by the browser (Form Post Response Mode §2). */
import type { FastifyReply } from 'fastify';
import { withParameters } from '../oauth/redirect-uri.ts';
import type { AuthorizationResponse } from '../protocol/authorization-response.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { formPostPage, SUBMIT_SOURCE } from './views/form-post.ts';

export function sendAuthorizationResponse(
  reply: FastifyReply,
  { redirectUri, responseMode, parameters }: AuthorizationResponse,
): FastifyReply {
  switch (responseMode) {
    case 'query':
      return seeOther(reply, withParameters(redirectUri, parameters));
    case 'form_post':
      return sendPage(reply, 200, formPostPage(redirectUri, parameters), SUBMIT_SOURCE);
  }
}

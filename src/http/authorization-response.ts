/**
 * Sends the authorization response: in the query of a redirect, or posted by the browser (Form Post Response Mode §2).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withParameters } from '../oauth/redirect-uri.ts';
import type { AuthorizationResponse } from '../protocol/authorization-response.ts';
import { type AskedLook, lookOf } from './look.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { formPostPage, SUBMIT_SOURCE } from './views/form-post.ts';

export async function sendAuthorizationResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { redirectUri, transport, parameters }: AuthorizationResponse,
  asked: AskedLook,
): Promise<FastifyReply> {
  switch (transport) {
    case 'query':
      return seeOther(reply, withParameters(redirectUri, parameters));
    case 'form_post':
      return sendPage(reply, 200, formPostPage(await lookOf(request, asked), redirectUri, parameters), SUBMIT_SOURCE);
  }
}

/** /permissions: HTTP around src/protocol/permissions.ts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { pathUnder } from '../oauth/urls.ts';
import {
  type EndPermissionOutcome,
  type PermissionDeps,
  submitEndPermission,
  viewPermissions,
} from '../protocol/permissions.ts';
import { type EndSessionOutcome, submitEndSession } from '../protocol/signed-in-browsers.ts';
import { ACCOUNT, PERMISSIONS, signInPath } from './account/sections.ts';
import { queryOf, sentField } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { lookOf } from './look.ts';
import type { PageParts } from './page-parts.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { permissionsPage } from './views/permissions.ts';

export type PermissionRoutesOptions = PermissionDeps & PageParts & { readonly issuer: string };

const ENDED = 'ended';
const SIGNED_OUT = 'signed-out';

export const permissionRoutes = fp<PermissionRoutesOptions>(
  async (app, options) => {
    const { cookies, csrf } = options;
    const permissionsPath = pathUnder(options.issuer, PERMISSIONS);
    const signIn = pathUnder(options.issuer, signInPath('permissions'));

    app.get('/permissions', async (request, reply) => {
      const view = await viewPermissions(options, cookies.hash(request, 'session'));
      if (view.kind === 'signInRequired') return seeOther(reply, signIn);
      const { username, allowed, more, browsers } = view;
      const query = queryOf(request);
      return sendPage(
        reply,
        200,
        permissionsPage(await lookOf(request, { userId: view.userId }), {
          endAccess: `${permissionsPath}/end`,
          endSession: `${permissionsPath}/sessions/end`,
          csrf: csrf.token(request, reply, view.formPurpose),
          username,
          allowed,
          more,
          browsers,
          justEnded: query === ENDED ? 'access' : query === SIGNED_OUT ? 'session' : null,
          signOut: pathUnder(options.issuer, '/oauth/logout'),
          account: pathUnder(options.issuer, ACCOUNT),
        }),
      );
    });

    app.post('/permissions/end', async (request, reply) => {
      const outcome = await submitEndPermission(options, {
        clientId: sentField(request, 'client_id'),
        cookie: cookies.hash(request, 'session'),
        isOurForm: csrf.checkOf(request),
      });
      return answerEnding(request, reply, outcome, { message: 'permission ended', query: ENDED });
    });

    app.post('/permissions/sessions/end', async (request, reply) => {
      const outcome = await submitEndSession(options, {
        sid: sentField(request, 'session'),
        cookie: cookies.hash(request, 'session'),
        isOurForm: csrf.checkOf(request),
      });
      return answerEnding(request, reply, outcome, { message: 'session ended', query: SIGNED_OUT });
    });

    /** `query`: the result of the last action, for the page. */
    async function answerEnding(
      request: FastifyRequest,
      reply: FastifyReply,
      outcome: EndPermissionOutcome | EndSessionOutcome,
      ended: { readonly message: string; readonly query: string },
    ): Promise<FastifyReply> {
      switch (outcome.kind) {
        case 'signInRequired':
          return seeOther(reply, signIn);
        case 'formRefused':
          return refuseForm(request, reply);
        case 'ended': {
          const { kind: _, ...facts } = outcome;
          setLogLine(request, ended.message, facts);
          return seeOther(reply, `${permissionsPath}?${ended.query}`);
        }
      }
    }
  },
  { name: 'permission-routes', dependencies: ['@fastify/cookie'], encapsulate: true },
);

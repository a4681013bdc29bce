/** /permissions and /sign-in: HTTP around src/protocol/permissions.ts and src/protocol/direct-sign-in.ts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { parseParameters } from '../oauth/parameters.ts';
import { pathUnder } from '../oauth/urls.ts';
import { signInDirectly, viewDirectSignIn } from '../protocol/direct-sign-in.ts';
import {
  type EndPermissionOutcome,
  type PermissionDeps,
  submitEndPermission,
  viewPermissions,
} from '../protocol/permissions.ts';
import type { SignInDeps } from '../protocol/sign-in.ts';
import { type EndSessionOutcome, submitEndSession } from '../protocol/signed-in-browsers.ts';
import { bodyOf, queryOf } from './form-body.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { refuseSignIn, signInForm } from './sign-in-form.ts';
import { permissionsPage } from './views/permissions.ts';
import { problemPage } from './views/problem.ts';
import { signInPage } from './views/sign-in.ts';

export type PermissionRoutesOptions = PermissionDeps & SignInDeps & { readonly issuer: string };

const ENDED = 'ended';
const SIGNED_OUT = 'signed-out';

export const permissionRoutes = fp<PermissionRoutesOptions>(
  async (app, options) => {
    const { browserCookies: cookies, csrf } = app;
    const permissionsPath = pathUnder(options.issuer, '/permissions');
    const signInPath = pathUnder(options.issuer, '/sign-in');

    app.get('/permissions', async (request, reply) => {
      const view = await viewPermissions(options, cookies.hash(request, 'session'));
      if (view.kind === 'signInRequired') return seeOther(reply, signInPath);
      const { username, allowed, more, browsers } = view;
      const query = queryOf(request);
      return sendPage(
        reply,
        200,
        permissionsPage({
          endAccess: `${permissionsPath}/end`,
          endSession: `${permissionsPath}/sessions/end`,
          csrf: csrf.token(request, reply, view.formPurpose),
          username,
          allowed,
          more,
          browsers,
          justEnded: query === ENDED ? 'access' : query === SIGNED_OUT ? 'session' : null,
          signOut: pathUnder(options.issuer, '/oauth/logout'),
        }),
      );
    });

    app.post('/permissions/end', async (request, reply) => {
      const outcome = await submitEndPermission(options, {
        clientId: parseParameters(bodyOf(request.body), ['client_id']).parameters.get('client_id'),
        cookie: cookies.hash(request, 'session'),
        isOurForm: csrf.checkOf(request),
      });
      return answerEnding(request, reply, outcome, { message: 'permission ended', query: ENDED });
    });

    app.post('/permissions/sessions/end', async (request, reply) => {
      const outcome = await submitEndSession(options, {
        sid: parseParameters(bodyOf(request.body), ['session']).parameters.get('session'),
        cookie: cookies.hash(request, 'session'),
        isOurForm: csrf.checkOf(request),
      });
      return answerEnding(request, reply, outcome, { message: 'session ended', query: SIGNED_OUT });
    });

    app.get('/sign-in', async (request, reply) => {
      const view = await viewDirectSignIn(options, cookies.hash(request, 'session'));
      if (view.kind === 'alreadySignedIn') return seeOther(reply, permissionsPath);
      return showSignIn(request, reply, { status: 200, formPurpose: view.formPurpose, username: '', problem: null });
    });

    app.post('/sign-in', async (request, reply) => {
      const cookie = cookies.create();
      const form = signInForm(request, reply, {
        old: cookies.hash(request, 'session'),
        new: cookie.hash,
        browser: cookies.hash(request, 'browser'),
      });
      const outcome = await signInDirectly(options, { ...form, isOurForm: csrf.checkOf(request) });
      switch (outcome.kind) {
        case 'formRefused':
          return refuseForm(request, reply);
        case 'signInRefused': {
          const { username, formPurpose } = outcome;
          return showSignIn(request, reply, { ...refuseSignIn(request, reply, outcome, {}), formPurpose, username });
        }
        case 'signedIn':
          cookies.set(reply, 'session', cookie);
          request.log.info({ userId: outcome.session.userId }, 'signed in');
          return seeOther(reply, permissionsPath);
      }
    });

    /** `query`: what the page says about it. */
    function answerEnding(
      request: FastifyRequest,
      reply: FastifyReply,
      outcome: EndPermissionOutcome | EndSessionOutcome,
      ended: { readonly message: string; readonly query: string },
    ): FastifyReply {
      switch (outcome.kind) {
        case 'signInRequired':
          return seeOther(reply, signInPath);
        case 'formRefused':
          return refuseForm(request, reply);
        case 'ended': {
          const { kind: _, ...facts } = outcome;
          setLogLine(request, ended.message, facts);
          return seeOther(reply, `${permissionsPath}?${ended.query}`);
        }
      }
    }

    function showSignIn(
      request: FastifyRequest,
      reply: FastifyReply,
      shown: { readonly status: number; formPurpose: string; username: string; problem: string | null },
    ): FastifyReply {
      const { status, formPurpose, username, problem } = shown;
      const token = csrf.token(request, reply, formPurpose);
      const view = { action: signInPath, csrf: token, clientName: null, username, problem, goOn: null };
      return sendPage(reply, status, signInPage(view));
    }
  },
  { name: 'permission-routes', dependencies: ['browser-cookies', 'csrf'], encapsulate: true },
);

function refuseForm(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  setLogLine(request, 'refused', { reason: 'form_refused' });
  return sendPage(reply, 403, problemPage(FORM_REFUSED));
}

const FORM_REFUSED = {
  title: 'This form cannot be accepted',
  what: 'It was not made by this server for this browser and this session, or it was changed on the way. Nothing happened.',
  next: 'Allow cookies for this site, go back, reload the page, and try again.',
};

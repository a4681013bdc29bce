/** The pages between the authorization request and its response: HTTP around src/protocol/interaction.ts. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { hasZodFastifySchemaValidationErrors, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { parseParameters } from '../oauth/parameters.ts';
import {
  chooseAccount,
  decideConsent,
  type InteractionDeps,
  type InteractionView,
  type SignInView,
  signInToInteraction,
  viewInteraction,
} from '../protocol/interaction.ts';
import { MAX_SEALED_CHARACTERS } from '../protocol/sealed-interaction.ts';
import { destinationOf } from './destination.ts';
import { bodyOf } from './form-body.ts';
import { interactionPath, sendInteractionRefused, sendInteractionStep } from './interaction-outcome.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { refuseSignIn, signInForm } from './sign-in-form.ts';
import { consentPage } from './views/consent.ts';
import { signInPage } from './views/sign-in.ts';

const ANOTHER_ACCOUNT = 'another';

/** As we write them: the id in lower case, of any version; after a dot what is sealed, as long as the interaction is not stored. */
const NAME = /^(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.(?<sealed>[A-Za-z0-9_-]+))?$/;
/** The longest part of a path in any route. */
export const MAX_NAME_CHARACTERS = 36 + 1 + MAX_SEALED_CHARACTERS;
const params = z.object({ name: z.string().regex(NAME) });
type Params = z.infer<typeof params>;

function namedBy({ name }: Params): { readonly id: string; readonly sealed: string | null } {
  const { id = '', sealed = null } = NAME.exec(name)?.groups ?? {};
  return { id, sealed };
}

/** Anything else in the query means nothing. */
const querystring = z.object({ account: z.literal(ANOTHER_ACCOUNT).optional().catch(undefined) });

export const interactionRoutes = fp<InteractionDeps>(
  async (instance, options) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    const { browserCookies: cookies, csrf } = app;
    const { issuer } = options;
    app.setErrorHandler((error: FastifyError, request, reply) => {
      if (!hasZodFastifySchemaValidationErrors(error)) throw error;
      // An id of another form was never given to an interaction.
      return sendInteractionRefused(request, reply, { kind: 'refused', reason: 'interaction_unknown' });
    });

    const requestOf = (request: FastifyRequest, name: Params) => ({
      ...namedBy(name),
      browser: cookies.hash(request, 'browser'),
      session: cookies.hash(request, 'session'),
    });
    const formRequestOf = (request: FastifyRequest, name: Params) => ({
      ...requestOf(request, name),
      isOurForm: csrf.checkOf(request),
    });

    app.get('/interactions/:name', { schema: { params, querystring } }, async (request, reply) => {
      const wantsAnotherAccount = request.query.account === ANOTHER_ACCOUNT;
      const view = await viewInteraction(options, { ...requestOf(request, request.params), wantsAnotherAccount });
      return show(request, reply, view);
    });

    app.post('/interactions/:name/sign-in', { schema: { params } }, async (request, reply) => {
      const cookie = cookies.create();
      const form = signInForm(request, reply, {
        old: cookies.hash(request, 'session'),
        new: cookie.hash,
        browser: cookies.hash(request, 'browser'),
      });
      const outcome = await signInToInteraction(options, { ...formRequestOf(request, request.params), form });
      const { id: interactionId } = namedBy(request.params);
      switch (outcome.kind) {
        case 'refused':
          return sendInteractionRefused(request, reply, outcome);
        case 'signInRefused': {
          const { status, problem } = refuseSignIn(request, reply, outcome.refused, { interactionId });
          return showSignIn(request, reply, status, outcome.view, problem);
        }
        case 'signedIn':
          cookies.set(reply, 'session', cookie);
          request.log.info({ userId: outcome.userId, interactionId }, 'signed in');
          return sendInteractionStep(issuer, request, reply, outcome.step);
      }
    });

    app.post('/interactions/:name/account', { schema: { params } }, async (request, reply) => {
      const outcome = await chooseAccount(options, formRequestOf(request, request.params));
      if (outcome.kind !== 'signInInstead') return sendInteractionStep(issuer, request, reply, outcome);
      const { interactionId, clientId } = outcome;
      setLogLine(request, 'refused', { reason: 'sign_in_required', clientId, interactionId });
      return seeOther(reply, interactionPath(issuer, outcome, `?account=${ANOTHER_ACCOUNT}`));
    });

    app.post('/interactions/:name/consent', { schema: { params } }, async (request, reply) => {
      const decision = parseParameters(bodyOf(request.body), ['decision']).parameters.get('decision');
      const outcome = await decideConsent(options, { ...formRequestOf(request, request.params), decision });
      return sendInteractionStep(issuer, request, reply, outcome);
    });

    function show(request: FastifyRequest, reply: FastifyReply, view: InteractionView): FastifyReply {
      switch (view.kind) {
        case 'refused':
          return sendInteractionRefused(request, reply, view);
        case 'signIn':
          return showSignIn(request, reply, 200, view, null);
        case 'consent': {
          const { clientName, username, onThisDevice, access, whileAway } = view;
          return sendPage(
            reply,
            200,
            consentPage({
              action: interactionPath(issuer, view, '/consent'),
              csrf: csrf.token(request, reply, view.formPurpose),
              clientName,
              username,
              destination: destinationOf(view.redirectUri),
              onThisDevice,
              access,
              whileAway,
              switchUser: interactionPath(issuer, view, `?account=${ANOTHER_ACCOUNT}`),
            }),
          );
        }
      }
    }

    function showSignIn(
      request: FastifyRequest,
      reply: FastifyReply,
      status: number,
      { formPurpose, clientName, username, account, ...named }: SignInView,
      problem: string | null,
    ): FastifyReply {
      const action = interactionPath(issuer, named, '/sign-in');
      const token = csrf.token(request, reply, formPurpose);
      const goOn = account === null ? null : { action: interactionPath(issuer, named, '/account'), username: account };
      return sendPage(reply, status, signInPage({ action, csrf: token, clientName, username, problem, goOn }));
    }
  },
  { name: 'interaction-routes', dependencies: ['browser-cookies', 'csrf'], encapsulate: true },
);

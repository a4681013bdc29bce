/** The pages of the second factor, in an interaction and in a sign-in that no client asked for: HTTP around src/people/second-factor/. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { parseParameters } from '../oauth/parameters.ts';
import { pathUnder } from '../oauth/urls.ts';
import { isByPasswordAlone } from '../people/second-factor/deps.ts';
import { findAnySession } from '../protocol/browser-session.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import {
  type FactorView,
  type InteractionDeps,
  openFactorForm,
  resumeInteraction,
  takeFormStep,
} from '../protocol/interaction.ts';
import { factorPath, signInPath } from './account/sections.ts';
import type { FactorAction, FactorPagesDeps, FactorPlace, FactorSent } from './factor-pages.ts';
import { bodyOf } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { interactionPath, sendInteractionRefused, sendInteractionStep } from './interaction-outcome.ts';
import { INTERACTION_NAME, interactionRequestOf, type NamedParams } from './interaction-request.ts';
import { seeOther } from './security-headers.ts';
import { destinationOfSignIn } from './sign-in-routes.ts';

export type FactorRoutesOptions = InteractionDeps & FactorPagesDeps;

/** What the pages do, loaded when a first person needs it. */
const pages = () => import('./factor-pages.ts');

type InteractionPage = FastifyRequest<{ Params: NamedParams }>;
const PATHS: Readonly<Record<FactorAction, string>> = {
  code: '',
  passkey: '/passkey',
  'set-up': '/set-up',
  confirm: '/confirm',
};

export const factorRoutes = fp<FactorRoutesOptions>(
  async (app, options) => {
    const { browserCookies: cookies, csrf } = app;
    const { issuer } = options;
    const methodsPath = pathUnder(issuer, '/account/sign-in-methods');

    const formOf = (request: InteractionPage) => ({
      ...interactionRequestOf(app, request, request.params),
      isOurForm: csrf.checkOf(request),
    });
    const sentIn = (request: FastifyRequest): FactorSent => {
      const { parameters } = parseParameters(bodyOf(request.body), ['code', 'factor', 'credential']);
      return {
        code: parameters.get('code'),
        factor: parameters.get('factor'),
        credential: parameters.get('credential'),
      };
    };

    /** Of the page of an interaction. */
    const placeOf = (request: InteractionPage, view: FactorView): FactorPlace => ({
      path: (below = '') => interactionPath(issuer, view, `/factor${below}`),
      formPurpose: view.formPurpose,
      clientName: view.clientName,
      requiredClass: view.requiredClass,
      isStepUp: !view.awaiting,
      mayDecline: !view.awaiting,
      another: interactionPath(issuer, view, '?account=another'),
      methods: methodsPath,
      goOn: { action: interactionPath(issuer, view, '/factor/continue') },
      proven: async (reply, session) =>
        sendInteractionStep(
          issuer,
          request,
          reply,
          await resumeInteraction(options, view.opened, 'factorAdded', session),
        ),
      again: interactionPath(issuer, view),
    });

    /** Without a client. */
    const directPlace = (request: FastifyRequest, awaiting: boolean): FactorPlace => {
      const { name, path } = destinationOfSignIn(request);
      return {
        path: (below = '') => pathUnder(issuer, factorPath(name, below)),
        formPurpose: formPurpose.signIn(),
        clientName: null,
        requiredClass: null,
        isStepUp: !awaiting,
        mayDecline: false,
        another: pathUnder(issuer, signInPath(name, { another: 'yes' })),
        methods: methodsPath,
        goOn: { href: pathUnder(issuer, path) },
        proven: async (reply) => seeOther(reply, pathUnder(issuer, path)),
        again: pathUnder(issuer, signInPath(name)),
      };
    };

    app.get('/sign-in/factor', async (request, reply) => {
      const { session, awaiting } = await findAnySession(options, cookies.hash(request, 'session'));
      if (session === null) return seeOther(reply, pathUnder(issuer, '/sign-in'));
      // It is strong enough: nothing is missing.
      const place = directPlace(request, awaiting);
      if (!awaiting && !isByPasswordAlone(session)) return place.proven(reply, session);
      return (await pages()).showFactor(app, options, request, reply, { place, session });
    });

    for (const action of Object.keys(PATHS) as FactorAction[]) {
      app.post(`/sign-in/factor${PATHS[action]}`, async (request, reply) => {
        if (!csrf.checkOf(request)(formPurpose.signIn())) return refuseForm(request, reply);
        const { session, awaiting } = await findAnySession(options, cookies.hash(request, 'session'));
        if (session === null) return seeOther(reply, pathUnder(issuer, '/sign-in'));
        const at = { place: directPlace(request, awaiting), session, form: sentIn(request) };
        return (await pages()).submitFactor(app, options, request, reply, action, at);
      });

      app.post<{ Params: NamedParams }>(`/interactions/:name/factor${PATHS[action]}`, async (request, reply) => {
        if (!INTERACTION_NAME.test(request.params.name)) return sendInteractionRefused(request, reply, UNKNOWN);
        const view = await openFactorForm(options, formOf(request));
        if (view.kind === 'refused') return sendInteractionRefused(request, reply, view);
        // No factor is asked for (any more): the page says what is.
        if (view.kind !== 'factor') return seeOther(reply, interactionPath(issuer, view));
        const at = { place: placeOf(request, view), session: view.session, form: sentIn(request) };
        return (await pages()).submitFactor(app, options, request, reply, action, at);
      });
    }

    for (const [path, event] of [
      ['continue', 'factorAdded'],
      ['decline', 'factorDeclined'],
    ] as const) {
      app.post<{ Params: NamedParams }>(`/interactions/:name/factor/${path}`, async (request, reply) => {
        if (!INTERACTION_NAME.test(request.params.name)) return sendInteractionRefused(request, reply, UNKNOWN);
        return sendInteractionStep(issuer, request, reply, await takeFormStep(options, formOf(request), event));
      });
    }

    app.decorate('showFactorOf', async (request: FastifyRequest, reply: FastifyReply, view: FactorView) =>
      (await pages()).showFactor(app, options, request, reply, {
        place: placeOf(request as InteractionPage, view),
        session: view.session,
      }),
    );
  },
  { name: 'factor-routes', dependencies: ['browser-cookies', 'csrf'] },
);

/** A name of another form was never given to an interaction. */
const UNKNOWN = { kind: 'refused', reason: 'interaction_unknown' } as const;

declare module 'fastify' {
  interface FastifyInstance {
    /** The page of the factor that an interaction asks for. */
    readonly showFactorOf: (request: FastifyRequest, reply: FastifyReply, view: FactorView) => Promise<FastifyReply>;
  }
}

/**
 * The pages of the second factor, in an interaction and in a sign-in without a client: HTTP around
 * src/people/second-factor/.
 */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { pathUnder } from '../oauth/urls.ts';
import { isByPasswordAlone } from '../people/second-factor/deps.ts';
import { findAnySession } from '../protocol/browser-session.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import { openFactorForm, takeFormStep } from '../protocol/interaction.ts';
import type { FactorAction, FactorPagesDeps, FactorSent } from './factor-pages.ts';
import { directPlace, type FactorPlaceDeps, interactionPlace } from './factor-place.ts';
import { sentFields } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { interactionPath, sendInteractionRefused, sendInteractionStep } from './interaction-outcome.ts';
import { interactionRequestOf, NAMED } from './interaction-request.ts';
import { seeOther } from './security-headers.ts';
import type { ZodTypeProvider } from './zod-schemas.ts';

export type FactorRoutesOptions = FactorPlaceDeps & FactorPagesDeps;

/** The handlers of the pages, which the first use loads. */
const pages = () => import('./factor-pages.ts');

const PATHS: Readonly<Record<FactorAction, string>> = {
  code: '',
  passkey: '/passkey',
  'set-up': '/set-up',
  confirm: '/confirm',
};

export const factorRoutes = fp<FactorRoutesOptions>(
  async (instance, options) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    const { issuer, cookies, csrf } = options;

    const formOf = (request: FastifyRequest, params: { readonly name: string }) => ({
      ...interactionRequestOf(cookies, request, params),
      isOurForm: csrf.checkOf(request),
    });
    const sentIn = (request: FastifyRequest): FactorSent =>
      sentFields(request, ['code', 'factor', 'credential', 'trust']);

    app.get('/sign-in/factor', async (request, reply) => {
      const { session, awaiting } = await findAnySession(options, cookies.hash(request, 'session'));
      if (session === null) return seeOther(reply, pathUnder(issuer, '/sign-in'));
      // The session is strong enough: no factor is missing.
      const place = directPlace(options, request, awaiting);
      if (!awaiting && !isByPasswordAlone(session)) return place.proven(reply, session);
      return (await pages()).showFactor(options, { request, reply, place, session });
    });

    for (const action of Object.keys(PATHS) as FactorAction[]) {
      app.post(`/sign-in/factor${PATHS[action]}`, async (request, reply) => {
        if (!csrf.checkOf(request)(formPurpose.signIn())) return refuseForm(request, reply);
        const { session, awaiting } = await findAnySession(options, cookies.hash(request, 'session'));
        if (session === null) return seeOther(reply, pathUnder(issuer, '/sign-in'));
        const at = { request, reply, place: directPlace(options, request, awaiting), session, form: sentIn(request) };
        return (await pages()).submitFactor[action](options, at);
      });

      app.post(`/interactions/:name/factor${PATHS[action]}`, NAMED, async (request, reply) => {
        const view = await openFactorForm(options, formOf(request, request.params));
        if (view.kind === 'refused') return sendInteractionRefused(request, reply, view);
        // The interaction asks for no factor (any more), and its page shows the next step.
        if (view.kind !== 'factor') return seeOther(reply, interactionPath(issuer, view));
        const { session } = view;
        const at = { request, reply, place: interactionPlace(options, request, view), session, form: sentIn(request) };
        return (await pages()).submitFactor[action](options, at);
      });
    }

    for (const [path, event] of [
      ['continue', 'factorAdded'],
      ['decline', 'factorDeclined'],
    ] as const) {
      app.post(`/interactions/:name/factor/${path}`, NAMED, async (request, reply) => {
        return sendInteractionStep(
          issuer,
          request,
          reply,
          await takeFormStep(options, formOf(request, request.params), event),
        );
      });
    }
  },
  { name: 'factor-routes', dependencies: ['@fastify/cookie'] },
);

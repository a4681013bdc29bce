/** The pages between the authorization request and its response: HTTP around src/protocol/interaction.ts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { z } from 'zod';
import {
  chooseAccount,
  decideConsent,
  type InteractionDeps,
  type InteractionView,
  type SignInView,
  signInToInteraction,
  viewInteraction,
} from '../protocol/interaction.ts';
import { imagePath } from './brand.ts';
import { destinationOf } from './destination.ts';
import type { FactorPagesDeps } from './factor-pages.ts';
import { interactionPlace } from './factor-place.ts';
import { sentField } from './form-body.ts';
import {
  interactionName,
  interactionPath,
  sendInteractionRefused,
  sendInteractionStep,
} from './interaction-outcome.ts';
import { interactionRequestOf, NAMED } from './interaction-request.ts';
import { type LeavingOptions, leaving } from './leaving.ts';
import { lookOf } from './look.ts';
import { completeLink, type PendingLinkOptions } from './pending-link.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { logSignIn, refuseSignIn, signInForm } from './sign-in-form.ts';
import { FIRST_PAGE_SENT, isFirstPage, openSignIn, type SignInPageDeps, showSignIn } from './sign-in-page.ts';
import { isPasskeyRefused } from './sign-in-routes.ts';
import { consentPage } from './views/consent.ts';
import { SEND_ONCE_SOURCE } from './views/send-once.ts';
import type { ZodTypeProvider } from './zod-schemas.ts';

export type InteractionRoutesOptions = InteractionDeps &
  LeavingOptions &
  SignInPageDeps &
  PendingLinkOptions &
  FactorPagesDeps;

const ANOTHER_ACCOUNT = 'another';

type Params = { readonly name: string };

/** The server ignores all other text in the query. */
const querystring = z.object({ account: z.literal(ANOTHER_ACCOUNT).optional().catch(undefined) });

export const interactionRoutes = fp<InteractionRoutesOptions>(
  async (instance, options) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    const { issuer, cookies, csrf } = options;
    const leaveForSignIn = leaving(cookies, options);
    const requestOf = (request: FastifyRequest, name: Params) => interactionRequestOf(cookies, request, name);
    const formRequestOf = (request: FastifyRequest, name: Params) => ({
      ...requestOf(request, name),
      isOurForm: csrf.checkOf(request),
    });

    app.get('/interactions/:name', { ...NAMED, schema: { ...NAMED.schema, querystring } }, async (request, reply) => {
      const wantsAnotherAccount = request.query.account === ANOTHER_ACCOUNT;
      const view = await viewInteraction(options, { ...requestOf(request, request.params), wantsAnotherAccount });
      return show(request, reply, view);
    });

    app.post('/interactions/:name/sign-in', NAMED, async (request, reply) => {
      const cookie = cookies.create();
      const form = signInForm(cookies, request, reply, cookie.hash, options);
      const outcome = await signInToInteraction(options, { ...formRequestOf(request, request.params), form });
      const { id: interactionId } = requestOf(request, request.params);
      const who = (userId: string) => ({ userId, username: form.username ?? '' });
      switch (outcome.kind) {
        case 'refused':
          return sendInteractionRefused(request, reply, outcome);
        case 'signInRefused': {
          const { refused, view } = outcome;
          const shown = isFirstPage(options, refused)
            ? FIRST_PAGE_SENT
            : refuseSignIn(request, reply, refused, { interactionId }, options.signInLedger);
          return showSignIn(options, request, reply, { ...signInAt(view), ...shown, asks: 'methods' });
        }
        case 'signedIn':
          cookies.set(reply, 'session', cookie);
          logSignIn(request, options.signInLedger, who(outcome.userId), 'signed in', { interactionId });
          await completeLink(options, request, reply, outcome.userId);
          return sendInteractionStep(issuer, request, reply, outcome.step);
        case 'factorRequired':
          cookies.set(reply, 'session', cookie);
          logSignIn(request, options.signInLedger, who(outcome.userId), 'second factor required', { interactionId });
          return seeOther(reply, interactionPath(issuer, outcome));
      }
    });

    app.post('/interactions/:name/account', NAMED, async (request, reply) => {
      const outcome = await chooseAccount(options, formRequestOf(request, request.params));
      if (outcome.kind !== 'signInInstead') return sendInteractionStep(issuer, request, reply, outcome);
      const { interactionId, clientId } = outcome;
      setLogLine(request, 'refused', { reason: 'sign_in_required', clientId, interactionId });
      return seeOther(reply, interactionPath(issuer, outcome, `?account=${ANOTHER_ACCOUNT}`));
    });

    app.post('/interactions/:name/consent', NAMED, async (request, reply) => {
      const decision = sentField(request, 'decision');
      const outcome = await decideConsent(options, { ...formRequestOf(request, request.params), decision });
      return sendInteractionStep(issuer, request, reply, outcome);
    });

    async function show(
      request: FastifyRequest<{ Params: Params; Querystring: z.infer<typeof querystring> }>,
      reply: FastifyReply,
      view: InteractionView,
    ): Promise<FastifyReply> {
      switch (view.kind) {
        case 'refused':
          return sendInteractionRefused(request, reply, view);
        case 'signIn':
          return (
            (await goesElsewhere(request, reply, view)) ??
            openSignIn(
              options,
              request,
              reply,
              { ...signInAt(view), problem: isPasskeyRefused(request) ? 'passkey' : null },
              view.again,
              request.query.account === ANOTHER_ACCOUNT,
            )
          );
        case 'factor':
          return (await import('./factor-pages.ts')).showFactor(options, {
            request,
            reply,
            place: interactionPlace(options, request, view),
            session: view.session,
          });
        case 'consent': {
          const { about, redirectUri } = view;
          const look = await lookOf(request, view);
          return sendPage(
            reply,
            200,
            consentPage(look, {
              ...view,
              action: interactionPath(issuer, view, '/consent'),
              csrf: csrf.token(request, reply, view.formPurpose),
              destination: destinationOf(look, redirectUri),
              logo: about.logo === null ? null : imagePath(issuer, about.logo),
              terms: about.terms,
              policy: about.policy,
              switchUser: interactionPath(issuer, view, `?account=${ANOTHER_ACCOUNT}`),
            }),
            SEND_ONCE_SOURCE,
          );
        }
      }
    }

    /** Where the team's own application signs users in, this server shows a form only to those who ask for it. */
    async function goesElsewhere(
      request: FastifyRequest<{ Params: Params; Querystring: z.infer<typeof querystring> }>,
      reply: FastifyReply,
      { account }: SignInView,
    ): Promise<FastifyReply | null> {
      const { delegatedSignIn } = options.configuration();
      const wantsForm = request.query.account === ANOTHER_ACCOUNT || account !== null;
      if (delegatedSignIn?.show !== 'instead' || wantsForm) return null;
      const asked = { ...requestOf(request, request.params), isOurForm: null };
      return leaveForSignIn(request, reply, { delegated: true }, { interaction: asked });
    }

    function signInAt({ formPurpose, clientName, username, account, uiLocales, ...named }: SignInView) {
      const at = {
        form: interactionPath(issuer, named, '/sign-in'),
        change: interactionPath(issuer, named, `?account=${ANOTHER_ACCOUNT}`),
        passkey: interactionPath(issuer, named, '/passkey'),
        external: interactionPath(issuer, named, '/external'),
        code: interactionPath(issuer, named, '/code'),
      };
      const goOn = account === null ? null : { action: interactionPath(issuer, named, '/account'), username: account };
      return { at, formPurpose, clientName, username, uiLocales, goOn, interaction: interactionName(named) };
    }
  },
  { name: 'interaction-routes', dependencies: ['@fastify/cookie'], encapsulate: true },
);

/** Where the answers of passkeys go, in an interaction and in a sign-in that no client asked for: HTTP around src/people/passkeys/. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { parseParameters } from '../oauth/parameters.ts';
import { pathUnder } from '../oauth/urls.ts';
import type { FactorAsked } from '../people/passkeys/ask.ts';
import type { PasskeyDeps } from '../people/passkeys/manage.ts';
import type { PasskeySent, PasskeySignInDeps, PasskeySignInOutcome } from '../people/passkeys/sign-in.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import { type InteractionDeps, openInteractionForm, resumeInteraction } from '../protocol/interaction.ts';
import { rememberBrowser } from '../protocol/sign-in.ts';
import { signInPath } from './account/sections.ts';
import { bodyOf } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { interactionPath, sendInteractionRefused, sendInteractionStep } from './interaction-outcome.ts';
import { INTERACTION_NAME, interactionRequestOf, type NamedParams } from './interaction-request.ts';
import type { Look } from './look.ts';
import { setLogLine } from './request-log.ts';
import { seeOther } from './security-headers.ts';
import { deviceOf, logSignIn } from './sign-in-form.ts';
import { destinationOfSignIn, PASSKEY_REFUSED } from './sign-in-routes.ts';
import type { Markup } from './views/page.ts';

export type PasskeyRoutesOptions = InteractionDeps & PasskeyDeps & PasskeySignInDeps;

/** The button of a page, and the hash of its script for the page's policy. */
export type PasskeyPart = { readonly markup: Markup; readonly script: string };

export type PasskeyPlace = {
  readonly action: string;
  /** Of the forms of the page. */
  readonly formPurpose: string;
  readonly csrf: string;
  readonly autofill: boolean;
  /** The passkeys of this session's account are asked for; absent: any for this site. */
  readonly secondFactorOf?: FactorAsked;
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Null: the browser has no cookie to bind the challenge to yet, or this site can have no passkeys. */
    readonly passkeyPart: (
      request: FastifyRequest,
      reply: FastifyReply,
      look: Look,
      place: PasskeyPlace,
    ) => Promise<PasskeyPart | null>;
  }
}

export const passkeyRoutes = fp<PasskeyRoutesOptions>(
  async (app, options) => {
    const { browserCookies: cookies, csrf } = app;
    const { issuer } = options;

    app.decorate(
      'passkeyPart',
      async (request: FastifyRequest, reply: FastifyReply, look: Look, place: PasskeyPlace) => {
        const browser = cookies.hash(request, 'browser') ?? cookies.justSet(reply, 'browser');
        if (browser === null) return null;
        const [{ factorOptions, signInOptions }, { passkeyButton, PASSKEY_SCRIPT_SOURCE }] = await Promise.all([
          import('../people/passkeys/ask.ts'),
          import('./views/passkey.ts'),
        ]);
        const { secondFactorOf: of } = place;
        const asked = of ? factorOptions(options, browser, of) : signInOptions(options, browser, place.formPurpose);
        if (asked === null) return null;
        const { factor } = look.words;
        const words = { button: factor.withPasskey, failed: factor.refused.passkeyRefused };
        return { markup: passkeyButton(look, { ...place, options: asked }, words), script: PASSKEY_SCRIPT_SOURCE };
      },
    );

    /** @returns null: refused; the page comes again. */
    async function signIn(
      request: FastifyRequest,
      reply: FastifyReply,
      place: string,
      requiredClass: string | null,
    ): Promise<Extract<PasskeySignInOutcome, { kind: 'signedIn' }> | null> {
      const browser = cookies.hash(request, 'browser');
      if (browser === null) return null;
      const cookie = cookies.create();
      const sent: PasskeySent = {
        credential: parseParameters(bodyOf(request.body), ['credential']).parameters.get('credential'),
        place,
        cookie: { old: cookies.hash(request, 'session'), new: cookie.hash, browser },
        userAgent: request.headers['user-agent'] ?? null,
        requiredClass,
      };
      const { signInByPasskey } = await import('../people/passkeys/sign-in.ts');
      const outcome = await signInByPasskey(options, sent);
      if (outcome.kind === 'passkeyRefused') {
        const { reason, userId } = outcome;
        setLogLine(request, 'refused', { reason, ...(userId !== null && { userId }), address: request.ip });
        return null;
      }
      cookies.set(reply, 'session', cookie);
      const { username, signedInAt } = outcome.session;
      rememberBrowser(options, deviceOf(request, reply), username, signedInAt);
      logSignIn(request, options.signInLedger, outcome.session, 'signed in with a passkey');
      return outcome;
    }

    app.post('/sign-in/passkey', async (request, reply) => {
      if (!csrf.checkOf(request)(formPurpose.signIn())) return refuseForm(request, reply);
      const { name, path } = destinationOfSignIn(request);
      const signedIn = await signIn(request, reply, formPurpose.signIn(), null);
      const again = signInPath(name, { [PASSKEY_REFUSED]: 'yes' });
      return seeOther(reply, pathUnder(issuer, signedIn === null ? again : path));
    });

    app.post<{ Params: NamedParams }>('/interactions/:name/passkey', async (request, reply) => {
      if (!INTERACTION_NAME.test(request.params.name))
        return sendInteractionRefused(request, reply, { kind: 'refused', reason: 'interaction_unknown' });
      const named = interactionRequestOf(app, request, request.params);
      const opened = await openInteractionForm(options, { ...named, isOurForm: csrf.checkOf(request) });
      if (opened.kind === 'refused') return sendInteractionRefused(request, reply, opened);
      const signedIn = await signIn(
        request,
        reply,
        formPurpose.interaction(named.id),
        opened.facts.interaction.requiredClass,
      );
      if (signedIn === null)
        return seeOther(
          reply,
          interactionPath(issuer, { interactionId: named.id, sealed: named.sealed }, `?${PASSKEY_REFUSED}=yes`),
        );
      return sendInteractionStep(
        issuer,
        request,
        reply,
        await resumeInteraction(options, opened, 'signedIn', signedIn.session),
      );
    });
  },
  { name: 'passkey-routes', dependencies: ['browser-cookies', 'csrf'] },
);

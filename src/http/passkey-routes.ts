/**
 * The routes for the answers of passkeys, in an interaction and in a sign-in without a client: HTTP around
 * src/people/passkeys/.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { pathUnder } from '../oauth/urls.ts';
import type { PasskeyDeps } from '../people/passkeys/manage.ts';
import type { PasskeySent, PasskeySignInDeps, PasskeySignInOutcome } from '../people/passkeys/sign-in.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import { type InteractionDeps, openInteractionForm, resumeInteraction } from '../protocol/interaction.ts';
import { rememberBrowser } from '../protocol/sign-in.ts';
import { signInPath } from './account/sections.ts';
import { sentField } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { interactionPath, sendInteractionRefused, sendInteractionStep } from './interaction-outcome.ts';
import { interactionRequestOf, NAMED } from './interaction-request.ts';
import type { PageParts } from './page-parts.ts';
import { completeLink, type PendingLinkOptions } from './pending-link.ts';
import { setLogLine } from './request-log.ts';
import { seeOther } from './security-headers.ts';
import { deviceOf, logSignIn } from './sign-in-form.ts';
import { destinationOfSignIn, PASSKEY_REFUSED } from './sign-in-routes.ts';
import type { ZodTypeProvider } from './zod-schemas.ts';

export type PasskeyRoutesOptions = InteractionDeps & PasskeyDeps & PasskeySignInDeps & PendingLinkOptions & PageParts;

export const passkeyRoutes = fp<PasskeyRoutesOptions>(
  async (instance, options) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    const { issuer, cookies, csrf } = options;

    /** @returns null: rejected, and the page appears again. */
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
        credential: sentField(request, 'credential'),
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
      const { userId, username, signedInAt } = outcome.session;
      rememberBrowser(options, deviceOf(cookies, request, reply), { id: userId, username }, signedInAt);
      logSignIn(request, options.signInLedger, outcome.session, 'signed in with a passkey');
      await completeLink(options, request, reply, userId);
      return outcome;
    }

    app.post('/sign-in/passkey', async (request, reply) => {
      if (!csrf.checkOf(request)(formPurpose.signIn())) return refuseForm(request, reply);
      const { name, path } = destinationOfSignIn(request);
      const signedIn = await signIn(request, reply, formPurpose.signIn(), null);
      const again = signInPath(name, { [PASSKEY_REFUSED]: 'yes' });
      return seeOther(reply, pathUnder(issuer, signedIn === null ? again : path));
    });

    app.post('/interactions/:name/passkey', NAMED, async (request, reply) => {
      const named = interactionRequestOf(cookies, request, request.params);
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
  { name: 'passkey-routes', dependencies: ['@fastify/cookie'] },
);

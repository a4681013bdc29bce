/**
 * Federated and delegated sign-in: HTTP around src/people/upstream and src/people/delegated, which the first sign-in
 * loads. The forms that redirect a browser, and the pages to which it returns.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { z } from 'zod';
import { pathUnder } from '../oauth/urls.ts';
import type { Returning } from '../people/external/finish.ts';
import type { UpstreamDeps } from '../people/upstream/upstream-sign-in.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import { type InteractionDeps, resumeSignedIn } from '../protocol/interaction.ts';
import { destinationNamed, factorPath } from './account/sections.ts';
import { type Place, placeOf } from './external-places.ts';
import { externalRefusal, type Refused } from './external-refusal.ts';
import { queryOf, sentField } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { interactionPath, sendInteractionStep } from './interaction-outcome.ts';
import { interactionRequestOf, NAMED } from './interaction-request.ts';
import { leaving } from './leaving.ts';
import type { PageParts } from './page-parts.ts';
import { setLogLine } from './request-log.ts';
import { seeOther } from './security-headers.ts';
import { logSignIn } from './sign-in-form.ts';
import { destinationOfSignIn } from './sign-in-routes.ts';
import type { ZodTypeProvider } from './zod-schemas.ts';

export type ExternalSignInOptions = InteractionDeps & UpstreamDeps & PageParts;

const NAME = z.object({ name: z.string() });
const REFERENCE = z.object({ reference: z.string() });

export const externalSignIns = fp<ExternalSignInOptions>(
  async (instance, options) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    const { issuer, cookies, csrf } = options;
    const refuse = externalRefusal(issuer);

    const leaveForSignIn = leaving(cookies, options);

    const sentPlace = (request: FastifyRequest): Place | null => placeOf(sentField(request, 'provider'));
    const unknownPlace: Refused = { kind: 'refused', reason: 'upstream_unknown', askedBy: null };

    app.post('/interactions/:name/external', NAMED, async (request, reply) => {
      const named = interactionRequestOf(cookies, request, request.params);
      const asked = { ...named, isOurForm: csrf.checkOf(request) };
      const place = sentPlace(request);
      return place === null
        ? refuse(request, reply, { ...unknownPlace, askedBy: named })
        : leaveForSignIn(request, reply, place, { interaction: asked });
    });

    app.post('/sign-in/external', async (request, reply) => {
      if (!csrf.checkOf(request)(formPurpose.signIn())) {
        return refuseForm(request, reply);
      }
      const place = sentPlace(request);
      const { name, needsRecentSignIn } = destinationOfSignIn(request);
      return place === null
        ? refuse(request, reply, unknownPlace)
        : leaveForSignIn(request, reply, place, { destination: name, again: needsRecentSignIn });
    });

    app.get('/sign-in/upstream/:name/callback', { schema: { params: NAME } }, async (request, reply) => {
      const { finishUpstreamSignIn } = await import('../people/upstream/upstream-callback.ts');
      const { name } = request.params;
      const query = new URLSearchParams(queryOf(request));
      return comeBack(request, reply, 'upstream', (returning) => finishUpstreamSignIn(options, name, query, returning));
    });

    app.get('/sign-in/delegated/:reference', { schema: { params: REFERENCE } }, async (request, reply) => {
      const { finishDelegatedSignIn } = await import('../people/delegated/delegated-sign-in.ts');
      const { reference } = request.params;
      return comeBack(request, reply, 'delegated', (returning) => finishDelegatedSignIn(options, reference, returning));
    });

    async function comeBack(
      request: FastifyRequest,
      reply: FastifyReply,
      method: 'upstream' | 'delegated',
      finish: (returning: Returning) => Promise<Finished | Refused>,
    ): Promise<FastifyReply> {
      const cookie = cookies.create();
      const browser = cookies.hash(request, 'browser');
      const outcome = await finish({
        browser,
        cookie: { old: cookies.hash(request, 'session'), new: cookie.hash },
        userAgent: request.headers['user-agent'] ?? null,
      });
      switch (outcome.kind) {
        case 'refused':
          if (LEDGERED.has(outcome.reason)) {
            const { reason } = outcome;
            await options.signInLedger.refused({ method, reason, username: null, userId: null });
          }
          if (outcome.pendingLink) cookies.setLink(reply, outcome.pendingLink.sealed, outcome.pendingLink.endsAt);
          return refuse(request, reply, outcome);
        case 'linked':
          setLogLine(request, 'identity linked', { userId: outcome.userId });
          return seeOther(reply, pathUnder(issuer, '/account/linked-identities?linked'));
        case 'factorRequired': {
          const { session, askedBy, destination } = outcome;
          cookies.set(reply, 'session', cookie);
          logSignIn(request, options.signInLedger, session, 'second factor required');
          const next = askedBy && interactionPath(issuer, { interactionId: askedBy.id, sealed: askedBy.sealed });
          return seeOther(reply, next ?? pathUnder(issuer, factorPath(destinationNamed(destination).name)));
        }
        case 'signedIn': {
          const { session, askedBy, provider, destination } = outcome;
          cookies.set(reply, 'session', cookie);
          const facts = { where: provider, interactionId: askedBy?.id ?? null };
          logSignIn(request, options.signInLedger, session, 'signed in', facts);
          if (askedBy === null) return seeOther(reply, pathUnder(issuer, destinationNamed(destination).path));
          const step = await resumeSignedIn(options, { ...askedBy, browser, session: cookie.hash }, session);
          return sendInteractionStep(issuer, request, reply, step);
        }
      }
    }
  },
  { name: 'external-sign-ins', dependencies: ['@fastify/cookie'] },
);

/** Reasons for an accepted answer. Each begun sign-in has only one answer, so a stranger cannot add more entries. */
const LEDGERED: ReadonlySet<string> = new Set([
  'external_sign_in_denied',
  'not_admitted',
  'nobody_linked',
  'address_known',
  'identity_linked_elsewhere',
  'user_ended',
  'sign_in_too_old',
  'upstream_refused',
]);

type Finished = NonNullable<Awaited<ReturnType<typeof import('../people/external/finish.ts')['finish']>>>;

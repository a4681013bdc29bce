/** /sign-in: HTTP around src/protocol/direct-sign-in.ts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { pathUnder } from '../oauth/urls.ts';
import { signInDirectly, viewDirectSignIn } from '../protocol/direct-sign-in.ts';
import type { SignInDeps } from '../protocol/sign-in.ts';
import { type Destination, destinationNamed, factorPath, passkeyPath, signInPath } from './account/sections.ts';
import { externalPlaces } from './external-places.ts';
import { askedField } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { lookOf } from './look.ts';
import type { PageParts } from './page-parts.ts';
import { type PasskeyPartDeps, passkeyPart } from './passkey-part.ts';
import { seeOther, sendPage } from './security-headers.ts';
import { logSignIn, refuseSignIn, signInForm } from './sign-in-form.ts';
import { type SignInHelpOptions, signInHelp } from './sign-in-help.ts';
import { externalButtons } from './views/external-sign-in.ts';
import { type SignInView, signInPage } from './views/sign-in.ts';

export type SignInRoutesOptions = SignInDeps & SignInHelpOptions & PasskeyPartDeps & PageParts;

/** The destination of a sign-in at this address. */
export const destinationOfSignIn = (request: FastifyRequest): Destination =>
  destinationNamed(askedField(request, 'then'));

/** In the query of the page after a rejected passkey. */
export const PASSKEY_REFUSED = 'passkey-refused';
export const isPasskeyRefused = (request: FastifyRequest): boolean => askedField(request, PASSKEY_REFUSED) !== null;

/** As another user than the one whose second factor is missing in this browser. */
const isAsAnother = (request: FastifyRequest): boolean => askedField(request, 'another') !== null;

export const signInRoutes = fp<SignInRoutesOptions>(
  async (app, options) => {
    const { issuer, cookies, csrf } = options;

    app.get('/sign-in', async (request, reply) => {
      const destination = destinationOfSignIn(request);
      const view = await viewDirectSignIn(options, cookies.hash(request, 'session'), destination, isAsAnother(request));
      if (view.kind === 'factorRequired') return seeOther(reply, pathUnder(issuer, factorPath(destination.name)));
      if (view.kind === 'alreadySignedIn') return seeOther(reply, pathUnder(issuer, destination.path));
      const { formPurpose, again } = view;
      const username = again?.username ?? '';
      const problem = isPasskeyRefused(request) ? 'passkey' : null;
      return show(request, reply, { status: 200, formPurpose, username, again: again !== null, problem });
    });

    app.post('/sign-in', async (request, reply) => {
      const cookie = cookies.create();
      const form = signInForm(cookies, request, reply, cookie.hash);
      const outcome = await signInDirectly(options, { ...form, isOurForm: csrf.checkOf(request) });
      switch (outcome.kind) {
        case 'formRefused':
          return refuseForm(request, reply);
        case 'signInRefused': {
          const { username, formPurpose } = outcome;
          const refused = refuseSignIn(request, reply, outcome, {}, options.signInLedger);
          return show(request, reply, { ...refused, formPurpose, username, again: false });
        }
        case 'factorRequired':
          cookies.set(reply, 'session', cookie);
          logSignIn(request, options.signInLedger, outcome.session, 'second factor required');
          return seeOther(reply, pathUnder(issuer, factorPath(destinationOfSignIn(request).name)));
        case 'signedIn':
          cookies.set(reply, 'session', cookie);
          logSignIn(request, options.signInLedger, outcome.session, 'signed in');
          return seeOther(reply, pathUnder(issuer, destinationOfSignIn(request).path));
      }
    });

    async function show(
      request: FastifyRequest,
      reply: FastifyReply,
      shown: {
        readonly status: number;
        readonly formPurpose: string;
        readonly username: string;
        readonly again: boolean;
        readonly problem: SignInView['problem'];
      },
    ): Promise<FastifyReply> {
      const { status, formPurpose, username, again, problem } = shown;
      const token = csrf.token(request, reply, formPurpose);
      const { name } = destinationOfSignIn(request);
      const action = pathUnder(issuer, signInPath(name));
      const look = await lookOf(request);
      const passkey = await passkeyPart(options, request, reply, look, {
        action: pathUnder(issuer, passkeyPath(name)),
        formPurpose,
        csrf: token,
        // Not immediately after a rejection: the browser would send the same passkey.
        autofill: problem === null,
      });
      const elsewhere = signInPath(name).replace('/sign-in', '/sign-in/external');
      const places = externalPlaces(options.configuration(), pathUnder(issuer, elsewhere));
      return sendPage(
        reply,
        status,
        signInPage(look, {
          more: [...(passkey ? [passkey.markup] : []), ...(places ? [externalButtons(look, token, places)] : [])],
          action,
          csrf: token,
          clientName: null,
          username,
          identifiers: options.configuration().signIn.identifiers,
          again,
          problem,
          goOn: null,
          help: signInHelp(options, null),
        }),
        passkey?.script,
      );
    }
  },
  { name: 'sign-in-routes', dependencies: ['@fastify/cookie'], encapsulate: true },
);

/** /sign-in: HTTP around src/protocol/direct-sign-in.ts. */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { pathUnder } from '../oauth/urls.ts';
import { signInDirectly, viewDirectSignIn } from '../protocol/direct-sign-in.ts';
import type { SignInDeps } from '../protocol/sign-in.ts';
import {
  codePath,
  type Destination,
  destinationNamed,
  factorPath,
  passkeyPath,
  signInPath,
} from './account/sections.ts';
import { askedField } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { completeLink, type PendingLinkOptions } from './pending-link.ts';
import { seeOther } from './security-headers.ts';
import { logSignIn, refuseSignIn, signInForm } from './sign-in-form.ts';
import {
  FIRST_PAGE_SENT,
  isFirstPage,
  openSignIn,
  type ShownSignIn,
  type SignInPageDeps,
  showSignIn,
} from './sign-in-page.ts';

export type SignInRoutesOptions = SignInDeps & SignInPageDeps & PendingLinkOptions;

/** The destination of a sign-in at this address. */
export const destinationOfSignIn = (request: FastifyRequest): Destination =>
  destinationNamed(askedField(request, 'then'));

/** In the query of the page after a rejected passkey. */
export const PASSKEY_REFUSED = 'passkey-refused';
export const isPasskeyRefused = (request: FastifyRequest): boolean => askedField(request, PASSKEY_REFUSED) !== null;

/** As another user than the one whose second factor is missing in this browser, or who is to sign in again. */
const ANOTHER = 'another';
const isAsAnother = (request: FastifyRequest): boolean => askedField(request, ANOTHER) !== null;

export const signInRoutes = fp<SignInRoutesOptions>(
  async (app, options) => {
    const { issuer, cookies, csrf } = options;

    app.get('/sign-in', async (request, reply) => {
      const destination = destinationOfSignIn(request);
      const view = await viewDirectSignIn(options, cookies.hash(request, 'session'), destination, isAsAnother(request));
      if (view.kind === 'factorRequired') return seeOther(reply, pathUnder(issuer, factorPath(destination.name)));
      if (view.kind === 'alreadySignedIn') return seeOther(reply, pathUnder(issuer, destination.path));
      const { formPurpose, again } = view;
      const problem = isPasskeyRefused(request) ? ('passkey' as const) : null;
      const shown = { formPurpose, username: again?.username ?? '', again: again !== null, problem };
      return openSignIn(options, request, reply, { ...shown, ...placeOf(request) }, again, isAsAnother(request));
    });

    app.post('/sign-in', async (request, reply) => {
      const cookie = cookies.create();
      const form = signInForm(cookies, request, reply, cookie.hash, options);
      const outcome = await signInDirectly(options, { ...form, isOurForm: csrf.checkOf(request) });
      switch (outcome.kind) {
        case 'formRefused':
          return refuseForm(request, reply);
        case 'signInRefused': {
          const { username, formPurpose } = outcome;
          const refused = isFirstPage(options, outcome)
            ? FIRST_PAGE_SENT
            : refuseSignIn(request, reply, outcome, {}, options.signInLedger);
          const shown = { ...refused, formPurpose, username, again: false, asks: 'methods' } as const;
          return showSignIn(options, request, reply, { ...shown, ...placeOf(request) });
        }
        case 'factorRequired':
          cookies.set(reply, 'session', cookie);
          logSignIn(request, options.signInLedger, outcome.session, 'second factor required');
          return seeOther(reply, pathUnder(issuer, factorPath(destinationOfSignIn(request).name)));
        case 'signedIn':
          cookies.set(reply, 'session', cookie);
          logSignIn(request, options.signInLedger, outcome.session, 'signed in');
          await completeLink(options, request, reply, outcome.session.userId);
          return seeOther(reply, pathUnder(issuer, destinationOfSignIn(request).path));
      }
    });

    function placeOf(request: FastifyRequest): Pick<ShownSignIn, 'at' | 'clientName' | 'goOn' | 'interaction'> {
      const { name } = destinationOfSignIn(request);
      const below = signInPath(name);
      const at = {
        form: pathUnder(issuer, below),
        change: pathUnder(issuer, signInPath(name, { [ANOTHER]: 'yes' })),
        passkey: pathUnder(issuer, passkeyPath(name)),
        code: pathUnder(issuer, codePath(name)),
        external: pathUnder(issuer, below.replace('/sign-in', '/sign-in/external')),
      };
      return { at, clientName: null, goOn: null, interaction: null };
    }
  },
  { name: 'sign-in-routes', dependencies: ['@fastify/cookie'], encapsulate: true },
);

/** The contexts of the pages of a second factor: an interaction, and a sign-in without a client. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathUnder } from '../oauth/urls.ts';
import type { Session } from '../people/second-factor/deps.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import { type FactorView, type InteractionDeps, resumeInteraction } from '../protocol/interaction.ts';
import { factorPath, signInPath } from './account/sections.ts';
import { interactionPath, sendInteractionStep } from './interaction-outcome.ts';
import { seeOther } from './security-headers.ts';
import { destinationOfSignIn } from './sign-in-routes.ts';

export type FactorPlace = {
  /** The path of the page and its first form, or of another form below it. */
  readonly path: (below?: string) => string;
  readonly formPurpose: string;
  readonly clientName: string | null;
  readonly requiredClass: string | null;
  /** The browser is signed in, and a client requests a stronger class. */
  readonly isStepUp: boolean;
  readonly mayDecline: boolean;
  readonly another: string;
  readonly methods: string;
  /** The next step after the page of the recovery codes. */
  readonly goOn: { readonly action: string } | { readonly href: string };
  /** The next step after the proof of the factor. */
  readonly proven: (reply: FastifyReply, session: Session) => Promise<FastifyReply>;
  /** The session of the page has ended. */
  readonly again: string;
};

export type FactorPlaceDeps = InteractionDeps & { readonly issuer: string };

const methodsPath = (issuer: string) => pathUnder(issuer, '/account/sign-in-methods');

export const interactionPlace = (deps: FactorPlaceDeps, request: FastifyRequest, view: FactorView): FactorPlace => ({
  path: (below = '') => interactionPath(deps.issuer, view, `/factor${below}`),
  formPurpose: view.formPurpose,
  clientName: view.clientName,
  requiredClass: view.requiredClass,
  isStepUp: !view.awaiting,
  mayDecline: !view.awaiting,
  another: interactionPath(deps.issuer, view, '?account=another'),
  methods: methodsPath(deps.issuer),
  goOn: { action: interactionPath(deps.issuer, view, '/factor/continue') },
  proven: async (reply, session) =>
    sendInteractionStep(
      deps.issuer,
      request,
      reply,
      await resumeInteraction(deps, view.opened, 'factorAdded', session),
    ),
  again: interactionPath(deps.issuer, view),
});

/** Without a client. */
export function directPlace(
  { issuer }: Pick<FactorPlaceDeps, 'issuer'>,
  request: FastifyRequest,
  awaiting: boolean,
): FactorPlace {
  const { name, path } = destinationOfSignIn(request);
  return {
    path: (below = '') => pathUnder(issuer, factorPath(name, below)),
    formPurpose: formPurpose.signIn(),
    clientName: null,
    requiredClass: null,
    isStepUp: !awaiting,
    mayDecline: false,
    another: pathUnder(issuer, signInPath(name, { another: 'yes' })),
    methods: methodsPath(issuer),
    goOn: { href: pathUnder(issuer, path) },
    proven: async (reply) => seeOther(reply, pathUnder(issuer, path)),
    again: pathUnder(issuer, signInPath(name)),
  };
}

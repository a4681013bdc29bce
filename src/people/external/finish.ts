/** The browser has returned, and the machine accepts it: the result is a session, or a link. */
import { InvariantViolation } from '../../engine/errors.ts';
import type { ExternalSignIn } from '../../lifecycles/external-sign-in/entity.ts';
import type { ExternalSignInRow } from '../../lifecycles/external-sign-in/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import { type CookieHash, createSession } from '../../protocol/browser-session.ts';
import type { ExternalSignInDeps } from './deps.ts';

/** The returning browser, from HTTP. */
export type Returning = {
  /** The hash of the cookie that binds sign-ins to their browser. Null: not sent. */
  readonly browser: CookieHash | null;
  /** `old`: the session that the sign-in replaces. `new`: the cookie that the browser gets when it succeeds. */
  readonly cookie: { readonly old: CookieHash | null; readonly new: CookieHash };
  readonly userAgent: string | null;
};

/** The interaction that the sign-in resumes. Null: no client requested it. */
export type AskedBy = { readonly id: string; readonly sealed: string | null } | null;

export type Finished =
  | {
      /** `factorRequired`: the policy demands a second factor, which the identity provider did not report. */
      readonly kind: 'signedIn' | 'factorRequired';
      readonly session: Session;
      readonly askedBy: AskedBy;
      readonly provider: string;
      readonly destination: string | null;
    }
  | { readonly kind: 'linked'; readonly userId: string };

export const askedBy = ({ interactionId, sealedInteraction }: ExternalSignIn): AskedBy =>
  interactionId === null ? null : { id: interactionId, sealed: sealedInteraction };

/**
 * @param row after the answer was used. @param signInTimeIsKnown as in a session.
 * @returns null: meanwhile the end-user was disabled or deleted. @throws StoreUnavailable, Unavailable
 */
export async function finish(
  deps: ExternalSignInDeps,
  { row, serverEpoch }: { readonly row: ExternalSignInRow; readonly serverEpoch: bigint },
  { cookie, userAgent }: Returning,
  signInTimeIsKnown = true,
): Promise<Finished | null> {
  const { signIn, user } = row;
  if (user === null || signIn.amr === null || signIn.authenticatedAt === null) {
    throw new InvariantViolation('external sign-in: it was used, and does not say who signed in, how and when');
  }
  if (signIn.purpose === 'link') {
    await deps.tell?.(user.id, 'identity_linked');
    return { kind: 'linked', userId: user.id };
  }
  const { amr, authenticatedAt } = signIn;
  const { requiredClass } = signIn.requested;
  const said = { amr, authenticatedAt, signInTimeIsKnown, method: signIn.kind, requiredClass };
  const session = await createSession(deps, { ...user, serverEpoch }, cookie, userAgent, said);
  if (session === null) return null;
  const isSignedIn = session.state === 'active';
  if (isSignedIn) deps.whenSignedIn?.(session);
  return {
    kind: isSignedIn ? 'signedIn' : 'factorRequired',
    session,
    askedBy: askedBy(signIn),
    provider: signIn.provider,
    destination: signIn.requested.destination,
  };
}

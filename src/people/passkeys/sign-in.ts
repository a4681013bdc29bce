/** A sign-in with a passkey. The authenticator identifies the end-user, so the user types no username. */
import type { Session } from '../../model/session.ts';
import { byPasskey } from '../../oauth/authentication-methods.ts';
import {
  type CookieHash,
  createSessionBy,
  type SessionDeps,
  type SignedInUser,
} from '../../protocol/browser-session.ts';
import { placeOfSignIn } from './ask.ts';
import { type PasskeyRefusal, type PresentDeps, presentPasskey } from './present.ts';

export type PasskeySignInDeps = SessionDeps &
  PresentDeps & { readonly findUser: (userId: string) => Promise<SignedInUser | null> };

export type PasskeySent = {
  /** JSON. Null: not sent. */
  readonly credential: string | null;
  /** The purpose of the form. */
  readonly place: string;
  readonly cookie: { readonly old: CookieHash | null; readonly new: CookieHash; readonly browser: CookieHash };
  readonly userAgent: string | null;
  readonly requiredClass?: string | null;
};

export type PasskeySignInOutcome =
  | { readonly kind: 'signedIn'; readonly session: Session }
  | { readonly kind: 'passkeyRefused'; readonly reason: PasskeyRefusal; readonly userId: string | null };

/** @throws StoreUnavailable, Unavailable */
export async function signInByPasskey(
  deps: PasskeySignInDeps,
  { credential, place, cookie, userAgent, requiredClass }: PasskeySent,
): Promise<PasskeySignInOutcome> {
  const presented = await presentPasskey(deps, { credential, purpose: placeOfSignIn(cookie.browser, place), of: null });
  const { userId } = presented;
  const user = userId === null ? null : await deps.findUser(userId);
  /** Only for existing passkeys: a stranger's invented ones are in the log alone. */
  const refused = async (reason: PasskeyRefusal) => {
    if (userId !== null)
      await deps.signInLedger.refused({ method: 'passkey', reason, username: user?.username ?? null, userId });
    return { kind: 'passkeyRefused', reason, userId } as const;
  };
  if (presented.kind === 'passkeyRefused') return refused(presented.reason);
  // Since the check began, the end-user may have ended every session.
  if (user === null || user.disabledAt !== null || user.epoch !== presented.userEpoch) return refused('user_ended');
  const { factor, backupEligible } = presented;
  const authentication = { amr: byPasskey(backupEligible), method: 'passkey', requiredClass, factor } as const;
  const session = await createSessionBy(deps, user, cookie, userAgent, authentication);
  if (session === null) return refused('factor_removed');
  deps.whenSignedIn?.(session);
  return { kind: 'signedIn', session };
}

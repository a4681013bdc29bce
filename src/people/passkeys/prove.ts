/** A passkey of the account adds a factor to a session that has another one. */
import type { ProvenFactor } from '../../lifecycles/session/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import { byPasskey } from '../../oauth/authentication-methods.ts';
import { type CookieHash, strengthenSession } from '../../protocol/browser-session.ts';
import type { SecondFactorDeps } from '../second-factor/deps.ts';
import { placeOfFactor } from './ask.ts';
import { type PasskeyRefusal, type PresentDeps, presentPasskey } from './present.ts';

export type PasskeyProof =
  | { readonly kind: 'proven'; readonly session: Session; readonly factor: ProvenFactor }
  | { readonly kind: 'passkeyRefused'; readonly reason: PasskeyRefusal | 'session_ended' };

/** @param session awaits a second factor, or is active and becomes stronger. @throws StoreUnavailable, Unavailable */
export async function proveByPasskey(
  deps: SecondFactorDeps & PresentDeps,
  session: Session,
  {
    credential,
    browser,
    newCookie,
  }: { readonly credential: string | null; readonly browser: CookieHash; readonly newCookie: CookieHash },
): Promise<PasskeyProof> {
  const { userId, username } = session;
  const purpose = placeOfFactor(browser, session);
  const presented = await presentPasskey(deps, { credential, purpose, of: userId });
  if (presented.kind === 'passkeyRefused') {
    const { reason } = presented;
    if (presented.userId !== null) await deps.signInLedger.refused({ method: 'passkey', reason, username, userId });
    return { kind: 'passkeyRefused', reason };
  }
  const { factor, backupEligible } = presented;
  const stronger = await strengthenSession(deps, session, newCookie, { factor, amr: byPasskey(backupEligible) });
  if (stronger === null) return { kind: 'passkeyRefused', reason: 'session_ended' };
  if (session.state === 'awaitingSecondFactor') deps.whenSignedIn?.(stronger);
  return { kind: 'proven', session: stronger, factor };
}

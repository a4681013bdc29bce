/** What the sign-in page asks the browser's passkeys. */
import { CHALLENGE_SECONDS, siteOf } from '../../crypto/passkey-challenge.ts';
import type { CookieHash } from '../../protocol/browser-session.ts';
import { type ChallengeDeps, freshChallenge, purposeIn } from './challenge.ts';

export const placeOfSignIn = (browser: CookieHash, place: string): string => purposeIn(browser, `sign-in at ${place}`);

/**
 * For `navigator.credentials.get`: JSON. `allowCredentials` is empty, so any passkey for this site will do.
 * @returns null: this site can have no passkeys.
 */
export function signInOptions(
  deps: ChallengeDeps & { readonly issuer: string },
  browser: CookieHash,
  place: string,
): string | null {
  const site = siteOf(deps.issuer);
  if (site === null) return null;
  return JSON.stringify({
    challenge: freshChallenge(deps, placeOfSignIn(browser, place)).toString('base64url'),
    rpId: site.id,
    userVerification: 'required',
    timeout: CHALLENGE_SECONDS * 1000,
    allowCredentials: [],
  });
}

/**
 * The request of a page to the browser's passkeys: at a sign-in for any passkey of this site, as a second factor for
 * those of one account.
 */
import { CHALLENGE_SECONDS, siteOf } from '../../crypto/passkey-challenge.ts';
import { isSecondFactorOnly, type Passkey } from '../../lifecycles/passkey/entity.ts';
import type { Session } from '../../model/session.ts';
import type { CookieHash } from '../../protocol/browser-session.ts';
import { type ChallengeDeps, freshChallenge, purposeIn } from './challenge.ts';

export const placeOfSignIn = (browser: CookieHash, place: string): string => purposeIn(browser, `sign-in at ${place}`);
export const placeOfFactor = (browser: CookieHash, { sid }: Pick<Session, 'sid'>): string =>
  purposeIn(browser, `second factor of ${sid}`);

export type AskDeps = ChallengeDeps & { readonly issuer: string };
export type FactorAsked = {
  readonly session: Pick<Session, 'sid'>;
  /** The passkeys of the account. */
  readonly allowed: readonly Pick<Passkey, 'id' | 'credentialId' | 'transports'>[];
};

/**
 * For `navigator.credentials.get`: JSON. `allowCredentials` is empty, so any passkey for this site suffices.
 * @returns null: this site cannot have passkeys.
 */
export const signInOptions = (deps: AskDeps, browser: CookieHash, place: string): string | null =>
  optionsOf(deps, placeOfSignIn(browser, place), []);

/** @returns as `signInOptions`. */
export const factorOptions = (deps: AskDeps, browser: CookieHash, { session, allowed }: FactorAsked): string | null =>
  optionsOf(deps, placeOfFactor(browser, session), allowed);

function optionsOf(deps: AskDeps, purpose: string, allowed: FactorAsked['allowed']): string | null {
  const site = siteOf(deps.issuer);
  if (site === null) return null;
  return JSON.stringify({
    challenge: freshChallenge(deps, purpose).toString('base64url'),
    rpId: site.id,
    // A security key that is a second factor may be unable to verify its owner: the step before did.
    userVerification: allowed.some(isSecondFactorOnly) ? 'preferred' : 'required',
    timeout: CHALLENGE_SECONDS * 1000,
    allowCredentials: allowed.map(({ credentialId, transports }) => ({
      type: 'public-key',
      id: Buffer.from(credentialId).toString('base64url'),
      transports,
    })),
  });
}

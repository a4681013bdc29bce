/**
 * A new account with a passkey instead of a password. The use of the link, the account and its passkey are one commit
 * (src/lifecycles/email-challenge/), so no account exists that no end-user can enter.
 */
import { sha256 } from '../../crypto/digest.ts';
import { siteOf } from '../../crypto/passkey-challenge.ts';
import { uuidOf } from '../../crypto/random.ts';
import type { LinkUse } from '../../lifecycles/email-challenge/lifecycle.ts';
import { NO_PASSWORD } from '../../model/user.ts';
import type { CookieHash } from '../../protocol/browser-session.ts';
import type { FormCheck } from '../../protocol/form-purpose.ts';
import { answered, type ChallengeDeps, freshChallenge, purposeIn } from '../passkeys/challenge.ts';
import type { PasswordProblem } from '../passwords/rules.ts';

export type PasskeySignUpDeps = Omit<ChallengeDeps, 'challenges'> & {
  readonly issuer: string;
  /** `challenges` are links in mails here. */
  readonly passkeyChallenges: ChallengeDeps['challenges'];
};

/** The form of a link's page that may make an account. Null: not sent. */
export type NewAccountForm = {
  /** As in the URL. */
  readonly secret: string | null;
  readonly username: string | null;
  readonly password: string | null;
  /** The answer of an authenticator, instead of a password: JSON. */
  readonly credential: string | null;
  /** The hash of the cookie of the browser that sends the form. Null: it has none. */
  readonly browser: CookieHash | null;
  readonly isOurForm: FormCheck;
};

export type NewAccountProblem =
  | PasswordProblem
  | 'incomplete'
  | 'usernameRefused'
  | 'usernameMixesScripts'
  | 'usernameTaken'
  | 'passkeyRefused'
  | 'busy';

/** The page appears again, and the link stays valid. */
export type ShownAgain<Problem, View> = {
  readonly kind: 'again';
  readonly problem: Problem;
  readonly view: View;
  /** As typed. */
  readonly username: string;
};

/** The link whose page asks for the passkey. */
type Place = {
  /** As in the URL. */
  readonly secret: string;
  /** Of the page's forms. */
  readonly formPurpose: string;
  readonly browser: CookieHash;
};

const purposeOf = ({ formPurpose, browser }: Place): string => purposeIn(browser, `sign-up with ${formPurpose}`);

/**
 * The `sub` of the account that this link makes with a passkey. It is the same at each attempt, so an authenticator
 * replaces the passkey of an earlier attempt (WebAuthn §6.3.3 step 7). The server stores only the hash of the secret,
 * from which this id does not follow.
 */
export const accountOf = (secret: string): string =>
  uuidOf(sha256(`the account of the link ${secret}`).subarray(0, 16));

/**
 * For `navigator.credentials.create`: JSON. @param username the script of the page replaces it with the typed one.
 * @returns null: the site cannot have passkeys.
 */
export async function passkeyOfSignUpOptions(
  deps: PasskeySignUpDeps,
  place: Place,
  username: string,
): Promise<string | null> {
  const site = siteOf(deps.issuer);
  if (site === null) return null;
  const { registrationOptions } = await import('../../crypto/webauthn.ts');
  const challenge = freshChallenge(challengesOf(deps), purposeOf(place));
  const userId = accountOf(place.secret);
  return JSON.stringify(await registrationOptions({ site, challenge, userId, username, known: [] }));
}

/**
 * @param credential JSON. @returns null: the passkey is not one for this site, browser and link, or its authenticator did
 * not verify the user.
 * @throws StoreUnavailable
 */
export async function accountByPasskey(
  deps: PasskeySignUpDeps,
  { secret, browser }: Pick<NewAccountForm, 'secret' | 'browser'>,
  formPurpose: string,
  credential: string,
  username: string,
): Promise<Extract<LinkUse, { kind: 'account' }> | null> {
  if (secret === null || browser === null) return null;
  const place = { secret, formPurpose, browser };
  const answer = await answered(challengesOf(deps), purposeOf(place), credential);
  const site = siteOf(deps.issuer);
  if (answer === null || site === null) return null;
  const { verifiedRegistration } = await import('../../crypto/webauthn.ts');
  const made = await verifiedRegistration(answer.sent, site, answer.challenge);
  if (made === null) return null;
  const id = accountOf(secret);
  return {
    kind: 'account',
    id,
    registration: { username, passwordHash: NO_PASSWORD, claims: {} },
    passkey: { ...made, id: deps.random.uuid(), userId: id, name: 'Passkey' },
  };
}

const challengesOf = ({ passkeyChallenges: challenges, ...deps }: PasskeySignUpDeps): ChallengeDeps => ({
  ...deps,
  challenges,
});

/** A sign-in with a passkey: the authenticator knows who the end-user is, so no username is typed. */
import { base64urlDecode } from '../../crypto/base64url.ts';
import { siteOf } from '../../crypto/passkey-challenge.ts';
import { verifiedCounter } from '../../crypto/webauthn.ts';
import { askPasskey, type PasskeyStore } from '../../lifecycles/passkey.ts';
import type { Session } from '../../model/session.ts';
import { byPasskey } from '../../oauth/authentication-methods.ts';
import {
  type CookieHash,
  createSessionBy,
  type SessionDeps,
  type SignedInUser,
} from '../../protocol/browser-session.ts';
import { placeOfSignIn } from './ask.ts';
import { type ChallengeDeps, readAnswer } from './challenge.ts';

export type PasskeySignInDeps = SessionDeps &
  ChallengeDeps & {
    readonly issuer: string;
    readonly passkeys: PasskeyStore;
    readonly findUser: (userId: string) => Promise<SignedInUser | null>;
  };

export type PasskeySent = {
  /** JSON; null: not sent. */
  readonly credential: string | null;
  /** The purpose of the form. */
  readonly place: string;
  readonly cookie: { readonly old: CookieHash | null; readonly new: CookieHash; readonly browser: CookieHash };
  readonly userAgent: string | null;
  readonly requiredClass?: string | null;
};

export type PasskeyRefusal =
  | 'challenge_refused'
  | 'passkey_unknown'
  | 'signature_mismatch'
  | 'signature_counter_fell_back'
  | 'factor_removed'
  | 'user_ended';
export type PasskeySignInOutcome =
  | { readonly kind: 'signedIn'; readonly session: Session }
  | { readonly kind: 'passkeyRefused'; readonly reason: PasskeyRefusal; readonly userId: string | null };

/** @throws StoreUnavailable, Unavailable */
export async function signInByPasskey(
  deps: PasskeySignInDeps,
  { credential, place, cookie, userAgent, requiredClass }: PasskeySent,
): Promise<PasskeySignInOutcome> {
  const refused = (reason: PasskeyRefusal) => ({ kind: 'passkeyRefused', reason, userId: null }) as const;
  const answer = readAnswer(deps, placeOfSignIn(cookie.browser, place), credential);
  if (answer === null) return refused('challenge_refused');
  const { sent, challenge, spend } = answer;
  const site = siteOf(deps.issuer);
  const credentialId = base64urlDecode(sent.id);
  const loaded = credentialId && (await deps.passkeys.load({ credentialId }));
  if (!credentialId || !loaded) return refused('passkey_unknown');
  const { id, userId, publicKey, backupEligible } = loaded.passkey;
  // WebAuthn §7.2 step 6: the authenticator names the end-user whose passkey it is.
  const handle = sent.response.userHandle;
  if (handle !== undefined && Buffer.from(handle, 'base64url').toString() !== userId) return refused('passkey_unknown');
  const user = await deps.findUser(userId);
  /** Only of passkeys that there are: what strangers make up is in the log alone. */
  const refusedFor = async (reason: PasskeyRefusal) => {
    await deps.signInLedger.refused({ method: 'passkey', reason, username: user?.username ?? null, userId });
    return { kind: 'passkeyRefused', reason, userId } as const;
  };
  const counter = site && (await verifiedCounter(sent, site, challenge, publicKey));
  if (typeof counter === 'number' && !(await spend())) return refusedFor('challenge_refused');
  const decided = await askPasskey(deps, { credentialId }, { type: 'presented', counter }, loaded);
  if (decided === null) return refused('passkey_unknown');
  if (decided.kind === 'rejected') return refusedFor(decided.reason as PasskeyRefusal);
  if (user === null || user.disabledAt !== null) return refusedFor('user_ended');
  const factor = { kind: 'passkey', id } as const;
  const authentication = { amr: byPasskey(backupEligible), method: 'passkey', requiredClass, factor } as const;
  const session = await createSessionBy(deps, user, cookie, userAgent, authentication);
  if (session === null) return refusedFor('factor_removed');
  deps.whenSignedIn?.(session);
  return { kind: 'signedIn', session };
}

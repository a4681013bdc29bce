/**
 * Checks username and password. Only failures are counted: per account with address, and per address, so that no other address
 * can lock an end-user out. Unknown user, wrong password and disabled user get the same outcome after the same work.
 */
import { hmacSha256 } from '../crypto/digest.ts';
import { matchesPassword } from '../crypto/password.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import type { Session } from '../model/session.ts';
import { type CookieHash, createSession, type SessionDeps, type SignedInUser } from './browser-session.ts';

export type SignInDeps = SessionDeps & {
  readonly keys: RootKeys;
  readonly users: {
    readonly findForSignIn: (username: string) => Promise<SignedInUser | null>;
    /** The same for every spelling of one username. */
    readonly keyOf: (username: string) => string;
  };
  readonly signInFailures: {
    /** Counts one attempt under each key. @returns the count of the running window, in the order of the keys. */
    readonly count: (keyHashes: readonly Buffer[], windowSeconds: number) => Promise<number[]>;
    /** The attempt was no failure. */
    readonly giveBack: (keyHashes: readonly Buffer[]) => Promise<unknown>;
  };
};

export type SignInForm = {
  /** Null: not sent, or sent in a way that cannot be read. */
  readonly username: string | null;
  readonly password: string | null;
  /** One key for all addresses that count as the same sender. */
  readonly address: string;
  /** `old`: the session that the sign-in replaces. `new`: the cookie that the browser gets when it succeeds. */
  readonly cookie: { readonly old: CookieHash | null; readonly new: CookieHash };
  /** As the browser introduced itself; null: it did not. */
  readonly userAgent: string | null;
};

export type SignInOutcome =
  | { readonly kind: 'signedIn'; readonly session: Session }
  | {
      readonly kind: 'signInRefused';
      readonly reason: 'form_incomplete' | 'credentials_mismatch' | 'throttled_account' | 'throttled_address';
      /** As typed, to be shown again. */
      readonly username: string;
      /** Null: trying again at once may succeed. */
      readonly retryAfterSeconds: number | null;
    };

/** @throws StoreUnavailable */
export async function signIn(deps: SignInDeps, form: SignInForm): Promise<SignInOutcome> {
  const { address } = form;
  const username = form.username ?? '';
  const password = form.password ?? '';
  const refused = { kind: 'signInRefused', username, retryAfterSeconds: null } as const;
  if (username === '' || password === '') return { ...refused, reason: 'form_incomplete' };

  const policy = deps.configuration().signIn;
  const key = (...parts: string[]) => hmacSha256(deps.keys.first.key('throttle'), parts.join('\n'));
  const keys = [key('account', address, deps.users.keyOf(username)), key('address', address)];

  // Counted before the password is looked at, so that parallel guesses cannot slip past the limit together.
  const [ofAccount = 0, ofAddress = 0] = await deps.signInFailures.count(keys, policy.failureWindowSeconds);
  const throttled =
    ofAccount > policy.failuresPerAccountAndAddress
      ? 'throttled_account'
      : ofAddress > policy.failuresPerAddress
        ? 'throttled_address'
        : null;
  if (throttled) return { ...refused, reason: throttled, retryAfterSeconds: policy.failureWindowSeconds };

  const user = await deps.users.findForSignIn(username);
  const matches = await matchesPassword(user?.passwordHash ?? null, rawSecret(password));
  if (!user || !matches || user.disabledAt !== null) return { ...refused, reason: 'credentials_mismatch' };
  await deps.signInFailures.giveBack(keys);
  return { kind: 'signedIn', session: await createSession(deps, user, form.cookie, form.userAgent) };
}

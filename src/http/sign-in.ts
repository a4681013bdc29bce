/**
 * Checking username and password. Failures, and only they, are counted: per account with address, and per address.
 * Nobody at another address can lock a person out. Unknown user, wrong password, disabled user: same words, same work.
 */
import type { FastifyRequest } from 'fastify';
import { hmacSha256 } from '../crypto/digest.ts';
import { matchesPassword } from '../crypto/password.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import type { User } from '../model/user.ts';
import { findUserForSignIn, usernameKey } from '../storage/users.ts';
import { addressKey } from './address-key.ts';
import type { HttpDeps } from './deps.ts';

export type SignedInUser = User & { readonly serverEpoch: bigint };

export type SignInResult =
  | { readonly kind: 'signedIn'; readonly user: SignedInUser }
  | {
      readonly kind: 'refused';
      readonly reason: 'credentials_mismatch' | 'throttled_account' | 'throttled_address';
      readonly words: string;
      readonly retryAfterSeconds: number | null;
    };

export async function signIn(
  deps: HttpDeps,
  request: FastifyRequest,
  username: string,
  password: string,
): Promise<SignInResult> {
  const policy = deps.configuration().signIn;
  const address = addressKey(request.ip, request.socket.remoteAddress ?? '');
  const key = (...parts: string[]) => hmacSha256(deps.keys.first.key('throttle'), parts.join('\n'));
  const keys = [key('account', address, usernameKey(username)), key('address', address)];

  // Counted before the password is looked at, so that parallel guesses cannot slip past the limit together.
  const [ofAccount = 0, ofAddress = 0] = await deps.signInFailures.count(keys, policy.failureWindowSeconds);
  const throttled =
    ofAccount > policy.failuresPerAccountAndAddress
      ? 'throttled_account'
      : ofAddress > policy.failuresPerAddress
        ? 'throttled_address'
        : null;
  if (throttled) {
    const words = 'Too many failed attempts from your network. Wait a few minutes, then try again.';
    return { kind: 'refused', reason: throttled, words, retryAfterSeconds: policy.failureWindowSeconds };
  }

  const user = await findUserForSignIn(deps.db, username);
  const matches = await matchesPassword(user?.passwordHash ?? null, rawSecret(password));
  if (!user || !matches || user.disabledAt !== null) {
    const words = 'Username or password is not right. Check both and try again.';
    return { kind: 'refused', reason: 'credentials_mismatch', words, retryAfterSeconds: null };
  }
  await deps.signInFailures.giveBack(keys);
  return { kind: 'signedIn', user };
}

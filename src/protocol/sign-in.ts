/**
 * Signing in with username and password, wherever the form stands. Failures are limited for an account at one address, for an
 * address, and for an account (docs/decisions/0025); all refusals of checked passwords come after the same work.
 */
import { hmacSha256 } from '../crypto/digest.ts';
import { matchesPassword } from '../crypto/password.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import type { Session } from '../model/session.ts';
import type { BoundedQueue } from '../system/bounded-queue.ts';
import { type CookieHash, createSession, type SessionDeps, type SignedInUser } from './browser-session.ts';

export type SignInCapacity = {
  /** A line for each address: so its guesses are counted one after the other, and cannot slip past a limit together. */
  readonly attempts: BoundedQueue;
  readonly hashes: BoundedQueue;
};

export type SignInDeps = SessionDeps & {
  readonly keys: RootKeys;
  readonly users: {
    readonly findForSignIn: (username: string) => Promise<SignedInUser | null>;
    /** The same for every spelling of one username. */
    readonly keyOf: (username: string) => string;
  };
  readonly signInFailures: {
    /** Counts nothing. @returns the failures of the running window, in the order of the keys. */
    readonly countsOf: (keyHashes: readonly Buffer[]) => Promise<number[]>;
    /** Counts one failure under each key. @returns the failures of the running window, in the order of the keys. */
    readonly count: (keyHashes: readonly Buffer[], windowSeconds: number) => Promise<number[]>;
  };
  readonly signInCapacity: SignInCapacity;
};

export type SignInForm = {
  /** Null: not sent, or sent in a way that cannot be read. */
  readonly username: string | null;
  readonly password: string | null;
  /** One key for all addresses that count as the same sender. */
  readonly address: string;
  /**
   * `old`: the session that the sign-in replaces. `new`: the cookie that the browser gets when it succeeds. `browser`: the cookie
   * that the form is bound to; it pays for few attempts at once.
   */
  readonly cookie: { readonly old: CookieHash | null; readonly new: CookieHash; readonly browser: CookieHash | null };
  /** As the browser introduced itself; null: it did not. */
  readonly userAgent: string | null;
  /** Comes when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
};

export type SignInRefusal =
  | 'form_incomplete'
  | 'credentials_mismatch'
  | 'throttled_account'
  | 'throttled_address'
  /** More sign-ins than this node takes at once; the password was not looked at. */
  | 'busy'
  /** The caller hung up before the password was looked at. */
  | 'caller_gone';

export type SignInOutcome =
  | { readonly kind: 'signedIn'; readonly session: Session }
  | {
      readonly kind: 'signInRefused';
      readonly reason: SignInRefusal;
      /** As typed, to be shown again. */
      readonly username: string;
      /** Null: trying again at once may succeed. */
      readonly retryAfterSeconds: number | null;
    };

const BUSY_SECONDS = 2;
const TURNED_AWAY = { full: 'busy', abandoned: 'caller_gone' } as const;

/** @throws StoreUnavailable */
export async function signIn(deps: SignInDeps, form: SignInForm): Promise<SignInOutcome> {
  const username = form.username ?? '';
  const password = form.password ?? '';
  const refused = (reason: SignInRefusal, retryAfterSeconds: number | null = null) =>
    ({ kind: 'signInRefused', username, reason, retryAfterSeconds }) as const;
  if (username === '' || password === '') return refused('form_incomplete');

  const place = {
    line: form.address,
    ticket: Buffer.from(form.cookie.browser ?? []).toString('hex'),
    signal: form.gone,
  };
  const attempt = await deps.signInCapacity.attempts.run(place, () =>
    checkCredentials(deps, { username, password, address: form.address, gone: form.gone }),
  );
  if (attempt.kind !== 'done') return refused(TURNED_AWAY[attempt.kind], BUSY_SECONDS);
  const checked = attempt.value;
  if (typeof checked !== 'string') {
    return { kind: 'signedIn', session: await createSession(deps, checked, form.cookie, form.userAgent) };
  }
  const waits = checked === 'busy' || checked === 'caller_gone';
  const throttled = checked === 'throttled_account' || checked === 'throttled_address';
  const seconds = throttled ? deps.configuration().signIn.failureWindowSeconds : waits ? BUSY_SECONDS : null;
  return refused(checked, seconds);
}

type Typed = {
  readonly username: string;
  readonly password: string;
  readonly address: string;
  readonly gone: AbortSignal;
};

/** Once an account has had its failures from everywhere, an address that has not failed there still has this many. */
const FAILURES_OF_FRESH_ADDRESS = 1;

/** @returns the user, or why not. */
async function checkCredentials(
  deps: SignInDeps,
  { username, password, address, gone }: Typed,
): Promise<SignedInUser | SignInRefusal> {
  const policy = deps.configuration().signIn;
  const keys = keysOf(deps, address, username);
  const [ofPair = 0, ofAddress = 0, ofAccount = 0] = await deps.signInFailures.countsOf([
    keys.pair,
    keys.address,
    keys.account,
  ]);
  const limitOfPair =
    ofAccount < policy.failuresPerAccount ? policy.failuresPerAccountAndAddress : FAILURES_OF_FRESH_ADDRESS;
  if (ofPair >= limitOfPair) return 'throttled_account';

  const user = await deps.users.findForSignIn(username);
  const hashed = await deps.signInCapacity.hashes.run({ line: address, ticket: address, signal: gone }, () =>
    matchesPassword(user?.passwordHash ?? null, rawSecret(password)),
  );
  if (hashed.kind !== 'done') return TURNED_AWAY[hashed.kind];
  if (hashed.value && user && user.disabledAt === null) return user;

  const isThrottled = ofAddress >= policy.failuresPerAddress;
  const [failures = 0] = await deps.signInFailures.count(
    isThrottled ? keysOfThrottledAddress(keys, user !== null) : [keys.pair, keys.account, keys.address],
    policy.failureWindowSeconds,
  );
  if (isThrottled) return 'throttled_address';
  // Another node was faster: this guess is one too many, and is told nothing.
  return failures > limitOfPair ? 'throttled_account' : 'credentials_mismatch';
}

type Keys = Readonly<Record<'pair' | 'address' | 'account' | 'nobodyHere' | 'nobodyThere', Buffer>>;

function keysOf({ keys, users }: SignInDeps, address: string, username: string): Keys {
  const key = (...parts: string[]) => hmacSha256(keys.first.key('throttle'), parts.join('\n'));
  const account = users.keyOf(username);
  return {
    pair: key('account', address, account),
    address: key('address', address),
    account: key('account', account),
    nobodyHere: key('nobody', address, 'pair'),
    nobodyThere: key('nobody', address, 'account'),
  };
}

/**
 * Its failures go on counting for the accounts that they were aimed at. A name that nobody has would be a new row each time, so
 * all such names share two rows: as many as an account takes, so that the time tells nothing.
 */
const keysOfThrottledAddress = (keys: Keys, userExists: boolean): readonly Buffer[] =>
  userExists ? [keys.pair, keys.account] : [keys.nobodyHere, keys.nobodyThere];

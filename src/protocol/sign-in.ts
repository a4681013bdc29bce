/**
 * Signing in with username and password, wherever the form stands. After failures there are delays: for an account at one address,
 * for an account, and for an address (docs/decisions/0025, 0036). A browser that is known to the account waits for its own failures
 * alone. All refusals of checked passwords come after the same work.
 */
import { type KnownDevice, knownDevice, rememberDevice } from '../crypto/device-cookie.ts';
import { hmacSha256 } from '../crypto/digest.ts';
import { hashPassword, isOutdatedHash, matchesPassword, provesWhole } from '../crypto/password.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type PasswordHash, rawSecret } from '../crypto/secret-types.ts';
import { Unavailable } from '../engine/errors.ts';
import { networksOf } from '../model/networks.ts';
import type { Session } from '../model/session.ts';
import { BY_PASSWORD } from '../oauth/authentication-methods.ts';
import type { BoundedQueue } from '../system/bounded-queue.ts';
import { type CookieHash, createSession, type SessionDeps, type SignedInUser } from './browser-session.ts';
import {
  delayAfter,
  type Failures,
  NO_FAILURES,
  ofNetworks,
  together,
  waitOfAddress,
  waitOfKnownDevice,
} from './sign-in-throttle.ts';

export type SignInCapacity = {
  /** A line for each address: so its guesses are counted one after the other, and cannot slip past a limit together. */
  readonly attempts: Pick<BoundedQueue, 'run'>;
  readonly hashes: Pick<BoundedQueue, 'run'>;
};

export type SignInDeps = SessionDeps & {
  readonly keys: RootKeys;
  readonly users: {
    readonly findForSignIn: (username: string) => Promise<SignedInUser | null>;
    /** The same for every spelling of one username. */
    readonly keyOf: (username: string) => string;
    /** The right password was hashed again: `checked` is replaced where it is still stored. @throws Unavailable */
    readonly rehashed: (id: string, checked: PasswordHash, passwordHash: PasswordHash) => Promise<void>;
  };
  readonly signInFailures: {
    /** Counts nothing. @returns the failures of the running window, in the order of the keys. */
    readonly countsOf: (keyHashes: readonly Buffer[]) => Promise<number[]>;
    /** Counts nothing. `failures`: in the order of the keys. */
    readonly recentOf: (keyHashes: readonly Buffer[]) => Promise<{ now: Date; failures: readonly Failures[] }>;
    /**
     * Counts one failure under each key.
     * @param lasting are kept for two windows after the last failure; others for one after the first.
     * @returns the failures of the running window, in the order of the keys.
     */
    readonly count: (
      keyHashes: readonly Buffer[],
      windowSeconds: number,
      lasting?: readonly Buffer[],
    ) => Promise<number[]>;
    readonly forget: (keyHashes: readonly Buffer[]) => Promise<void>;
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
  /** The cookie by which the browser is known to accounts, as sent; `remember` sets it after the right password. Absent: no browser. */
  readonly device?: {
    readonly cookie: string | null;
    readonly remember: (cookie: string, lifetimeSeconds: number) => void;
  };
  /** As the browser introduced itself; null: it did not. */
  readonly userAgent: string | null;
  /** Comes when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
  /** The class that the client demands; null: no client does. */
  readonly requiredClass?: string | null;
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
  /** The password is right, and a second factor has to follow: the browser gets the cookie of the session, which awaits it. */
  | { readonly kind: 'factorRequired'; readonly session: Session }
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
  const checked = await verifyCredentials(deps, form);
  if (checked.kind !== 'verified') return checked;
  const { requiredClass } = form;
  const session = await createSession(deps, checked.user, form.cookie, form.userAgent, {
    amr: BY_PASSWORD,
    requiredClass,
  });
  // A thief of the password alone is not known for it.
  if (session.state !== 'active') return { kind: 'factorRequired', session };
  checked.remember();
  deps.whenSignedIn?.(session);
  return { kind: 'signedIn', session };
}

export type Credentials = Pick<SignInForm, 'username' | 'password' | 'address' | 'device' | 'gone'> & {
  readonly cookie: Pick<SignInForm['cookie'], 'browser'>;
};

/** The right password, under the limits of every sign-in. Makes no session. @throws StoreUnavailable */
export async function verifyCredentials(
  deps: SignInDeps,
  form: Credentials,
): Promise<
  /** `remember`: called where the browser is signed in, which is known to the account from then on. */
  | { readonly kind: 'verified'; readonly user: SignedInUser; readonly remember: () => void }
  | Extract<SignInOutcome, { readonly kind: 'signInRefused' }>
> {
  const username = form.username ?? '';
  const password = form.password ?? '';
  const refused = (reason: SignInRefusal, retryAfterSeconds: number | null = null) =>
    ({ kind: 'signInRefused', username, reason, retryAfterSeconds }) as const;
  if (username === '' || password === '') return refused('form_incomplete');

  const attempt = { ...attemptOf(deps, form, username), password, gone: form.gone };
  const place = {
    line: attempt.line,
    ticket: Buffer.from(form.cookie.browser ?? []).toString('hex'),
    signal: form.gone,
    ahead: attempt.device !== null,
  };
  const run = await deps.signInCapacity.attempts.run(place, () => checkCredentials(deps, attempt));
  if (run.kind !== 'done') return refused(TURNED_AWAY[run.kind], BUSY_SECONDS);
  const checked = run.value;
  if (checked.kind === 'refused') return refused(checked.reason, checked.retryAfterSeconds);

  const { user, now, renewed } = checked;
  if (renewed !== null) await rehash(deps, user, renewed);
  return { kind: 'verified', user, remember: () => rememberBrowser(deps, form.device, username, now) };
}

/** The browser is signed in, by whatever way: it is known to the account from then on. */
export function rememberBrowser(
  deps: Pick<SignInDeps, 'keys' | 'random' | 'users' | 'configuration'>,
  device: SignInForm['device'],
  username: string,
  now: Date,
): void {
  const { knownDeviceLifetimeSeconds: lifetime } = deps.configuration().signIn;
  const endsAt = new Date(now.getTime() + lifetime * 1000);
  device?.remember(rememberDevice(deps, device.cookie, deps.users.keyOf(username), endsAt), lifetime);
}

/**
 * The end-user has set a new password by another proof: what failed here at this account before was about the old password, and the
 * new one need not wait for it. Other accounts and other addresses go on waiting. @throws StoreUnavailable
 */
export async function forgetFailures(
  deps: SignInDeps,
  form: Pick<SignInForm, 'address' | 'device'>,
  username: string,
): Promise<void> {
  const { pair, behind, device } = keysOf(deps, attemptOf(deps, form, username));
  await deps.signInFailures.forget([pair, behind, device]);
}

/** Whether it succeeds is not what the sign-in depends on: the next does it again. */
async function rehash(deps: SignInDeps, { id, passwordHash }: SignedInUser, renewed: PasswordHash): Promise<void> {
  try {
    await deps.users.rehashed(id, passwordHash, renewed);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
}

/** Who tries, and from where. */
type Attempt = {
  readonly username: string;
  /** One text for every spelling of the username. */
  readonly account: string;
  readonly address: string;
  /** Null: the browser is not known to this account. */
  readonly device: KnownDevice | null;
  /** Of the queues: a known device waits in its own. */
  readonly line: string;
};
type Typed = Attempt & { readonly password: string; readonly gone: AbortSignal };

function attemptOf(
  { keys, users }: SignInDeps,
  form: Pick<SignInForm, 'address' | 'device'>,
  username: string,
): Attempt {
  const { address } = form;
  const account = users.keyOf(username);
  const device = knownDevice(keys, form.device?.cookie ?? null, account);
  return { username, account, address, device, line: device === null ? address : `device ${device.id}` };
}

type Checked =
  /** `renewed`: the password, hashed as this version hashes; null: it is stored like that. */
  | {
      readonly kind: 'right';
      readonly user: SignedInUser;
      readonly now: Date;
      readonly renewed: PasswordHash | null;
    }
  | { readonly kind: 'refused'; readonly reason: SignInRefusal; readonly retryAfterSeconds: number | null };

const refusing = (reason: SignInRefusal, retryAfterSeconds: number | null = null): Checked => ({
  kind: 'refused',
  reason,
  // At least one: 0 would mean at once.
  retryAfterSeconds: retryAfterSeconds === null ? null : Math.max(1, Math.ceil(retryAfterSeconds)),
});

async function checkCredentials(deps: SignInDeps, attempt: Typed): Promise<Checked> {
  const policy = deps.configuration().signIn;
  const keys = keysOf(deps, attempt);
  const { now, failures } = await deps.signInFailures.recentOf([
    keys.pair,
    keys.address,
    keys.account,
    keys.behind,
    keys.device,
    ...keys.wider,
  ]);
  const [ofPair = NO_FAILURES, ofOwn = NO_FAILURES, ofAccount = NO_FAILURES, behind = NO_FAILURES, ...others] =
    failures;
  const [ofDevice = NO_FAILURES, ...ofWider] = others;
  const ofEach = [ofOwn, ...ofWider];
  const networks = networksOf(attempt.address).map(({ times }, at) => ({ ...(ofEach[at] ?? NO_FAILURES), times }));
  const ofAddress = ofNetworks(networks, policy);
  const isKnown = attempt.device !== null && attempt.device.endsAt > now;
  // An address with so many failures is told nothing; the right password signs in all the same.
  const isThrottled = !isKnown && ofAddress.failures >= policy.failuresPerAddress;
  const own = isKnown ? ofDevice : isThrottled ? together(ofPair, behind) : ofPair;
  const wait = isKnown ? waitOfKnownDevice(own, policy) : waitOfAddress({ own, ofAddress, ofAccount }, policy);
  if (wait > 0 && !isThrottled) return refusing('throttled_account', wait);

  const { line, gone } = attempt;
  const user = await deps.users.findForSignIn(attempt.username);
  const hashed = await deps.signInCapacity.hashes.run({ line, ticket: line, signal: gone, ahead: isKnown }, () =>
    checkPassword(user, attempt.password),
  );
  if (hashed.kind !== 'done') return refusing(TURNED_AWAY[hashed.kind], BUSY_SECONDS);
  if (hashed.value.matches && user && user.disabledAt === null && wait === 0)
    return { kind: 'right', user, now, renewed: hashed.value.renewed };

  const { failureWindowSeconds: window } = policy;
  if (isThrottled) {
    await deps.signInFailures.count(keysOfThrottledAddress(keys, user !== null && wait === 0), window, [keys.behind]);
    return refusing('throttled_address', ofAddress.secondsLeft);
  }
  const ownKey = isKnown ? keys.device : keys.pair;
  const [counted = 0] = await deps.signInFailures.count([ownKey, keys.account, keys.address, ...keys.wider], window, [
    ownKey,
  ]);
  await deps.signInLedger.refused({
    method: 'password',
    reason: 'credentials_mismatch',
    username: attempt.username,
    userId: user?.id ?? null,
  });
  // Another node was faster: this guess should have waited, and is told nothing.
  const isOneTooMany = counted > own.failures + 1 && delayAfter(counted - 1, policy) > 0;
  return isOneTooMany ? refusing('throttled_account', delayAfter(counted, policy)) : refusing('credentials_mismatch');
}

/** In one turn of the queue: a hash that another system made gives way to our own. */
async function checkPassword(user: SignedInUser | null, typed: string) {
  const password = rawSecret(typed);
  const matches = await matchesPassword(user?.passwordHash ?? null, password);
  const isToBeRenewed =
    matches &&
    user?.disabledAt === null &&
    isOutdatedHash(user.passwordHash) &&
    provesWhole(user.passwordHash, password);
  return { matches, renewed: isToBeRenewed ? await hashPassword(password) : null };
}

type Keys = Readonly<
  Record<'pair' | 'address' | 'account' | 'behind' | 'device' | 'nobodyHere' | 'nobodyThere', Buffer>
> & {
  /** Of the networks around the address. */
  readonly wider: readonly Buffer[];
};

function keysOf({ keys }: SignInDeps, { address, account, device }: Attempt): Keys {
  const key = (...parts: string[]) => hmacSha256(keys.first.key('throttle'), parts.join('\n'));
  return {
    pair: key('account', address, account),
    address: key('address', address),
    wider: networksOf(address)
      .slice(1)
      .map((network) => key('address', network.key)),
    account: key('account', account),
    behind: key('behind', address, account),
    device: key('device', device?.id ?? '', account),
    nobodyHere: key('nobody', address, 'pair'),
    nobodyThere: key('nobody', address, 'account'),
  };
}

/**
 * A throttled address goes on being counted at accounts that exist, in a row that is looked at only while it is throttled: so its own
 * answers do not tell who exists, then or later. A name that nobody has would be a new row each time, so all such names share a row.
 * As many rows for each, so that the time tells nothing.
 */
const keysOfThrottledAddress = (keys: Keys, counts: boolean): readonly Buffer[] =>
  counts ? [keys.behind, keys.nobodyThere] : [keys.nobodyHere, keys.nobodyThere];

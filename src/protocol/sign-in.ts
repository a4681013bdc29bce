/**
 * Sign-in with username or e-mail address, and password, for every form. Failures cause delays: for an account at one address, for an
 * account, and for an address (docs/decisions/0025, 0036). A trusted device waits for its own failures alone. Every
 * rejection of a checked password takes the same work.
 */
import { type KnownDevice, knownDevice, rememberDevice } from '../crypto/device-cookie.ts';
import { hmacSha256 } from '../crypto/digest.ts';
import { hashPassword, isOutdatedHash, matchesPassword, provesWhole } from '../crypto/password.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type PasswordHash, type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import { Unavailable } from '../engine/errors.ts';
import type { ProvenFactor } from '../lifecycles/session/lifecycle.ts';
import type { SignInMethod } from '../lifecycles/session/sign-in.ts';
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
  /** A queue for each address: it counts guesses in sequence, so that they cannot exceed a limit together. */
  readonly attempts: Pick<BoundedQueue, 'run'>;
  readonly hashes: Pick<BoundedQueue, 'run'>;
};

/** The password of this end-user was right, and a second factor is missing. */
export type StandInAsked = {
  readonly userId: string;
  readonly username: string;
  /** SHA-256 of the secrets that the browser sent. */
  readonly sent: readonly CookieHash[];
  /** A client demands several factors, or the end-user is an administrator. */
  readonly proofIsDemanded: boolean;
};

export type SignInDeps = SessionDeps & {
  /** Whether a trusted browser stands in for the second factor. Null: the factor is asked for. Absent: no browser does. */
  readonly standIn?: (asked: StandInAsked) => Promise<ProvenFactor | null>;
  readonly keys: RootKeys;
  /** A secret that another system added to the passwords of imported hashes. Absent: none. */
  readonly passwordPepper?: RawSecret | null | undefined;
  readonly users: {
    /** @param typed an identifier of the current policy: a username, or a verified address. */
    readonly findForSignIn: (typed: string) => Promise<SignedInUser | null>;
    /** An end-user who is signed in already. */
    readonly findToVerify: (userId: string) => Promise<SignedInUser | null>;
    /** The same key for every spelling of one username. */
    readonly keyOf: (username: string) => string;
    /** The same key for every identifier of one account: that of its username. Of no account: the key of the text. */
    readonly accountKeyOf: (typed: string) => Promise<string>;
    /**
     * Stores a new hash of the right password. The hash replaces `checked`, if that is still stored. @throws
     * Unavailable
     */
    readonly rehashed: (id: string, checked: PasswordHash, passwordHash: PasswordHash) => Promise<void>;
  };
  readonly signInFailures: {
    /** Counts no failure. `failures`: of the running window, in the order of the keys. */
    readonly recentOf: (keyHashes: readonly Buffer[]) => Promise<{ now: Date; failures: readonly Failures[] }>;
    /**
     * Counts one failure under each key.
     * @param lasting keys stay for two windows after the last failure. Others stay for one window after the first.
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
  /** Null: not sent, or unreadable. */
  readonly username: string | null;
  readonly password: string | null;
  /** The throttle key of the sender. Addresses that count as one sender share it. */
  readonly address: string;
  /**
   * `old`: the session that the sign-in replaces. `new`: the cookie that the browser gets when the sign-in succeeds.
   * `browser`: the cookie to which the form is bound. It bounds the concurrent attempts of one browser. `trusted`: the
   * secrets of a trusted browser. Absent: none.
   */
  readonly cookie: {
    readonly old: CookieHash | null;
    readonly new: CookieHash;
    readonly browser: CookieHash | null;
    readonly trusted?: readonly CookieHash[];
  };
  /** The device cookie, as sent. `remember` sets it after the right password. Absent: no browser. */
  readonly device?: {
    readonly cookie: string | null;
    readonly remember: (cookie: string, lifetimeSeconds: number) => void;
  };
  /** The User-Agent header. Null: not sent. */
  readonly userAgent: string | null;
  /** Aborts when the caller no longer waits for the answer. */
  readonly gone: AbortSignal;
  /** The class that the client demands. Null: no client demands one. */
  readonly requiredClass?: string | null;
  /** Asks a challenge service, before the password is checked. Absent or null: no reason to refuse. */
  readonly refusedAsBot?: () => Promise<BotRefusal | null>;
};

export type BotRefusal = 'bot_check_missing' | 'bot_check_failed' | 'bot_check_unavailable';

export type SignInRefusal =
  | 'form_incomplete'
  | 'credentials_mismatch'
  | 'throttled_account'
  | 'throttled_address'
  /** The node has too many concurrent sign-ins. It did not check the password. */
  | 'busy'
  /** The caller closed the connection before the password was checked. */
  | 'caller_gone'
  /** The challenge service takes the sender for a bot, or does not answer. The server did not check the password. */
  | BotRefusal;

/** Of an attempt that has to wait, before or after its proof was checked. */
export type TurnRefusal = 'throttled_account' | 'throttled_address' | 'busy' | 'caller_gone';

export type SignInOutcome =
  | { readonly kind: 'signedIn'; readonly session: Session }
  /**
   * The password is right, and a second factor has to follow. The browser gets the cookie of the session, which awaits
   * the factor.
   */
  | { readonly kind: 'factorRequired'; readonly session: Session }
  | {
      readonly kind: 'signInRefused';
      readonly reason: SignInRefusal;
      /** As typed, for the form to show again. */
      readonly username: string;
      /** Null: an immediate retry may succeed. */
      readonly retryAfterSeconds: number | null;
    };

const BUSY_SECONDS = 2;
const TURNED_AWAY = { full: 'busy', abandoned: 'caller_gone' } as const;

/** @throws StoreUnavailable */
export async function signIn(deps: SignInDeps, form: SignInForm): Promise<SignInOutcome> {
  const checked = await verifyCredentials(deps, form);
  if (checked.kind !== 'verified') return checked;
  const { requiredClass, cookie } = form;
  const { id: userId, username } = checked.user;
  const { trusted: sent = [] } = cookie;
  const standIn =
    sent.length > 0
      ? async (proofIsDemanded: boolean) => (await deps.standIn?.({ userId, username, sent, proofIsDemanded })) ?? null
      : undefined;
  const session = await createSession(deps, checked.user, cookie, form.userAgent, {
    amr: BY_PASSWORD,
    requiredClass,
    standIn,
  });
  if (session === null) return endedMeanwhile(deps, checked.user, form);
  // A thief of the password alone has no trusted device.
  if (session.state !== 'active') return { kind: 'factorRequired', session };
  checked.remember();
  deps.whenSignedIn?.(session);
  return { kind: 'signedIn', session };
}

/** The same answer as for an end-user who was disabled before. */
async function endedMeanwhile(
  { signInLedger }: SignInDeps,
  { id: userId, username }: SignedInUser,
  form: SignInForm,
): Promise<SignInOutcome> {
  const reason = 'credentials_mismatch';
  await signInLedger.refused({ method: 'password', reason, username, userId });
  return { kind: 'signInRefused', username: form.username ?? '', reason, retryAfterSeconds: null };
}

export type Credentials = Pick<SignInForm, 'username' | 'password' | 'address' | 'device' | 'gone' | 'refusedAsBot'> & {
  readonly cookie: Pick<SignInForm['cookie'], 'browser'>;
  /** The end-user who is signed in. Absent: the end-user whom the typed username or address identifies. */
  readonly userId?: string;
};

/** Checks the password, under the limits of every sign-in. Creates no session. @throws StoreUnavailable */
export async function verifyCredentials(
  deps: SignInDeps,
  form: Credentials,
): Promise<
  /** `remember`: called when the user is signed in. The browser is a trusted device of the account from then on. */
  | { readonly kind: 'verified'; readonly user: SignedInUser; readonly remember: () => void }
  | Extract<SignInOutcome, { readonly kind: 'signInRefused' }>
> {
  const username = form.username ?? '';
  const password = form.password ?? '';
  const refused = (reason: SignInRefusal, retryAfterSeconds: number | null = null) =>
    ({ kind: 'signInRefused', username, reason, retryAfterSeconds }) as const;
  if (username === '' || password === '') return refused('form_incomplete');
  const bot = (await form.refusedAsBot?.()) ?? null;
  if (bot !== null) return refused(bot, bot === 'bot_check_unavailable' ? BUSY_SECONDS : null);

  const { userId } = form;
  const account = userId === undefined ? await deps.users.accountKeyOf(username) : deps.users.keyOf(username);
  const find = () => (userId === undefined ? deps.users.findForSignIn(username) : deps.users.findToVerify(userId));
  const checked = await checkInTurn(deps, form, {
    account,
    method: 'password',
    mismatch: 'credentials_mismatch',
    prove: (attempt) => provePassword(deps, form, attempt, find, password),
  });
  if (checked.kind === 'refused') return refused(checked.reason, checked.retryAfterSeconds);

  const { user, now, renewed } = checked;
  if (renewed !== null) await rehash(deps, user, renewed);
  return { kind: 'verified', user, remember: () => rememberBrowser(deps, form.device, user, now) };
}

/** A proof of an account, which counts in the throttle of that account. */
export type Proving<Reason extends string> = {
  /** As `accountKeyOf` names it. */
  readonly account: string;
  readonly method: SignInMethod;
  /** The reason of a wrong proof, for the ledger and for the caller. */
  readonly mismatch: Reason;
  readonly prove: (attempt: Attempt & { readonly isKnown: boolean }) => Promise<Proof<Reason>>;
  /** A check uses up the proof. An attempt that has to wait leaves it unchecked. Absent: a check leaves no trace. */
  readonly isUsedUp?: true;
};

export type Proof<Reason extends string> =
  /** `renewed`: the password, hashed as this version hashes. Absent: nothing to store. */
  | { readonly kind: 'right'; readonly user: SignedInUser; readonly renewed?: PasswordHash | null }
  /** `userId`: of the account. Null: there is none. */
  | { readonly kind: 'wrong'; readonly userId: string | null }
  /** Nothing was guessed, so nothing counts. */
  | { readonly kind: 'unchecked'; readonly reason: Reason; readonly retryAfterSeconds?: number };

type ProofSender = Pick<SignInForm, 'address' | 'device' | 'gone'> & {
  readonly cookie: Pick<SignInForm['cookie'], 'browser'>;
};

/** Checks a proof, under the limits of every sign-in. Creates no session. @throws StoreUnavailable */
export async function checkInTurn<Reason extends string>(
  deps: SignInDeps,
  form: ProofSender,
  proving: Proving<Reason>,
): Promise<Checked<Reason | TurnRefusal>> {
  const attempt = attemptOf(deps, form, proving.account);
  const place = {
    line: attempt.line,
    ticket: Buffer.from(form.cookie.browser ?? []).toString('hex'),
    signal: form.gone,
    ahead: attempt.device !== null,
  };
  const run = await deps.signInCapacity.attempts.run(place, () => checkProof(deps, attempt, proving));
  return run.kind === 'done' ? run.value : refusing(TURNED_AWAY[run.kind], BUSY_SECONDS);
}

/** Makes the browser of a signed-in user a trusted device of the account, after any method of sign-in. */
export function rememberBrowser(
  deps: Pick<SignInDeps, 'keys' | 'random' | 'users' | 'configuration'>,
  device: SignInForm['device'],
  { id: userId, username }: Pick<SignedInUser, 'id' | 'username'>,
  now: Date,
): void {
  const { knownDeviceLifetimeSeconds: lifetime } = deps.configuration().signIn;
  const endsAt = new Date(now.getTime() + lifetime * 1000);
  const account = { name: deps.users.keyOf(username), userId };
  device?.remember(rememberDevice(deps, device.cookie, account, endsAt), lifetime);
}

/**
 * The end-user has set a new password by another proof. The failures of this address at this account were about the old
 * password, so the new one need not wait for them. Other accounts and other addresses still wait. @throws
 * StoreUnavailable
 */
export async function forgetFailures(
  deps: SignInDeps,
  form: Pick<SignInForm, 'address' | 'device'>,
  username: string,
): Promise<void> {
  const { pair, behind, device } = keysOf(deps, attemptOf(deps, form, deps.users.keyOf(username)));
  await deps.signInFailures.forget([pair, behind, device]);
}

/** The sign-in does not depend on its success: the next sign-in tries again. */
async function rehash(deps: SignInDeps, { id, passwordHash }: SignedInUser, renewed: PasswordHash): Promise<void> {
  try {
    await deps.users.rehashed(id, passwordHash, renewed);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
}

/** The account and the origin of an attempt. */
type Attempt = {
  /** The same text for every identifier of the account, in every spelling. */
  readonly account: string;
  readonly address: string;
  /** Null: the browser is no trusted device of this account. */
  readonly device: KnownDevice | null;
  /** The key of the queue. A trusted device waits in its own. */
  readonly line: string;
};

function attemptOf({ keys }: SignInDeps, form: Pick<SignInForm, 'address' | 'device'>, account: string): Attempt {
  const { address } = form;
  const device = knownDevice(keys, form.device?.cookie ?? null, { name: account, userId: null });
  return { account, address, device, line: device === null ? address : `device ${device.id}` };
}

type Checked<Reason extends string> =
  /** `renewed`: the password, hashed as this version hashes. Null: its stored hash is like that. */
  | {
      readonly kind: 'right';
      readonly user: SignedInUser;
      readonly now: Date;
      readonly renewed: PasswordHash | null;
    }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly retryAfterSeconds: number | null };

const refusing = <Reason extends string>(reason: Reason, retryAfterSeconds: number | null = null): Checked<Reason> => ({
  kind: 'refused',
  reason,
  // At least one: 0 would mean an immediate retry.
  retryAfterSeconds: retryAfterSeconds === null ? null : Math.max(1, Math.ceil(retryAfterSeconds)),
});

async function checkProof<Reason extends string>(
  deps: SignInDeps,
  attempt: Attempt,
  { method, mismatch, prove, isUsedUp }: Proving<Reason>,
): Promise<Checked<Reason | TurnRefusal>> {
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
  // An address with so many failures learns no result, but the right password still signs in.
  const isThrottled = !isKnown && ofAddress.failures >= policy.failuresPerAddress;
  const own = isKnown ? ofDevice : isThrottled ? together(ofPair, behind) : ofPair;
  const wait = isKnown ? waitOfKnownDevice(own, policy) : waitOfAddress({ own, ofAddress, ofAccount }, policy);
  if (wait > 0 && !isThrottled) return refusing('throttled_account', wait);
  if (wait > 0 && isUsedUp) return refusing('throttled_address', wait);

  const proof = await prove({ ...attempt, isKnown });
  if (proof.kind === 'unchecked') return refusing(proof.reason, proof.retryAfterSeconds);
  if (proof.kind === 'right' && proof.user.disabledAt === null && wait === 0)
    return { kind: 'right', user: proof.user, now, renewed: proof.renewed ?? null };
  const userId = proof.kind === 'wrong' ? proof.userId : proof.user.id;

  const { failureWindowSeconds: window } = policy;
  if (isThrottled) {
    await deps.signInFailures.count(keysOfThrottledAddress(keys, userId !== null && wait === 0), window, [keys.behind]);
    return refusing('throttled_address', ofAddress.secondsLeft);
  }
  const ownKey = isKnown ? keys.device : keys.pair;
  const [counted = 0] = await deps.signInFailures.count([ownKey, keys.account, keys.address, ...keys.wider], window, [
    ownKey,
  ]);
  await deps.signInLedger.refused({
    method,
    reason: mismatch,
    username: attempt.account,
    userId,
  });
  // Another node was faster: this guess should have waited, and learns no result.
  const isOneTooMany = counted > own.failures + 1 && delayAfter(counted - 1, policy) > 0;
  return isOneTooMany ? refusing('throttled_account', delayAfter(counted, policy)) : refusing(mismatch);
}

async function provePassword(
  deps: SignInDeps,
  { gone }: Pick<SignInForm, 'gone'>,
  { line, isKnown }: Pick<Attempt, 'line'> & { readonly isKnown: boolean },
  find: () => Promise<SignedInUser | null>,
  password: string,
): Promise<Proof<TurnRefusal>> {
  const user = await find();
  const hashed = await deps.signInCapacity.hashes.run({ line, ticket: line, signal: gone, ahead: isKnown }, () =>
    checkPassword(user, password, deps.passwordPepper),
  );
  if (hashed.kind !== 'done')
    return { kind: 'unchecked', reason: TURNED_AWAY[hashed.kind], retryAfterSeconds: BUSY_SECONDS };
  const { matches, renewed } = hashed.value;
  return matches && user ? { kind: 'right', user, renewed } : { kind: 'wrong', userId: user?.id ?? null };
}

/** Runs in one turn of the queue. A new hash replaces a hash that another system made. */
async function checkPassword(user: SignedInUser | null, typed: string, pepper: SignInDeps['passwordPepper']) {
  const password = rawSecret(typed);
  const matches = await matchesPassword(user?.passwordHash ?? null, password, pepper ?? null);
  const isToBeRenewed =
    matches &&
    user?.disabledAt === null &&
    isOutdatedHash(user.passwordHash) &&
    provesWhole(user.passwordHash, password);
  return { matches, renewed: isToBeRenewed ? await hashPassword(password) : null };
}

type Keys = Readonly<
  Record<'pair' | 'address' | 'account' | 'behind' | 'device' | 'unknownHere' | 'unknownAtAddress', Buffer>
> & {
  /** The networks that contain the address. */
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
    unknownHere: key('nobody', address, 'pair'),
    unknownAtAddress: key('nobody', address, 'account'),
  };
}

/**
 * At accounts that exist, the failures of a throttled address still count, in a row that is read only while the
 * throttle applies. So the answers never reveal which accounts exist. An unknown username would be a new row each time,
 * so all unknown usernames share a row. Both cases write the same number of rows, so the time reveals nothing.
 */
const keysOfThrottledAddress = (keys: Keys, counts: boolean): readonly Buffer[] =>
  counts ? [keys.behind, keys.unknownAtAddress] : [keys.unknownHere, keys.unknownAtAddress];

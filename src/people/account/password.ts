/**
 * The end-user sets a password. One statement replaces the hash and raises the epoch, so the new password never
 * coexists with an older session or chain. This browser then gets a new session. If that fails, the end-user signs in
 * again.
 */
import { hashPassword } from '../../crypto/password.ts';
import { rawSecret } from '../../crypto/secret-types.ts';
import { changeUser, type UserStore } from '../../lifecycles/user/lifecycle.ts';
import { endUser } from '../../model/actor.ts';
import type { Session } from '../../model/session.ts';
import { NO_PASSWORD } from '../../model/user.ts';
import { isByMailAlone } from '../../oauth/authentication-methods.ts';
import { type CookieHash, createSession, isPasswordOneOfSeveral } from '../../protocol/browser-session.ts';
import { type SignInDeps, type SignInForm, type SignInRefusal, verifyCredentials } from '../../protocol/sign-in.ts';
import type { Tell } from '../mail/mail.ts';
import {
  type IsBreached,
  minimumCharacters,
  type PasswordProblem,
  passwordProblem,
  serviceNames,
} from '../passwords/rules.ts';
import { isByPasswordAlone } from '../second-factor/deps.ts';

export type { PasswordProblem };

export type PasswordDeps = SignInDeps & {
  readonly issuer: string;
  readonly users: UserStore;
  readonly tell?: Tell;
  readonly isBreached: IsBreached;
};

/** Whether the end-user has a password, which the form asks for before a change. @throws StoreUnavailable */
export async function hasPassword({ users }: PasswordDeps, { userId }: Session): Promise<boolean> {
  const { row } = await users.load(userId, null);
  return row.user !== null && row.user.passwordHash !== NO_PASSWORD;
}

export type NewPasswordForm = Pick<SignInForm, 'device'> & {
  /** Each is null if not sent. The server ignores `current` where the account has no password. */
  readonly current: string | null;
  readonly chosen: string | null;
  readonly repeated: string | null;
  /** The throttle key of the sender, as in a sign-in. */
  readonly address: string;
  readonly cookie: { readonly new: CookieHash; readonly browser: CookieHash | null };
  readonly userAgent: string | null;
  readonly gone: AbortSignal;
};

export type PasswordOutcome =
  /** `session`: the session of this browser, under its new cookie. */
  | { readonly kind: 'changed'; readonly session: Session }
  | { readonly kind: 'problem'; readonly problem: PasswordProblem }
  | { readonly kind: 'refused'; readonly reason: 'form_incomplete' | 'repetition_differs' | 'same_as_before' }
  /** The current password was wrong, or was not checked. */
  | { readonly kind: 'signInRefused'; readonly reason: SignInRefusal; readonly retryAfterSeconds: number | null }
  /** The account has no password to ask for, and the sign-in was too long ago. */
  | { readonly kind: 'signInAgainRequired' }
  /** The session has ended: the end-user was disabled, or another request was faster. */
  | { readonly kind: 'signInRequired' };

/** @throws Unavailable */
export async function changePassword(
  deps: PasswordDeps,
  { session, isRecent }: { readonly session: Session; readonly isRecent: boolean },
  form: NewPasswordForm,
): Promise<PasswordOutcome> {
  const { current, chosen, repeated } = form;
  const { userId, username } = session;
  const has = await hasPassword(deps, session);
  if (!has && !isRecent) return { kind: 'signInAgainRequired' };
  if (!chosen || (has && !current)) return { kind: 'refused', reason: 'form_incomplete' };
  if (chosen !== repeated) return { kind: 'refused', reason: 'repetition_differs' };
  // The cheap answers first. Neither reveals the current password.
  if (has && chosen === current) return { kind: 'refused', reason: 'same_as_before' };
  const problem = await passwordProblem(chosen, await contextOf(deps, session));
  if (problem !== null) return { kind: 'problem', problem };
  if (has) {
    const verified = await verifyCredentials(deps, { ...form, userId, username, password: current });
    if (verified.kind !== 'verified') {
      const { reason, retryAfterSeconds } = verified;
      return { kind: 'signInRefused', reason, retryAfterSeconds };
    }
    verified.remember();
  }
  const line = { line: form.address, ticket: form.address, signal: form.gone };
  const hashed = await deps.signInCapacity.hashes.run(line, () => hashPassword(rawSecret(chosen)));
  if (hashed.kind !== 'done') {
    return { kind: 'signInRefused', reason: hashed.kind === 'full' ? 'busy' : 'caller_gone', retryAfterSeconds: 2 };
  }
  const changed = await changeUser(deps, {
    id: userId,
    actor: endUser(userId),
    change: {
      type: 'passwordChangeRequested',
      passwordHash: hashed.value,
      byPasswordAlone: isByPasswordAlone(session),
      byMailAlone: isByMailAlone(session.amr),
    },
    // Every event that ends this session in the user's name raises the epoch, another new password too.
    expects: ({ user }) => user?.epoch === session.userEpoch,
  });
  if (changed.kind === 'rejected') return { kind: 'signInRequired' };
  await deps.tell?.(userId, 'password_changed');
  const cookie = { old: null, new: form.cookie.new };
  const user = { ...changed.user, serverEpoch: session.liveServerEpoch };
  // The method and the time of the sign-in stay unchanged.
  const { amr, signedInAt: authenticatedAt, signInTimeIsKnown } = session;
  const signedIn = { amr, authenticatedAt, signInTimeIsKnown };
  const renewed = await createSession(deps, user, cookie, form.userAgent, signedIn);
  return renewed === null ? { kind: 'signInRequired' } : { kind: 'changed', session: renewed };
}

/** In characters. @throws StoreUnavailable */
export const minimumOf = async (deps: PasswordDeps, session: Session): Promise<number> =>
  minimumCharacters(await strengthOf(deps, session));

async function strengthOf(deps: PasswordDeps, { userId, username }: Session) {
  return {
    hasSecondFactor: await isPasswordOneOfSeveral(deps, { id: userId, username }),
    policy: deps.configuration().signIn,
  };
}

/**
 * The context in which a new password is checked: the names of the end-user and the service, and whether the password
 * is the only factor.
 */
async function contextOf(deps: PasswordDeps, session: Session) {
  const { row } = await deps.users.load(session.userId, null);
  const email = row.user?.claims['email'];
  return {
    username: session.username,
    alsoNamed: typeof email === 'string' ? [email] : [],
    service: serviceNames(deps.issuer, deps.configuration().branding.organization),
    isBreached: deps.isBreached,
    ...(await strengthOf(deps, session)),
  };
}

/**
 * The session of a browser. The hash of its cookie finds it, a sign-in creates it, and a sign-out or a list of sessions
 * ends it.
 */
import type { SignInFacts } from '../../machines/session/facts.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import {
  addFactor,
  begunState,
  endSession as end,
  isFactorMissing,
  type LoadedSession,
  type ProvenFactor,
  type SessionStore,
  useSession,
} from '../lifecycles/session/lifecycle.ts';
import type { SignInMethod } from '../lifecycles/session/sign-in.ts';
import type { Actor } from '../model/actor.ts';
import { type Session, signedInRecently } from '../model/session.ts';
import type { User } from '../model/user.ts';
import {
  type AuthenticationClass,
  authenticationClassOf,
  BY_PASSWORD,
  classNamed,
  levelOf,
  methodsOf,
} from '../oauth/authentication-methods.ts';
import { isAdministrator, isOperatorBySetUp } from './administrators.ts';
import type { SignInLedger } from './sign-in-ledger.ts';

/** SHA-256 of a cookie's value. The value itself never leaves src/http. */
export type CookieHash = Uint8Array;

/** The kinds of active factors. */
export type FactorsOfUser = Pick<SignInFacts, 'hasApp' | 'hasPasskey'>;

export type SessionDeps = {
  readonly random: Random;
  readonly configuration: () => Configuration;
  /** Milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly sessions: SessionStore;
  /** The kinds of factors that this end-user has. `now`: the database's clock at that query. */
  readonly factorsOf: (
    userId: string,
  ) => Promise<FactorsOfUser & { readonly now?: Date; readonly hasPassword: boolean }>;
  readonly signInLedger: SignInLedger;
  /**
   * Called when a user signs in from a browser that may be no trusted device. Returns immediately. Absent: no observer.
   */
  readonly whenSignedIn?: (session: Session) => void;
};

export type Authentication = {
  /** How the end-user signed in (RFC 8176). */
  readonly amr: readonly string[];
  /** The time of a federated or earlier sign-in. Absent: now. */
  readonly authenticatedAt?: Date | undefined;
  /** As in a session. Absent: true. */
  readonly signInTimeIsKnown?: boolean | undefined;
  /** For the ledger; absent: by the password. */
  readonly method?: SignInMethod | undefined;
  /** The class that the client demands, besides account and policy. Absent: none. */
  readonly requiredClass?: string | null | undefined;
  /** Called where a second factor is missing: the trusted browser that stands in for it. Absent: none does. */
  readonly standIn?: ((proofIsDemanded: boolean) => Promise<ProvenFactor | null>) | undefined;
};

/** Includes the server's epoch, which a new session carries. */
export type SignedInUser = User & { readonly serverEpoch: bigint; readonly passwordByLinkAt: Date | null };

const portsOf = ({ sessions, sleep, configuration }: SessionDeps) => ({
  sessions,
  sleep,
  lifetimes: () => configuration().signIn,
});

/**
 * A request presents this cookie.
 * @param cookie null: the browser sent none.
 * @param loaded the session of the cookie. Absent: the store loads it.
 * @returns null: the session is unknown, awaits a second factor, or has ended.
 * @throws Unavailable
 */
export async function findSession(
  deps: SessionDeps,
  cookie: CookieHash | null,
  loaded?: LoadedSession,
): Promise<Session | null> {
  const { session, awaiting } = await findAnySession(deps, cookie, loaded);
  return awaiting ? null : session;
}

/** `awaiting`: a second factor is missing, so the browser is not signed in. */
export type AnySession = { readonly session: Session; readonly awaiting: boolean } | NoSession;
type NoSession = { readonly session: null; readonly awaiting: false };

/** For the pages of the second factor. @param cookie and `loaded` as in `findSession`. @throws Unavailable */
export async function findAnySession(
  deps: SessionDeps,
  cookie: CookieHash | null,
  loaded?: LoadedSession,
): Promise<AnySession> {
  const used = cookie === null ? null : await useSession(portsOf(deps), { idHash: cookie }, loaded);
  if (used?.kind === 'admitted') return { session: used.session, awaiting: false };
  return used?.kind === 'awaitsFactor' ? { session: used.session, awaiting: true } : { session: null, awaiting: false };
}

/** Whether the current policy demands a second factor of this end-user. */
export function demandsSecondFactor(configuration: Configuration, username: string): boolean {
  if (isOperatorBySetUp(configuration, username)) return true;
  const { secondFactor } = configuration.signIn;
  if (secondFactor === 'nobody' || secondFactor === 'everyone') return secondFactor === 'everyone';
  if (secondFactor === 'operatorsInProduction' && !configuration.production) return false;
  return isAdministrator(configuration, username);
}

/** A browser may send any text. The server stores at most this much of it. */
const MAX_USER_AGENT_CHARACTERS = 256;

/** The part of the User-Agent header that a row keeps. */
export const keptUserAgent = (userAgent: string | null): string | null =>
  userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null;

type NewCookies = { readonly old: CookieHash | null; readonly new: CookieHash };

/**
 * Creates a new session and a new cookie at every sign-in, so a cookie that an attacker planted before stays invalid.
 * Where the account, the policy or the client demands more factors, the session awaits a second factor, and the browser
 * is not signed in yet.
 * @returns null: meanwhile the end-user was disabled or deleted, and no session exists.
 */
export async function createSession(
  deps: SessionDeps,
  user: SignedInUser,
  cookie: NewCookies,
  userAgent: string | null,
  authentication: Authentication,
): Promise<Session | null> {
  return createSessionBy(deps, user, cookie, userAgent, { ...authentication, factor: null });
}

/** @returns null: meanwhile the end-user was disabled or deleted, or has removed the factor, and no session exists. */
export async function createSessionBy(
  deps: SessionDeps,
  user: SignedInUser,
  cookie: NewCookies,
  userAgent: string | null,
  { factor, method = 'password', ...authentication }: Authentication & { readonly factor: ProvenFactor | null },
): Promise<Session | null> {
  const { amr, authenticatedAt, signInTimeIsKnown = true, requiredClass, standIn } = authentication;
  const { facts, now } = await signInFacts(deps, user, { ...authentication, method });
  const proofIsDemanded = demandsClass(requiredClass) || isAdministrator(deps.configuration(), user.username);
  const trusted = factor === null && isFactorMissing(facts) ? ((await standIn?.(proofIsDemanded)) ?? null) : null;
  if (cookie.old !== null) await end(portsOf(deps), { idHash: cookie.old }, 'signedInAgain');
  const { signIn } = deps.configuration();
  const session = {
    idHash: cookie.new,
    sid: deps.random.uuid(),
    userId: user.id,
    userEpoch: user.epoch,
    serverEpoch: user.serverEpoch,
    userAgent: keptUserAgent(userAgent),
    amr,
    signInTimeIsKnown,
  };
  const read = { username: user.username, liveUserEpoch: user.epoch, liveServerEpoch: user.serverEpoch };
  const unknownYet = { signedInAt: new Date(0), lastUsedAt: new Date(0), endsAt: new Date(0) };
  const store = async (by: ProvenFactor | null, browserIsTrusted: boolean): Promise<Session | null> => {
    const state = begunState({ ...session, ...read, ...unknownYet }, signIn, { ...facts, browserIsTrusted });
    const inserted = await deps.sessions.insert({
      ...session,
      state,
      factor: by,
      authenticatedAt,
      now,
      signIn: { method, origin: deps.signInLedger.originOf(user.username) },
      lifetimeSeconds: signIn.sessionLifetimeSeconds,
    });
    return inserted && { ...session, ...read, ...inserted, state, endedReason: null };
  };
  if (trusted === null) return store(factor, false);
  // Where its trust has ended since, the factor is asked for.
  return (await store(trusted, true)) ?? store(null, false);
}

const SEVERAL_FACTORS = levelOf(classNamed('multi-factor'));
const demandsClass = (requiredClass: string | null | undefined): boolean =>
  levelOf(requiredClass ?? null) >= SEVERAL_FACTORS;

/** A page that needs a class that no second factor can reach asks for that class later. */
async function signInFacts(
  deps: Pick<SessionDeps, 'configuration' | 'factorsOf'>,
  { id, username, passwordByLinkAt }: Pick<SignedInUser, 'id' | 'username' | 'passwordByLinkAt'>,
  { amr, method, requiredClass }: Pick<Authentication, 'amr' | 'method' | 'requiredClass'>,
): Promise<{ readonly facts: SignInFacts; readonly now: Date | undefined }> {
  const configuration = deps.configuration();
  const isMultiFactor = levelOf(authenticationClassOf(amr)) >= SEVERAL_FACTORS;
  // Several factors are enough, whichever factors the account has.
  const { hasApp, hasPasskey, now } = isMultiFactor ? NO_FACTORS : await deps.factorsOf(id);
  const facts = {
    isMultiFactor,
    isFactorDemanded: demandsClass(requiredClass) || demandsSecondFactor(configuration, username),
    hasApp,
    hasPasskey,
    passkeyCounts: configuration.signIn.passkeyAfterPassword === 'required',
    // A code in a mail shows no more than a password that came by mail.
    passwordIsFromMail: passwordByLinkAt !== null || method === 'mailedCode',
    browserIsTrusted: false,
  };
  return { facts, now };
}

const NO_FACTORS = { hasApp: false, hasPasskey: false, now: undefined };

/** Whether a password is never enough by itself for this end-user, a new one included. @throws StoreUnavailable */
export const isPasswordOneOfSeveral = async (
  deps: Pick<SessionDeps, 'configuration' | 'factorsOf'>,
  user: Pick<SignedInUser, 'id' | 'username'>,
): Promise<boolean> =>
  isFactorMissing((await signInFacts(deps, { ...user, passwordByLinkAt: null }, { amr: BY_PASSWORD })).facts);

/**
 * The user proved an additional factor in this browser. The session continues under a new cookie, and is active from
 * then on.
 * @returns null: the session has ended, or the user has removed the factor.
 * @throws Unavailable
 */
export async function strengthenSession(
  deps: SessionDeps,
  session: Session,
  cookie: CookieHash,
  added: { readonly factor: ProvenFactor; readonly amr: readonly string[] },
): Promise<Session | null> {
  const amr = methodsOf(session.amr, added.amr);
  const origin = deps.signInLedger.originOf(session.username);
  const used = await addFactor(portsOf(deps), session, { factor: added.factor, amr, idHash: cookie, origin });
  return used?.kind === 'admitted' ? used.session : null;
}

/**
 * For actions that lock people out. An identity provider without `auth_time` may have asked the end-user for nothing, since a session there
 * suffices. So an end-user with a password or a passkey of this server signs in with that. Others have no better proof.
 * @throws StoreUnavailable
 */
export async function isRecentSignIn(
  { configuration, factorsOf }: Pick<SessionDeps, 'configuration' | 'factorsOf'>,
  session: Session,
  now: Date,
): Promise<boolean> {
  if (!signedInRecently(session, configuration().signIn, now)) return false;
  if (session.signInTimeIsKnown !== false) return true;
  const { hasPassword, hasPasskey } = await factorsOf(session.userId);
  return !hasPassword && !hasPasskey;
}

/** The class that a session has reached. */
export const classOf = ({ amr }: Session): AuthenticationClass => authenticationClassOf(amr);

/** The end-user signs out in this browser. The grants that they approved in it stay active. @throws Unavailable */
export async function endSession(deps: SessionDeps, cookie: CookieHash | null): Promise<void> {
  if (cookie !== null) await end(portsOf(deps), { idHash: cookie }, 'signOutRequested');
}

/**
 * Ends a session of the list of sessions. @param actor for the ledger. @returns false: the session had ended, or is
 * another user's.
 */
export const endListedSession = (deps: SessionDeps, userId: string, sid: string, actor?: Actor): Promise<boolean> =>
  end(portsOf(deps), { sid, userId }, 'endRequested', actor);

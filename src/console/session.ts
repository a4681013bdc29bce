/**
 * The data that the console keeps of a signed-in browser: the access token, sealed for the browser's cookie. There is
 * no refresh token. When the token is about to end, the page goes through the authorization endpoint again, silently
 * while the user is signed in.
 */
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { IV_BYTES, openText, sealText } from '../crypto/sealed-text.ts';
import type { SignedIn } from './sign-in.ts';

export type StoredConsoleSession = {
  /** The value to which forms are bound. */
  readonly formId: string;
  /** The `sub` of the operator or auditor. */
  readonly userId: string;
  readonly sealedToken: string;
  readonly renewalIsDue: boolean;
  readonly tokenHasEnded: boolean;
};

export type ConsoleSessionStore = {
  readonly find: (idHash: Buffer) => Promise<StoredConsoleSession | null>;
  readonly save: (
    session: Pick<StoredConsoleSession, 'formId' | 'userId' | 'sealedToken'> & {
      readonly idHash: Buffer;
      readonly tokenLifetimeSeconds: number;
      readonly renewAfterSeconds: number;
    },
  ) => Promise<void>;
  readonly end: (idHash: Buffer) => Promise<void>;
};

export type SessionDeps = {
  readonly keys: RootKeys;
  readonly random: Random;
  readonly sessions: ConsoleSessionStore;
  /** The session of this server in that browser. Null: it has ended, or awaits a second factor. */
  readonly signInOf: (cookieHash: Buffer) => Promise<SignInOfBrowser | null>;
};

export type SignInOfBrowser = {
  readonly userId: string;
  /** Recent enough for the actions that need a recent sign-in in the account. */
  readonly isRecent: boolean;
};

export type ConsoleSession = Omit<StoredConsoleSession, 'sealedToken'> & {
  readonly signInIsRecent: boolean;
  readonly idHash: Buffer;
  readonly token: string;
};

/**
 * A user can fill in a form for this long after it was shown. With a token of a shorter lifetime, it is the last third.
 */
const RENEW_SECONDS_BEFORE = 300;

/** The hashes of two cookies of the browser. Null: it has none. */
export type BrowserOf = {
  readonly idHash: Buffer | null;
  /**
   * The hash of its session at this server: when the user signs out of that, the console keeps nothing for this
   * browser.
   */
  readonly signedIn: Buffer | null;
};

export type FoundConsoleSession =
  | { readonly kind: 'found'; readonly session: ConsoleSession }
  /** The session of its sign-in has ended, by any means. Its token grants no access from then on. */
  | { readonly kind: 'signInEnded'; readonly idHash: Buffer; readonly token: string }
  /** No session, none for this browser, or a token that was sealed under a removed root secret. */
  | { readonly kind: 'none' };

export async function findConsoleSession(deps: SessionDeps, browser: BrowserOf): Promise<FoundConsoleSession> {
  const { idHash, signedIn } = browser;
  const stored = idHash && (await deps.sessions.find(idHash));
  if (!idHash || !stored) return { kind: 'none' };
  const { sealedToken, ...session } = stored;
  const token = openText(deps.keys, 'console', tokenName(browser), sealedToken);
  if (token === null) return { kind: 'none' };
  const signIn = signedIn && (await deps.signInOf(signedIn));
  if (signIn?.userId !== session.userId) return { kind: 'signInEnded', idHash, token };
  return { kind: 'found', session: { ...session, idHash, token, signInIsRecent: signIn.isRecent } };
}

/** @param before the previous session of this browser. Its cookie is never used again. */
export async function beginConsoleSession(
  deps: SessionDeps,
  {
    idHash,
    signedIn,
    outcome,
    before,
  }: { idHash: Buffer; signedIn: Buffer | null; outcome: SignedIn; before: ConsoleSession | null },
): Promise<void> {
  const { accessToken, lifetimeSeconds, me } = outcome;
  const userId = me.user_id ?? '';
  await deps.sessions.save({
    idHash,
    // When the token is renewed, the forms of the user's open pages stay valid, for this user only.
    formId: before?.userId === userId ? before.formId : deps.random.uuid(),
    userId,
    sealedToken: sealText(
      deps.keys,
      'console',
      tokenName({ idHash, signedIn }),
      accessToken,
      deps.random.bytes(IV_BYTES),
    ),
    tokenLifetimeSeconds: lifetimeSeconds,
    renewAfterSeconds: lifetimeSeconds - Math.min(RENEW_SECONDS_BEFORE, Math.floor(lifetimeSeconds / 3)),
  });
  if (before) await deps.sessions.end(before.idHash);
}

/** A row that is copied under another cookie grants no access. */
const tokenName = ({ idHash, signedIn }: BrowserOf) =>
  `token ${idHash?.toString('hex')} ${signedIn?.toString('hex') ?? 'signed out'}`;

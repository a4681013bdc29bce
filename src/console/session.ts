/**
 * What the console keeps of a browser that is signed in: the access token, sealed for the cookie that the browser holds. There is no
 * refresh token: a page whose token is about to end goes through the authorization endpoint again, silently while the person is signed in.
 */
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { openText, sealText } from '../crypto/sealed-text.ts';
import type { SignedIn } from './sign-in.ts';

export type StoredConsoleSession = {
  /** What forms are bound to. */
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
  /** The session of this server in that browser; null: it has ended, or awaits a second factor. */
  readonly signInOf: (cookieHash: Buffer) => Promise<SignInOfBrowser | null>;
};

export type SignInOfBrowser = {
  readonly userId: string;
  /** Recent enough for what the account itself would ask for another sign-in. */
  readonly isRecent: boolean;
};

export type ConsoleSession = Omit<StoredConsoleSession, 'sealedToken'> & {
  readonly signInIsRecent: boolean;
  readonly idHash: Buffer;
  readonly token: string;
};

const IV_BYTES = 12;

/** A form that was just shown can be filled in for this long. Of a token that lives shorter, it is the last third. */
const RENEW_SECONDS_BEFORE = 300;

/** The hashes of two cookies of the browser; null: it has none. */
export type BrowserOf = {
  readonly idHash: Buffer | null;
  /** Of its session at this server: where the person signs out of that, the console holds nothing for this browser any more. */
  readonly signedIn: Buffer | null;
};

export type FoundConsoleSession =
  | { readonly kind: 'found'; readonly session: ConsoleSession }
  /** The session that it came from has ended, wherever that was done. Its token opens nothing from then on. */
  | { readonly kind: 'signInEnded'; readonly idHash: Buffer; readonly token: string }
  /** No such session, or none for this browser, or its token was sealed under a root secret that is gone. */
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

/** @param before the session that this browser had; its cookie is never used again. */
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
  const userId = me.sub ?? '';
  await deps.sessions.save({
    idHash,
    // The forms of a person's open pages stay good when their token is renewed, and are nobody else's.
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

/** A row that is copied under another cookie opens nothing. */
const tokenName = ({ idHash, signedIn }: BrowserOf) =>
  `token ${idHash?.toString('hex')} ${signedIn?.toString('hex') ?? 'signed out'}`;

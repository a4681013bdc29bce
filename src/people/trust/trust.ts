/** A browser that an end-user trusts: how it comes to be trusted, stands in for the second factor, and ends. */
import { sameSecretBytes } from '../../crypto/digest.ts';
import type { ProvenFactor } from '../../lifecycles/session/lifecycle.ts';
import {
  askTrustedBrowser,
  beginTrust,
  type TrustedBrowserPorts,
  trustStandsUntil,
} from '../../lifecycles/trusted-browser/lifecycle.ts';
import { type Actor, endUser } from '../../model/actor.ts';
import type { Session } from '../../model/session.ts';
import { isUuid } from '../../oauth/sub.ts';
import { isAdministrator } from '../../protocol/administrators.ts';
import { type CookieHash, keptUserAgent } from '../../protocol/browser-session.ts';
import type { SignInDeps, StandInAsked } from '../../protocol/sign-in.ts';
import type { Tell } from '../mail/mail.ts';

export type TrustDeps = TrustedBrowserPorts &
  Pick<SignInDeps, 'random' | 'configuration' | 'signInLedger'> & { readonly tell?: Tell };

const lifetimeOf = ({ configuration }: Pick<TrustDeps, 'configuration'>): number =>
  configuration().signIn.trustedBrowserLifetimeSeconds;

/** The lifetime that the page of the second factor offers to this session, in seconds. Null: it offers no trust. */
export function offeredTrust(
  deps: Pick<TrustDeps, 'configuration'>,
  { state, username }: Pick<Session, 'state' | 'username'>,
): number | null {
  const lifetimeSeconds = lifetimeOf(deps);
  const isOffered = state === 'awaitingSecondFactor' && lifetimeSeconds > 0;
  return isOffered && !isAdministrator(deps.configuration(), username) ? lifetimeSeconds : null;
}

export type TrustAsked = {
  readonly factor: ProvenFactor;
  readonly userAgent: string | null;
  /** SHA-256 of the secret that the browser gets. */
  readonly secretHash: CookieHash;
  /** Of the secrets that it has sent. */
  readonly sent: readonly CookieHash[];
};

/**
 * The end-user has proven a factor in a session that awaited it, and asked to trust the browser.
 *
 * @returns null: the browser is not trusted. `replaced`: the hash of the secret that is invalid from now on.
 * @throws StoreUnavailable, Unavailable
 */
export async function trustBrowser(
  deps: TrustDeps,
  { userId, username, userEpoch, serverEpoch }: Session,
  { factor, userAgent, secretHash, sent }: TrustAsked,
): Promise<{ readonly lifetimeSeconds: number; readonly replaced: CookieHash | null } | null> {
  const lifetimeSeconds = lifetimeOf(deps);
  const before = await deps.trustedBrowsers.find(userId, sent);
  const browser = {
    id: deps.random.uuid(),
    userId,
    userEpoch,
    serverEpoch,
    factorId: factor.id,
    userAgent: keptUserAgent(userAgent),
    secretHash,
  };
  const proofIsDemanded = isAdministrator(deps.configuration(), username);
  const answer = await beginTrust(deps, browser, { lifetimeSeconds, proofIsDemanded });
  if (answer?.kind !== 'accepted') return null;
  if (before !== null) await askTrustedBrowser(deps, before.browser, { type: 'trustedAgain' }, before);
  await deps.tell?.(userId, 'browser_trusted');
  return { lifetimeSeconds, replaced: before?.browser.secretHash ?? null };
}

/**
 * After the right password: the trusted browser that stands in for the second factor.
 *
 * @returns null: the factor is asked for. @throws StoreUnavailable, Unavailable
 */
export async function standIn(
  deps: TrustDeps,
  { userId, username, sent, proofIsDemanded }: StandInAsked,
): Promise<ProvenFactor | null> {
  const loaded = await deps.trustedBrowsers.find(userId, sent);
  if (loaded === null) return null;
  const { id } = loaded.browser;
  const asked = { type: 'presented', lifetimeSeconds: lifetimeOf(deps), proofIsDemanded } as const;
  const answer = await askTrustedBrowser(deps, { userId, id }, asked, loaded);
  if (answer?.kind === 'accepted') return { kind: 'trustedBrowser', id };
  const reason = answer?.reason ?? 'trust_unknown';
  await deps.signInLedger.refused({ method: 'trustedBrowser', reason, username, userId });
  return null;
}

export type ListedBrowser = {
  readonly id: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** Under the current policy. */
  readonly endsAt: Date;
};

/** Those that stand in for a factor, newest first. @throws StoreUnavailable */
export async function listTrustedBrowsers(
  deps: Pick<TrustDeps, 'trustedBrowsers' | 'configuration'>,
  userId: string,
): Promise<readonly ListedBrowser[]> {
  const lifetimeSeconds = lifetimeOf(deps);
  const all = await deps.trustedBrowsers.list(userId);
  return all.flatMap((loaded) => {
    const endsAt = trustStandsUntil(loaded, lifetimeSeconds);
    const { id, userAgent, createdAt, lastUsedAt } = loaded.browser;
    return endsAt === null ? [] : [{ id, userAgent, createdAt, lastUsedAt, endsAt }];
  });
}

/** Repeating the request is always safe. @param id as sent. Null: not sent. @throws StoreUnavailable, Unavailable */
export async function endTrust(
  deps: TrustedBrowserPorts,
  { userId }: Pick<Session, 'userId'>,
  id: string | null,
): Promise<void> {
  if (id !== null && isUuid(id))
    await askTrustedBrowser(deps, { userId, id }, { type: 'endRequested', actor: endUser(userId) });
}

/** @param actor default: the end-user. @throws StoreUnavailable, Unavailable */
export const endAllTrust = (
  deps: TrustedBrowserPorts,
  { userId }: Pick<Session, 'userId'>,
  type: 'endRequested' | 'endRequestedByAdministrator' = 'endRequested',
  actor: Actor = endUser(userId),
): Promise<void> => endEach(deps, userId, type, actor);

/**
 * A factor of the end-user was added or removed. @param actor the requester, if it is not the end-user. @throws
 * StoreUnavailable, Unavailable
 */
export const factorsChanged = (deps: TrustedBrowserPorts, userId: string, actor?: Actor): Promise<void> =>
  endEach(deps, userId, 'factorsChanged', actor);

/** The store lists the newest, so the function repeats until none is left. */
async function endEach(
  deps: TrustedBrowserPorts,
  userId: string,
  type: 'endRequested' | 'endRequestedByAdministrator' | 'factorsChanged',
  actor?: Actor,
): Promise<void> {
  const asked = new Set<string>();
  for (;;) {
    const left = (await deps.trustedBrowsers.list(userId)).filter(({ browser: { id } }) => !asked.has(id));
    if (left.length === 0) return;
    for (const loaded of left) {
      asked.add(loaded.browser.id);
      await askTrustedBrowser(deps, loaded.browser, { type, actor }, loaded);
    }
  }
}

/** The values of the cookie after the browser is trusted: the new secret first, then those of other accounts. */
export const secretsAfter = (
  secret: string,
  sent: readonly { readonly value: string; readonly hash: CookieHash }[],
  replaced: CookieHash | null,
): readonly string[] => [
  secret,
  ...sent
    .filter(({ hash }) => replaced === null || !sameSecretBytes(Buffer.from(hash), Buffer.from(replaced)))
    .map(({ value }) => value),
];

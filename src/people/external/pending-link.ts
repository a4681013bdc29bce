/**
 * A link that waits for a sign-in. An end-user signed in at an identity provider with the verified address of an
 * account here, and the identity is linked to no account. The identity travels sealed in a cookie, bound to the browser
 * and to the account (docs/decisions/0083). A sign-in to that account in that browser links it.
 */
import { IV_BYTES, openText, sealText } from '../../crypto/sealed-text.ts';
import { Unavailable } from '../../engine/errors.ts';
import type { ExternalIdentity } from '../../lifecycles/linked-identity/entity.ts';
import { type LinkedIdentityPorts, linkIdentity } from '../../lifecycles/linked-identity/lifecycle.ts';
import { endUser } from '../../model/actor.ts';
import { type Claims, verifiedAddressKey } from '../../model/user.ts';
import type { CookieHash } from '../../protocol/browser-session.ts';
import type { SignInDeps } from '../../protocol/sign-in.ts';
import type { Tell } from '../mail/mail.ts';

export type PendingLinkDeps = Pick<SignInDeps, 'keys' | 'random' | 'users' | 'configuration'> &
  LinkedIdentityPorts & { readonly now: () => Date; readonly tell?: Tell };

type Pending = ExternalIdentity & {
  /** Of the account with the same verified address. */
  readonly userId: string;
  /** As in upstreams.yaml. */
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
};

const nameOf = (browser: CookieHash): string => `pending link of ${Buffer.from(browser).toString('base64url')}`;

/**
 * The account whose verified address the identity provider reports as verified too.
 * @returns null: none, or addresses identify no end-user here. @throws StoreUnavailable
 */
export async function ownerOfAddress(
  { users, configuration }: Pick<PendingLinkDeps, 'users' | 'configuration'>,
  claims: Claims,
): Promise<string | null> {
  const address = verifiedAddressKey({ claims });
  if (address === null || configuration().signIn.identifiers === 'username') return null;
  const user = await users.findForSignIn(address);
  return user !== null && user.disabledAt === null && verifiedAddressKey(user) === address ? user.id : null;
}

/** @returns the value of the cookie. */
export const sealPendingLink = (
  { keys, random }: Pick<PendingLinkDeps, 'keys' | 'random'>,
  browser: CookieHash,
  pending: Pending,
): string => sealText(keys, 'external-sign-in', nameOf(browser), JSON.stringify(pending), random.bytes(IV_BYTES));

/**
 * The end-user has completed a sign-in here, with every factor that it needs.
 * @param sealed the cookie, as sent. @returns whether the identity is linked now. @throws StoreUnavailable
 */
export async function completePendingLink(
  deps: PendingLinkDeps,
  sealed: string,
  browser: CookieHash,
  userId: string,
): Promise<boolean> {
  const opened = openText(deps.keys, 'external-sign-in', nameOf(browser), sealed);
  if (opened === null) return false;
  const { issuer, subject, provider, ...pending }: Pending = JSON.parse(opened);
  if (pending.userId !== userId || deps.now().getTime() >= pending.endsAt) return false;
  // The current policy decides.
  const upstream = deps.configuration().upstreams.find(({ name }) => name === provider);
  if (upstream?.issuer !== issuer || !upstream.linkByAddress) return false;
  try {
    await linkIdentity(deps, { id: deps.random.uuid(), userId, issuer, subject, provider }, endUser(userId));
  } catch (error) {
    // Linked since: by the same form, sent twice, or by another end-user. The sign-in itself is complete.
    if (error instanceof Unavailable) return false;
    throw error;
  }
  await deps.tell?.(userId, 'identity_linked');
  return true;
}

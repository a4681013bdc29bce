/** The state of the account at a glance. Each number is that of the section that it leads to. */

import type { Session } from '../../model/session.ts';
import { addressOf, type Claims } from '../../model/user.ts';
import { type PermissionDeps, permissionsOf } from '../../protocol/permissions.ts';
import { type SignedInBrowser, signedInBrowsers } from '../../protocol/signed-in-browsers.ts';

/** Of the end-user: the claims, and the number of each active way to sign in. */
type Stored = {
  readonly claims: Claims;
  readonly hasPassword: boolean;
  readonly passkeys: number;
  readonly apps: number;
  readonly appSince: Date | null;
  readonly recoveryCodes: number;
  readonly linkedIdentities: number;
};

export type SummaryDeps = PermissionDeps & {
  /** Null: the account was erased. */
  readonly summaryOf: (userId: string) => Promise<Stored | null>;
};

export type AccountSummary = Omit<Stored, 'claims' | 'apps' | 'appSince'> & {
  /** Null: the end-user has told none. */
  readonly name: string | null;
  readonly email: ReturnType<typeof addressOf>;
  readonly authenticatorApps: { readonly count: number; readonly since: Date | null };
  readonly browsers: number;
  /** The latest sign-in of a session that is active. Null: the session has just ended. */
  readonly lastSignIn: Pick<SignedInBrowser, 'signedInAt' | 'amr' | 'userAgent'> | null;
  readonly clientsWithAccess: number;
};

/** @returns null: the account was erased. @throws StoreUnavailable */
export async function accountSummary(deps: SummaryDeps, session: Session): Promise<AccountSummary | null> {
  const [stored, browsers, { allowed }] = await Promise.all([
    deps.summaryOf(session.userId),
    signedInBrowsers(deps, session),
    permissionsOf(deps, session.userId),
  ]);
  if (stored === null) return null;
  const { claims, apps, appSince, ...counts } = stored;
  const { name } = claims;
  const [lastSignIn = null] = browsers.toSorted((a, b) => b.signedInAt.getTime() - a.signedInAt.getTime());
  return {
    ...counts,
    name: typeof name === 'string' && name.trim() !== '' ? name : null,
    email: addressOf({ claims }),
    authenticatorApps: { count: apps, since: appSince },
    browsers: browsers.length,
    lastSignIn,
    clientsWithAccess: allowed.filter(({ holds }) => holds !== 'nothing').length,
  };
}

/** The permissions that the signed-in end-user has given, and their revocation through the machine of every grant. */
import { type GrantPorts, revokeGrant } from '../lifecycles/grant/lifecycle.ts';
import { type AllowedClient, allowedClients, type StoredPermissions } from './allowed-clients.ts';
import { type CookieHash, findSession, type SessionDeps } from './browser-session.ts';
import { type FormCheck, formPurpose } from './form-purpose.ts';
import { type SignedInBrowser, signedInBrowsers } from './signed-in-browsers.ts';

export type PermissionDeps = SessionDeps & PermissionStores;

type PermissionStores = GrantPorts & {
  readonly permissions: {
    readonly load: (userId: string) => Promise<StoredPermissions>;
    readonly grantIds: (userId: string, clientId: string) => Promise<readonly string[]>;
    readonly forgetConsents: (userId: string, clientId: string) => Promise<number>;
  };
};

type SignInRequired = { readonly kind: 'signInRequired' };

export type PermissionsView =
  | SignInRequired
  | {
      readonly kind: 'permissions';
      readonly formPurpose: string;
      readonly userId: string;
      readonly username: string;
      readonly allowed: readonly AllowedClient[];
      readonly browsers: readonly SignedInBrowser[];
      /** The end-user has more of them than the page shows. */
      readonly more: boolean;
    };

/** The page shows this many, newest first. The others appear when the end-user revokes some of these. */
const MAX_SHOWN = 100;

/** @throws StoreUnavailable */
export async function viewPermissions(deps: PermissionDeps, cookie: CookieHash | null): Promise<PermissionsView> {
  const session = await findSession(deps, cookie);
  if (session === null) return { kind: 'signInRequired' };
  return {
    kind: 'permissions',
    formPurpose: formPurpose.permissions(session.sid),
    userId: session.userId,
    username: session.username,
    ...(await permissionsOf(deps, session.userId)),
    browsers: await signedInBrowsers(deps, session),
  };
}

/** @throws StoreUnavailable */
export async function permissionsOf(
  { configuration, permissions }: Pick<PermissionDeps, 'configuration' | 'permissions'>,
  userId: string,
): Promise<Pick<Extract<PermissionsView, { kind: 'permissions' }>, 'allowed' | 'more'>> {
  const allowed = allowedClients(configuration(), await permissions.load(userId));
  return { allowed: allowed.slice(0, MAX_SHOWN), more: allowed.length > MAX_SHOWN };
}

export type EndPermissionOutcome =
  | SignInRequired
  | { readonly kind: 'formRefused' }
  /** `grants`: the number of grants that this request revoked. */
  | { readonly kind: 'ended'; readonly clientId: string; readonly userId: string; readonly grants: number };

/** Repeating the request is always safe. @throws Unavailable */
export async function submitEndPermission(
  deps: PermissionDeps,
  form: { readonly clientId: string | null; readonly cookie: CookieHash | null; readonly isOurForm: FormCheck },
): Promise<EndPermissionOutcome> {
  const session = await findSession(deps, form.cookie);
  if (session === null) return { kind: 'signInRequired' };
  const { clientId } = form;
  if (clientId === null || !form.isOurForm(formPurpose.permissions(session.sid))) return { kind: 'formRefused' };
  const { userId } = session;
  return { kind: 'ended', clientId, userId, grants: await endPermission(deps, userId, clientId) };
}

/**
 * Revokes every grant that this end-user gave this client. The consents go first, so that the client cannot get another
 * grant without asking while the others end.
 *
 * Repeating the call is always safe. @returns the number of grants that this call revoked. @throws Unavailable
 */
export async function endPermission(
  { permissions, ...ports }: PermissionStores,
  userId: string,
  clientId: string,
): Promise<number> {
  await permissions.forgetConsents(userId, clientId);
  let ended = 0;
  for (const grantId of await permissions.grantIds(userId, clientId))
    if (await revokeStored(ports, { clientId, grantId })) ended += 1;
  return ended;
}

/**
 * Revokes one grant of this end-user to this client. The others, on other devices, stay, and so does the consent.
 *
 * Repeating the call is always safe. @returns false: the end-user has no such active grant. @throws Unavailable
 */
export async function endChain(
  { permissions, ...ports }: PermissionStores,
  userId: string,
  { clientId, grantId }: GrantKey,
): Promise<boolean> {
  const own = await permissions.grantIds(userId, clientId);
  return own.includes(grantId) && revokeStored(ports, { clientId, grantId });
}

type GrantKey = { readonly clientId: string; readonly grantId: string };

/** @returns false: this call revoked nothing. @throws Unavailable */
async function revokeStored(ports: GrantPorts, key: GrantKey): Promise<boolean> {
  const { now, grant } = await ports.store.load(key);
  return grant !== null && revokeGrant(ports, { now, grant });
}

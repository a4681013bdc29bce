/** The consequences of the removal of a factor, and the removals by an administrator. */
import { askPasskey, type PasskeyPorts } from '../../lifecycles/passkey/lifecycle.ts';
import { askRecoveryCode, type RecoveryCodePorts } from '../../lifecycles/recovery-code/lifecycle.ts';
import { askSecondFactor, type SecondFactorPorts } from '../../lifecycles/second-factor/lifecycle.ts';
import type { TrustedBrowserPorts } from '../../lifecycles/trusted-browser/lifecycle.ts';
import type { Actor } from '../../model/actor.ts';
import { endAllTrust, factorsChanged } from '../trust/trust.ts';
import type { SecondFactorDeps } from './deps.ts';

export type CodesDeps = RecoveryCodePorts & {
  readonly secondFactors: Pick<SecondFactorDeps['secondFactors'], 'listApps' | 'listPasskeys'>;
};

/** @param actor the requester, if it is not the end-user. @throws StoreUnavailable, Unavailable */
export async function replaceRecoveryCodes(deps: RecoveryCodePorts, userId: string, actor?: Actor): Promise<void> {
  for (const id of await deps.recoveryCodes.active(userId)) {
    const loaded = await deps.recoveryCodes.load(userId, id);
    if (loaded !== null) await askRecoveryCode(deps, loaded, 'newCodesRequested', actor);
  }
}

/**
 * Recovery codes replace a factor: without one, they have no use. @param actor and throws as `replaceRecoveryCodes`.
 */
export async function withoutFactorsNoCodes(deps: CodesDeps, userId: string, actor?: Actor): Promise<void> {
  const [apps, passkeys] = await Promise.all([
    deps.secondFactors.listApps(userId),
    deps.secondFactors.listPasskeys(userId),
  ]);
  if (passkeys.length > 0 || apps.some(({ state }) => state === 'active')) return;
  await replaceRecoveryCodes(deps, userId, actor);
}

/**
 * Removes all authenticator apps of the end-user, unfinished set-ups, and the recovery codes. Repeating the request is
 * always safe.
 * @throws StoreUnavailable, Unavailable
 */
export async function removeSecondFactorByAdministrator(
  deps: CodesDeps & SecondFactorPorts & TrustedBrowserPorts,
  userId: string,
  actor: Actor,
): Promise<void> {
  for (const { id } of await deps.secondFactors.listApps(userId))
    await askSecondFactor(deps, { userId, id }, { type: 'removalRequestedByAdministrator', actor });
  await factorsChanged(deps, userId, actor);
  await replaceRecoveryCodes(deps, userId, actor);
}

/** In every browser. Repeating the request is always safe. @throws StoreUnavailable, Unavailable */
export const endTrustByAdministrator = (deps: TrustedBrowserPorts, userId: string, actor: Actor): Promise<void> =>
  endAllTrust(deps, { userId }, 'endRequestedByAdministrator', actor);

/** @returns false: the end-user has and had no such passkey. @throws StoreUnavailable, Unavailable */
export async function removePasskeyByAdministrator(
  deps: CodesDeps & PasskeyPorts & TrustedBrowserPorts,
  key: { readonly userId: string; readonly id: string },
  actor: Actor,
): Promise<boolean> {
  const answer = await askPasskey(deps, key, { type: 'removalRequestedByAdministrator', actor });
  if (answer === null) return false;
  await factorsChanged(deps, key.userId, actor);
  await withoutFactorsNoCodes(deps, key.userId, actor);
  return true;
}

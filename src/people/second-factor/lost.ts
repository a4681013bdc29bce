/** Removes everything that an end-user has lost, through each machine. The sessions and grants have ended before. */
import { askPasskey, type PasskeyPorts } from '../../lifecycles/passkey/lifecycle.ts';
import type { RecoveryCodePorts } from '../../lifecycles/recovery-code/lifecycle.ts';
import { askSecondFactor, type SecondFactorPorts } from '../../lifecycles/second-factor/lifecycle.ts';
import type { SecondFactorDeps } from './deps.ts';
import { replaceRecoveryCodes } from './removal.ts';

export type LostDeps = PasskeyPorts &
  RecoveryCodePorts &
  SecondFactorPorts & { readonly secondFactors: Pick<SecondFactorDeps['secondFactors'], 'listApps' | 'listPasskeys'> };

/** Repeating the call is always safe. @throws StoreUnavailable, Unavailable */
export async function removeLostFactors(deps: LostDeps, userId: string): Promise<void> {
  for (const { id } of await deps.secondFactors.listPasskeys(userId))
    await askPasskey(deps, { userId, id }, { type: 'lost' });
  for (const { id } of await deps.secondFactors.listApps(userId))
    await askSecondFactor(deps, { userId, id }, { type: 'lost' });
  await replaceRecoveryCodes(deps, userId);
}

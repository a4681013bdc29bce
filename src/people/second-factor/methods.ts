/** The factors of an end-user, for the pages that list them or ask for them. */
import { isSecondFactorOnly } from '../../lifecycles/passkey/entity.ts';
import type { Bytes } from '../../model/grant.ts';
import { demandsSecondFactor } from '../../protocol/browser-session.ts';
import type { SecondFactorDeps } from './deps.ts';

export type Methods = {
  readonly apps: readonly { readonly id: string; readonly confirmedAt: Date }[];
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string;
    readonly createdAt: Date;
    readonly lastUsedAt: Date | null;
    readonly isSynced: boolean;
    readonly isSecondFactorOnly: boolean;
    readonly credentialId: Bytes;
    readonly transports: readonly string[];
  }[];
  readonly recoveryCodesLeft: number;
  /** The policy demands a second factor of this end-user. */
  readonly isDemanded: boolean;
};

/** @throws StoreUnavailable */
export async function methodsOfUser(
  { secondFactors, recoveryCodes, configuration }: SecondFactorDeps,
  { userId, username }: { readonly userId: string; readonly username: string },
): Promise<Methods> {
  const [apps, passkeys, codes] = await Promise.all([
    secondFactors.listApps(userId),
    secondFactors.listPasskeys(userId),
    recoveryCodes.active(userId),
  ]);
  return {
    apps: apps.flatMap(({ id, state, confirmedAt }) =>
      state === 'active' && confirmedAt !== null ? [{ id, confirmedAt }] : [],
    ),
    passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt, backupEligible, credentialId, transports }) => ({
      id,
      name,
      createdAt,
      lastUsedAt,
      isSynced: backupEligible,
      isSecondFactorOnly: isSecondFactorOnly({ id }),
      credentialId,
      transports,
    })),
    recoveryCodesLeft: codes.length,
    isDemanded: demandsSecondFactor(configuration(), username),
  };
}

export const hasFactor = ({ apps, passkeys }: Pick<Methods, 'apps' | 'passkeys'>): boolean =>
  apps.length + passkeys.length > 0;

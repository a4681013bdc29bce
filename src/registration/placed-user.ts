/** An end-user whose record an import has stored, before their linked identities and factors come. */
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { UserAdministrationDeps } from './administration.ts';
import type { ImportedUser } from './imported-user.ts';

export type WaysDeps = UserAdministrationDeps & { readonly random: Random; readonly keys: RootKeys };

export type Placed = {
  readonly id: string;
  /** The end-user was registered before this import. */
  readonly isKnown: boolean;
  readonly isDisabled: boolean;
  readonly hasPassword: boolean;
  readonly sent: Pick<ImportedUser, 'identities' | 'totpSecrets' | 'passkeys' | 'recoveryCodes' | 'disabled'>;
};
export type WayChanged = 'identities' | 'authenticator_apps' | 'passkeys' | 'recovery_codes' | 'disabled';

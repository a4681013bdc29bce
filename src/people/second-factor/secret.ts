/**
 * The stored secret of an authenticator app: sealed under the root secret, for its end-user and the id of its factor.
 */
import type { Random } from '../../crypto/random.ts';
import type { RootKeys } from '../../crypto/root-secret.ts';
import { IV_BYTES, isSealedByFirst, openText, sealText } from '../../crypto/sealed-text.ts';
import { totpStepOf } from '../../crypto/totp.ts';
import type { SecondFactor } from '../../lifecycles/second-factor/entity.ts';

type Sealed = Pick<SecondFactor, 'id' | 'userId' | 'sealedSecret'>;
type Named = Pick<SecondFactor, 'id' | 'userId'>;
type Sealing = { readonly keys: RootKeys; readonly random: Random };

/** Ids are unique for one end-user. In another user's row, the same sealed secret does not open. */
const nameOf = ({ id, userId }: Named): string => `${userId} ${id}`;

export const sealSecret = ({ keys, random }: Sealing, factor: Named, secret: string): string =>
  sealText(keys, 'second-factor', nameOf(factor), secret, random.bytes(IV_BYTES));

/** Null: the secret was dropped, or the root secret that sealed it is no longer listed. */
export const openSecret = (keys: RootKeys, factor: Sealed): string | null =>
  factor.sealedSecret === null ? null : openText(keys, 'second-factor', nameOf(factor), factor.sealedSecret);

/**
 * For a request to the factor's machine: the step of this code, and the secret, sealed again where an older root secret
 * sealed it.
 */
export const stepOfCode = (deps: Sealing, code: string) => ({
  stepOf: (factor: SecondFactor, now: Date): number | null => {
    const secret = openSecret(deps.keys, factor);
    return secret === null ? null : totpStepOf(secret, code, now);
  },
  reseal: (factor: SecondFactor): string | null => resealedSecret(deps, factor),
});

/** Null: the first root secret sealed it, or no listed one did. */
export function resealedSecret(deps: Sealing, factor: Sealed): string | null {
  if (factor.sealedSecret === null || isSealedByFirst(deps.keys, factor.sealedSecret)) return null;
  const secret = openSecret(deps.keys, factor);
  return secret === null ? null : sealSecret(deps, factor, secret);
}

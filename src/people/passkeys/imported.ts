/**
 * Passkeys that another system registered for the same host name. Its authenticator still sends the user handle of that system, and some
 * are a second factor only. The id of the row follows from both, and the MAC of the row covers its id (docs/decisions/0080).
 */
import { derivedId } from '../../crypto/derived-id.ts';
import { type Passkey, SECOND_FACTOR_MARK } from '../../lifecycles/passkey/entity.ts';

export type ImportedCredential = Pick<Passkey, 'userId' | 'credentialId'> & {
  /** As the other system gave it to the authenticator. */
  readonly userHandle: Uint8Array;
  /** It stands behind another way to sign in, and never signs in by itself. */
  readonly isSecondFactorOnly: boolean;
};

const SIGNS_IN = '051';

const idOf = (mark: string, { userId, credentialId, userHandle }: Omit<ImportedCredential, 'isSecondFactorOnly'>) =>
  derivedId(
    ['imported', 'passkey', userId, ...[credentialId, userHandle].map((one) => Buffer.from(one).toString('hex'))],
    mark,
  );

export const importedPasskeyId = ({ isSecondFactorOnly: isSecond, ...credential }: ImportedCredential): string =>
  idOf(isSecond ? SECOND_FACTOR_MARK : SIGNS_IN, credential);

/** WebAuthn §7.2 step 6. The handle is the id of the end-user here, or the one with which the passkey was imported. */
export const isOwnedUnder = (
  { id, userId, credentialId }: Pick<Passkey, 'id' | 'userId' | 'credentialId'>,
  userHandle: Uint8Array,
): boolean =>
  Buffer.from(userHandle).equals(Buffer.from(userId)) ||
  [SIGNS_IN, SECOND_FACTOR_MARK].some((mark) => id === idOf(mark, { userId, credentialId, userHandle }));

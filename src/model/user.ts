/** An end-user. `id` names the end-user in the database. It is the `sub` of every token, unless another `sub` was imported. */
import type { EndUser } from '../../machines/shared/facts.ts';
import type { ImportedHash, PasswordHash } from '../crypto/secret-types.ts';
import { usernameKey } from '../oauth/username.ts';

/** By the names of OpenID Connect Core §5.1, and custom claims by any other name. */
export type Claims = Readonly<Record<string, unknown>>;

export type User = {
  readonly id: string;
  /** The `sub` that the end-user had in another system; null: the `id`. */
  readonly sub: string | null;
  readonly username: string;
  readonly passwordHash: PasswordHash;
  readonly claims: Claims;
  readonly epoch: bigint;
  readonly disabledAt: Date | null;
};

/** The `sub` of every token about the end-user. It never changes, and no other end-user gets it. */
export const subOf = ({ id, sub }: Pick<User, 'id' | 'sub'>): string => sub ?? id;

/** The hash of no password: no password ever matches it. */
export const NO_PASSWORD = '' as PasswordHash;

/**
 * `deletedAt`: nothing but the `id` is left; `disabledAt` is set too. `importedHash`: of the hash that was imported last, so that the
 * same import changes nothing later, with any current password; null: none was.
 * `passwordByLinkAt`: when a link in an e-mail replaced the password; null: the current password came otherwise.
 * `signInAddress`: the key of the verified address, by which the end-user signs in; null: by the username alone.
 */
export type RegisteredUser = User & {
  readonly signInAddress: string | null;
  readonly deletedAt: Date | null;
  readonly importedHash: ImportedHash | null;
  readonly passwordByLinkAt: Date | null;
  /** When the account was made in another system. Only of a registration. Absent: it is made now. */
  readonly createdAt?: Date;
};

export { usernameKey } from '../oauth/username.ts';

/** As guards see the end-user. */
export const endUserOf = (user: Pick<User, 'disabledAt'> | null): EndUser | null =>
  user && { disabledAt: user.disabledAt?.getTime() ?? null };

/** Two spellings of an address that differ in case are one mailbox nearly everywhere. */
export const addressKey = (address: string): string => address.normalize('NFC').trim().toLowerCase();

/**
 * The verified address in the form in which typed identifiers are compared: that of usernames, since both stand in one field of the
 * sign-in page. Null: the end-user has none.
 */
export function verifiedAddressKey(user: Pick<RegisteredUser, 'claims'>): string | null {
  const own = addressOf(user);
  return own?.isVerified ? usernameKey(own.address) : null;
}

/** Of sign-in.yaml: a verified address is an identifier, so it belongs to one end-user. */
export const addressesIdentify = ({ identifiers }: { readonly identifiers: string }): boolean =>
  identifiers !== 'username';

/** Of the claims; null: the end-user has no address. */
export function addressOf({
  claims,
}: Pick<RegisteredUser, 'claims'>): { readonly address: string; readonly isVerified: boolean } | null {
  const { email, email_verified: verified } = claims;
  return typeof email === 'string' && email !== '' ? { address: email, isVerified: verified === true } : null;
}

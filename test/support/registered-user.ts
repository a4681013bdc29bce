/** An end-user as the stores return one, for tests without a database. */
import type { PasswordHash } from '../../src/crypto/secret-types.ts';
import type { RegisteredUser } from '../../src/model/user.ts';

export const registeredUser = (
  change: Partial<RegisteredUser> & Pick<RegisteredUser, 'id' | 'username'>,
): RegisteredUser => ({
  sub: null,
  passwordHash: 'a hash' as PasswordHash,
  claims: {},
  epoch: 1n,
  disabledAt: null,
  deletedAt: null,
  importedHash: null,
  passwordByLinkAt: null,
  signInAddress: null,
  ...change,
});

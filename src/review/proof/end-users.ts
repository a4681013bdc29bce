/** An end-user as walks begin with them. */
import type { RegisteredUser, User } from '../../model/user.ts';

export const hashOf = (password: string) => password as User['passwordHash'];

export const ALICE: RegisteredUser = {
  id: 'alice',
  sub: null,
  username: 'alice',
  passwordHash: hashOf('the password'),
  importedHash: null,
  passwordByLinkAt: null,
  claims: {},
  signInAddress: null,
  epoch: 0n,
  disabledAt: null,
  deletedAt: null,
};

/** The row that is left of a deleted end-user. */
export const erased = (user: RegisteredUser, at: Date): RegisteredUser => ({
  ...user,
  username: '',
  passwordHash: hashOf(''),
  importedHash: null,
  passwordByLinkAt: null,
  claims: {},
  signInAddress: null,
  epoch: user.epoch + 1n,
  disabledAt: at,
  deletedAt: at,
});

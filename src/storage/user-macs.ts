/** The MAC of an end-user's row, and the key by which the username is found. */
import type { RowMacs } from '../crypto/row-mac.ts';
import type { RowVersion } from '../lifecycles/client/lifecycle.ts';
import { userFacts } from '../lifecycles/user/table.ts';
import type { RegisteredUser } from '../model/user.ts';
import { FIRST_VERSION, isOurs, loadedVersion, nextMacVersion } from './row-version.ts';
import { usernameKey } from './users.ts';

/** No username has a control character (src/registration/user-record.ts), so the key of an erased end-user is no user's username. */
export const usernameKeyOf = ({ id, username, deletedAt }: RegisteredUser): string =>
  deletedAt === null ? usernameKey(username) : `\u0001${id}`;

export function versionOf(
  macs: RowMacs,
  user: RegisteredUser,
  row: { readonly version: string | null; readonly mac: Buffer | null; readonly macVersion: bigint | null },
): NonNullable<RowVersion> {
  const facts = { ...user, usernameKey: usernameKeyOf(user), macVersion: row.macVersion ?? FIRST_VERSION };
  return loadedVersion(macs.isRight(...userFacts(facts), row.mac), row);
}

export const macOfUser = (macs: RowMacs, user: RegisteredUser, macVersion = FIRST_VERSION): Buffer =>
  macs.macOf(...userFacts({ ...user, usernameKey: usernameKeyOf(user), macVersion }));

/** A column that another process wrote into the row does not become authentic through a change of another column. */
export function macOfChange(macs: RowMacs, version: RowVersion, after: RegisteredUser) {
  const macVersion = nextMacVersion(version);
  return { mac: isOurs(version) ? macOfUser(macs, after, macVersion) : null, macVersion };
}

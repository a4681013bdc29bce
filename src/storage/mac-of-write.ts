/** The columns that storage writes beside those of a commit: MACs, their versions, and the key by which a username is found. Undefined: no column. */
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Columns, Write } from '../engine/commit.ts';
import { InvariantViolation } from '../engine/errors.ts';
import type { RowVersion } from '../lifecycles/client/lifecycle.ts';
import type { EmailChallenge } from '../lifecycles/email-challenge/entity.ts';
import { emailChallengeFacts } from '../lifecycles/email-challenge/table.ts';
import { externalSignInFacts } from '../lifecycles/external-sign-in/table.ts';
import { linkedIdentityFacts } from '../lifecycles/linked-identity/table.ts';
import { passkeyFacts } from '../lifecycles/passkey/table.ts';
import type { Facts } from '../lifecycles/table.ts';
import type { RegisteredUser } from '../model/user.ts';
import { FIRST_VERSION } from './row-version.ts';
import type { externalSignIns, linkedIdentities, passkeys } from './schema.ts';
import { macOfChange, macOfUser, usernameKeyOf } from './user-store.ts';

/** Of a row that is inserted: the MAC of its first version. Of a row that is changed: where the change is about its authority, the MAC of the next. */
export function derivedColumns(macs: RowMacs | null, write: Write): Columns {
  const derive = (write.kind === 'insert' ? INSERTED : CHANGED)[write.table];
  if (derive === undefined) return {};
  if (macs === null) throw new InvariantViolation(`a row of ${write.table} is written without its MAC`);
  return derive(
    macs,
    write.kind === 'insert' ? { ...write.row, macVersion: FIRST_VERSION } : { ...write.loaded, ...write.set },
  );
}

type Derive = (macs: RowMacs, row: Columns) => Columns;

const withMac =
  <Row>(factsOf: (row: Row) => Facts): Derive =>
  (macs, row) => ({ mac: macs.macOf(...factsOf(row as Row)) });

const INSERTED: Readonly<Record<string, Derive>> = {
  emailChallenges: (macs, row) => {
    const link = row as EmailChallenge & { readonly macVersion: bigint };
    const { path = null, browserHash = null } = link.goesOn ?? {};
    const mac = macs.macOf(...emailChallengeFacts(link));
    return { goesOn: undefined, goesOnPath: path, goesOnBrowserHash: browserHash, mac };
  },
  passkeys: withMac<typeof passkeys.$inferSelect>(passkeyFacts),
  linkedIdentities: withMac<typeof linkedIdentities.$inferSelect>(linkedIdentityFacts),
  users: (macs, row) => {
    const user = row as unknown as RegisteredUser;
    return { usernameKey: usernameKeyOf(user), mac: macOfUser(macs, user) };
  },
};

const CHANGED: Readonly<Record<string, Derive>> = {
  externalSignIns: (macs, row) => {
    const { macVersion, ...rest } = row as typeof externalSignIns.$inferSelect;
    const next = { ...rest, macVersion: macVersion + 1n };
    return { mac: macs.macOf(...externalSignInFacts(next)), macVersion: next.macVersion };
  },
  users: (macs, row) => {
    const { version, ...user } = row as RegisteredUser & { readonly version: RowVersion };
    return macOfChange(macs, version, user);
  },
};

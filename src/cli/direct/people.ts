/**
 * The import of end-users on the database itself: the one thing of administration that commands do without the management API. A
 * request places one end-user. Here hundreds go in one statement, which is what an import of a million needs.
 */
import type { Runtime } from '../../boot/runtime.ts';
import { beginIdentifiers } from '../../boot/sign-in-addresses.ts';
import { rowMacs } from '../../crypto/row-mac.ts';
import { commandLine } from '../../model/actor.ts';
import { addressesIdentify } from '../../model/user.ts';
import { serviceNames } from '../../people/passwords/rules.ts';
import { scopeOfAdministrator } from '../../protocol/administrators.ts';
import { USERS_AT_ONCE, userPlacing } from '../../registration/import-users.ts';
import { passkeyHost } from '../../registration/imported-passkey.ts';
import { readImportedUser } from '../../registration/imported-user.ts';
import type { PeopleImport } from '../people-import.ts';

export async function directPeople(runtime: Runtime): Promise<PeopleImport> {
  await beginIdentifiers(runtime);
  const { environment, configuration, database, keys, random } = runtime;
  const db = database.drizzle;
  const service = serviceNames(environment.issuer, configuration.branding.organization);
  const { passwordPepper } = environment;
  const hashes = { fast: configuration.signIn.importFastHashes, peppered: passwordPepper !== null };
  const rpId = passkeyHost(environment.issuer);
  const rules = { policy: configuration.signIn, service, hashes, rpId };
  return {
    read: (input) => readImportedUser(input, environment.production, rules),
    ...userPlacing({ db, actor: commandLine, macs: rowMacs(keys), keys, random, passwordPepper }),
    isOperator: (username) => scopeOfAdministrator(configuration, { kind: 'user', username }).length > 0,
    rpId,
    addressesIdentify: addressesIdentify(configuration.signIn),
    atOnce: USERS_AT_ONCE,
  };
}

/** Follows `identifiers` of sign-in.yaml: whether verified addresses identify end-users, and whom. */
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { addressesIdentify } from '../model/user.ts';
import {
  findUnidentifiedByAddress,
  giveSignInAddresses,
  setAddressesIdentify,
  takeSignInAddresses,
} from '../storage/sign-in-addresses.ts';
import type { Runtime } from './runtime.ts';

/** Again and again: an older node may have changed an address, and an administrator may have made one unique. */
const AGAIN_MILLISECONDS = 3_600_000;
const NAMED_IN_LOG = 20;

/** Before a server or a command writes end-users. The round ends it, where no policy of a node says so any more. */
export async function beginIdentifiers({
  database,
  configuration,
}: Pick<Runtime, 'database' | 'configuration'>): Promise<void> {
  if (addressesIdentify(configuration.signIn)) await setAddressesIdentify(database.drizzle, true);
}

/** @returns a round, for one node at a time. */
export function followingIdentifiers(
  { database, keys }: Pick<Runtime, 'database' | 'keys'>,
  configuration: () => Configuration,
  logger: Pick<Logger, 'info' | 'warn'>,
): (signal: AbortSignal) => Promise<void> {
  const db = database.drizzle;
  let dueAt = 0;
  return async (signal) => {
    const identify = addressesIdentify(configuration().signIn);
    const hasChanged = await setAddressesIdentify(db, identify);
    if (!hasChanged && performance.now() < dueAt) return;
    if (hasChanged) logger.info({ addressesIdentify: identify }, 'sign-in.yaml: identifiers came into force');
    if (identify) {
      await giveSignInAddresses(db, rowMacs(keys), signal);
      const userIds = await findUnidentifiedByAddress(db, NAMED_IN_LOG);
      if (userIds.length > 0)
        logger.warn(
          { userIds },
          'end-users with the verified address of another sign in by their username alone; "statehouse check" names them',
        );
    } else await takeSignInAddresses(db, signal);
    dueAt = performance.now() + AGAIN_MILLISECONDS;
  };
}

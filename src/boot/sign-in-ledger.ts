/** Sign-in attempts and their addresses, for the ledger. Refusals are bounded, since unauthenticated users cause them. */
import type { Logger } from 'pino';
import { accountHash } from '../crypto/account-hash.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { actingBrowser } from '../people/mail/acting-browser.ts';
import type { SignInLedger } from '../protocol/sign-in-ledger.ts';
import type { Drizzle } from '../storage/database.ts';
import { writeRefusedSignIn } from '../storage/sign-in-lines.ts';
import { usernameKey } from '../storage/users.ts';
import type { Clock } from '../system/clock.ts';

/** Per node: a burst of this size, and then one a second. 86,400 a day at most. */
export const REFUSALS_AT_ONCE = 600;
const REFUSALS_A_SECOND = 1;

export type SignInLedgerParts = {
  readonly db: Drizzle;
  readonly keys: RootKeys;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds, of any clock that never goes back. */
  readonly elapsed: () => number;
};

export function signInLedger({ db, keys, clock, logger, elapsed }: SignInLedgerParts): SignInLedger {
  const originOf: SignInLedger['originOf'] = (username) => ({
    address: actingBrowser()?.address ?? null,
    accountHash: username === null ? null : accountHash(keys, usernameKey(username)),
  });
  let left = REFUSALS_AT_ONCE;
  let since = elapsed();
  let leftOut = 0;
  const mayWrite = (): boolean => {
    const now = elapsed();
    left = Math.min(REFUSALS_AT_ONCE, left + ((now - since) / 1000) * REFUSALS_A_SECOND);
    since = now;
    if (left < 1) {
      leftOut += 1;
      return false;
    }
    left -= 1;
    return true;
  };
  return {
    originOf,
    refused: async (line) => {
      if (!mayWrite()) return;
      if (leftOut > 0)
        logger.warn({ leftOut }, 'the ledger left out refused sign-ins over its limit; the log has them');
      leftOut = 0;
      await writeRefusedSignIn(db, clock, line, originOf(line.username));
    },
  };
}

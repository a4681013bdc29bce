/** Set-ups of the first operator: the statement that loads those that have not ended, and the operator whom one of them made. */
import { and, eq, inArray, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { PasskeyState } from '../../machines/passkey/facts.ts';
import type { RowMacs } from '../crypto/row-mac.ts';
import type {
  LoadedOperatorSetUp,
  OperatorSetUpKey,
  OperatorSetUpStore,
} from '../lifecycles/operator-set-up/lifecycle.ts';
import { operatorSetUpFacts } from '../lifecycles/operator-set-up/table.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { identifiedBy } from './identified.ts';
import { readNow } from './now.ts';
import { operatorSetUps, server, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { authenticColumns, isAuthenticUser, userColumns, usernameKey } from './users.ts';

export function operatorSetUpStore(db: Drizzle, clock: Clock, macs: RowMacs): OperatorSetUpStore {
  return {
    load: async (key) => {
      const rows = await reading(() =>
        db
          .select({
            now: readNow(clock),
            serverEpoch: server.epoch,
            usernameOf: identifiedBy(key.username === null ? null : usernameKey(key.username)),
            passkeyState: stateOfCredential(key),
            setUp: operatorSetUps,
          })
          .from(server)
          .leftJoin(operatorSetUps, or(ne(operatorSetUps.state, 'ended'), isMeant(key))),
      );
      const [row] = rows;
      if (!row) throw noServerRow();
      // A row that the server did not write makes no operator.
      const setUps = rows.flatMap(({ setUp }) =>
        setUp !== null && macs.isRight(...operatorSetUpFacts(setUp), setUp.mac) ? [setUp] : [],
      );
      const used = setUps.find(({ state }) => state === 'used')?.userId ?? null;
      const operators = await operatorsAmong(db, macs, key.declared, used);
      return {
        now: row.now,
        serverEpoch: row.serverEpoch,
        usernameOf: row.usernameOf,
        ...(row.passkeyState !== null && { passkeyState: row.passkeyState }),
        setUps,
        operatorIsDeclared: operators.some(({ isDeclared }) => isDeclared),
        operatorBySetUp: operators.some(({ id }) => id === used) ? used : null,
      } satisfies LoadedOperatorSetUp;
    },
    commit: commitStore(db, macs),
  };
}

/** Also of a row that the server did not write: its credential is taken. */
const stateOfCredential = ({ credentialId }: OperatorSetUpKey): SQL<PasskeyState | null> =>
  credentialId ? sql`(select p.state from passkeys p where p.credential_id = ${Buffer.from(credentialId)})` : sql`null`;

function isMeant({ meant }: OperatorSetUpKey): SQL | undefined {
  if (meant === null) return sql`false`;
  return 'id' in meant ? eq(operatorSetUps.id, meant.id) : eq(operatorSetUps.secretHash, Buffer.from(meant.secretHash));
}

/** Those who may sign in. A user row that the server did not write is none of them. */
async function operatorsAmong(db: Drizzle, macs: RowMacs, declared: readonly string[], bySetUp: string | null) {
  if (declared.length === 0 && bySetUp === null) return [];
  const keys = declared.map(usernameKey);
  const found = await reading(() =>
    db
      .select({ ...userColumns, ...authenticColumns })
      .from(users)
      .where(
        and(
          isNull(users.deletedAt),
          isNull(users.disabledAt),
          or(inArray(users.usernameKey, keys), bySetUp === null ? sql`false` : eq(users.id, bySetUp)),
        ),
      ),
  );
  return found
    .filter((user) => isAuthenticUser(user, macs))
    .map(({ id, username, usernameKey: key }) => ({ id, username, isDeclared: keys.includes(key ?? '') }));
}

export type OperatorBySetUp = { readonly id: string; readonly username: string };

/** `operator`: the end-user who administers by a set-up, and may sign in; null: none does. `areOpen`: some have not ended. */
export type OpenSetUps = { readonly areOpen: boolean; readonly operator: OperatorBySetUp | null };

/** @throws StoreUnavailable */
export async function openSetUps(db: Drizzle, macs: RowMacs): Promise<OpenSetUps> {
  const rows = await reading(() => db.select().from(operatorSetUps).where(ne(operatorSetUps.state, 'ended')));
  const open = rows.filter((row) => macs.isRight(...operatorSetUpFacts(row), row.mac));
  const userId = open.find(({ state }) => state === 'used')?.userId ?? null;
  const [operator] = await operatorsAmong(db, macs, [], userId);
  return {
    areOpen: open.length > 0,
    operator: operator ? { id: operator.id, username: operator.username } : null,
  };
}

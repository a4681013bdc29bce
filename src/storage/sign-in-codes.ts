/** Codes in mails: the statement that loads a code with its end-user, and with the open code that a newer one overtakes. */
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { LoadedSignInCode, SignInCodeStore } from '../lifecycles/sign-in-code/lifecycle.ts';
import { signInCodeFacts } from '../lifecycles/sign-in-code/table.ts';
import type { RegisteredUser } from '../model/user.ts';
import { isUuid } from '../oauth/sub.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { readNow } from './now.ts';
import { server, signInCodes, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { authenticColumns, isAuthenticUser, registeredColumns } from './users.ts';

export function signInCodeStore(db: Drizzle, clock: Clock, macs: RowMacs): SignInCodeStore {
  const load = async (which: SQL | undefined, userId: SQL): Promise<LoadedSignInCode> => {
    const rows = await reading(() =>
      db
        .select({
          now: readNow(clock),
          code: signInCodes,
          user: registeredColumns,
          authentic: authenticColumns,
        })
        .from(server)
        .leftJoin(signInCodes, which)
        .leftJoin(users, eq(users.id, userId)),
    );
    const [row] = rows;
    if (!row) throw noServerRow();
    const { now, user, authentic } = row;
    // A row that the server did not write is no code.
    const codes = rows.flatMap(({ code }) =>
      code !== null && macs.isRight(...signInCodeFacts(code), code.mac) ? [code] : [],
    );
    const isOurs = user !== null && authentic !== null && isAuthenticUser({ ...user, ...authentic }, macs);
    return { now, codes, user: isOurs ? user : ended(user) };
  };
  return {
    loadFresh: ({ id, browserHash, place }) =>
      load(
        and(
          eq(signInCodes.browserHash, Buffer.from(browserHash)),
          or(
            eq(signInCodes.id, id),
            and(eq(signInCodes.place, place), inArray(signInCodes.state, ['requested', 'active'])),
          ),
        ),
        sql`null::uuid`,
      ),
    load: async (id, userId) => {
      if (!isUuid(id)) return null;
      const loaded = await load(
        eq(signInCodes.id, id),
        userId === undefined ? sql`${signInCodes.userId}` : sql`${userId}::uuid`,
      );
      return loaded.codes.length === 0 ? null : loaded;
    },
    commit: commitStore(db, macs),
  };
}

/** A row that the server did not write signs in no user, also after a foreign write has enabled it. */
const ended = (user: RegisteredUser | null): RegisteredUser | null =>
  user && { ...user, disabledAt: user.disabledAt ?? new Date(0) };

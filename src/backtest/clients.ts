/** The clients and administrators that a page of rows needs, loaded once each, so that deciding waits for nothing. */
import type { Client } from '../model/client.ts';
import { findUsername } from '../storage/users.ts';
import type { BacktestDeps } from './deps.ts';
import { type ClientHere, clientsUnder, type Side } from './side.ts';

/** Enough for each server that we know of; with more, some are loaded again. */
const MAX_KEPT = 10_000;

export type Sides = { readonly before: Side; readonly after: Side };

/** A client under each of the two configurations. */
export type ClientOnBoth = { readonly before: ClientHere; readonly after: ClientHere };

export type Known = {
  /** @throws StoreUnavailable */
  readonly load: (
    rows: Iterable<{
      readonly clientId: string;
      readonly userId: string | null;
      readonly resources: readonly string[];
    }>,
  ) => Promise<void>;
  /** Null: no such client. */
  readonly clientOf: (clientId: string, policyThen?: string | null) => ClientOnBoth | null;
  readonly usernameOf: (userId: string) => string | null;
};

export function knownTo({ db, macs, loadClient }: BacktestDeps, { before, after }: Sides): Known {
  const clients = new Map<string, Client | null>();
  const usernames = new Map<string, string | null>();
  const here = { before: clientsUnder(before, after), after: clientsUnder(after, before) };
  const management = before.configuration.management.identifier;
  return {
    load: async (rows) => {
      if (clients.size > MAX_KEPT) clients.clear();
      if (usernames.size > MAX_KEPT) usernames.clear();
      for (const { clientId, userId, resources } of rows) {
        if (!clients.has(clientId)) clients.set(clientId, await loadClient(clientId));
        if (userId !== null && resources.includes(management) && !usernames.has(userId)) {
          usernames.set(userId, await findUsername(db, macs, userId));
        }
      }
    },
    clientOf: (clientId, policyThen) => {
      const stored = clients.get(clientId) ?? null;
      if (stored === null) return null;
      // A client of the database had its policy of that day, if it still exists. One of clients.yaml has the policy of the file.
      const then = ({ configuration }: Side): Client =>
        policyThen && configuration.policies.has(policyThen) ? { ...stored, policy: policyThen } : stored;
      return { before: here.before(then(before)), after: here.after(then(after)) };
    },
    usernameOf: (userId) => usernames.get(userId) ?? null,
  };
}

/** Clients of a walk: as they are registered, and as Postgres stores them with a version. */
import type { Commit } from '../../../engine/commit.ts';
import type { RegisteredClient } from '../../../model/client.ts';
import { carryOut, type LeftOut } from '../../../review/proof/carry-out.ts';
import { WEB_CLIENT } from '../../../review/proof/clients.ts';
import type { SentRegistration } from '../lifecycle.ts';

const { epoch: _, deletedAt: __, ...WEB } = WEB_CLIENT;

export { WEB };

export const registeredAs = (sent: SentRegistration, change: Partial<RegisteredClient> = {}): RegisteredClient => ({
  ...sent,
  epoch: 0n,
  deletedAt: null,
  ...change,
});

/** Each write of a client makes another version, as in Postgres. */
export type StoredClients = {
  readonly clients: readonly (RegisteredClient & { readonly version?: string })[];
  readonly writes: number;
};

export const storedOnce = (clients: readonly RegisteredClient[]): StoredClients => ({
  clients: clients.map((one) => ({ ...one, version: '1' })),
  writes: 1,
});

/** As its statement loads it (src/storage/client-store.ts). */
export function clientIn({ clients }: StoredClients, clientId: string) {
  const found = clients.find((one) => one.clientId === clientId);
  if (found === undefined) return { client: null, version: null };
  const { version = null, ...client } = found;
  return { client, version };
}

/** @returns null when a fact did not hold: nothing changed. */
export function commitWithClients<Stored extends StoredClients>(
  stored: Stored,
  commit: Commit,
  leftOut?: LeftOut,
): Stored | null {
  const done = carryOut(stored, commit, leftOut);
  if (done === null) return null;
  const writes = stored.writes + 1;
  const clients = done.clients.map((one, place) =>
    one === stored.clients[place] ? one : { ...one, version: String(writes) },
  );
  return { ...done, clients, writes };
}

/** Of a client that an operator vouches for, or that an administrator deleted. Null: none was changed. */
export function changedVetted({ clients }: StoredClients, after: StoredClients): string | null {
  const changed = clients.find(
    (one) =>
      (one.registeredBy === 'operator' || one.deletedAt !== null) &&
      !after.clients.some((other) => other.clientId === one.clientId && other.version === one.version),
  );
  return changed ? `${changed.clientId} was changed` : null;
}

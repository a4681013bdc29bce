/** A grant store in memory: one row, the guard of the real one, and a script of what goes wrong. */
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import type {
  GrantStore,
  HeadMove,
  HeadRepeat,
  LoadedGrant,
  Revocation,
} from '../../../src/lifecycles/grant/lifecycle.ts';
import type { Client } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { sameBytes } from '../../../src/model/grant.ts';
import type { LedgerEntry } from '../../../src/model/ledger.ts';

/**
 * The fate of one commit:
 * - `conflict`: Postgres saw two statements in each other's way, and changed nothing;
 * - `notSent`: the database was away before the statement left;
 * - `lostBefore`, `lostAfter`: the connection broke before, or after, the statement took effect;
 * - `lostLate`: it broke, and the statement takes effect just before the next one;
 * - a function: another event at this moment, before the fate that it names, if it names one.
 */
type Named = 'conflict' | 'notSent' | 'lostBefore' | 'lostAfter' | 'lostLate';
export type Fate = Named | (() => Named | undefined);

export type FakeStore = GrantStore & {
  /** For the test to look at, and to change behind the engine's back. */
  row: Grant;
  now: Date;
  /** Of the next commits, in order; those after them succeed. */
  fates: Fate[];
  /** How many of the next loads find the database away. */
  loadsAway: number;
  readonly commits: (HeadMove | HeadRepeat | Revocation)[];
  readonly ledger: LedgerEntry[];
};

export function fakeGrantStore(row: Grant, client: Client, now: Date): FakeStore {
  let landsLate = () => {};
  const store: FakeStore = {
    row,
    now,
    fates: [],
    loadsAway: 0,
    commits: [],
    ledger: [],
    load: async (): Promise<LoadedGrant> => {
      if (store.loadsAway > 0) {
        store.loadsAway--;
        throw new StoreUnavailable(false);
      }
      return { now: store.now, client, grant: store.row, claims: null };
    },
    loadClient: async () => ({ now: store.now, client }),
    commit: (asked) => {
      if (asked.kind === 'moveHead') return commit(asked.move, () => moveHead(store, asked.move));
      return asked.kind === 'repeatHead'
        ? commit(asked.repeat, () => repeatHead(store, asked.repeat))
        : commit(asked.revocation, () => revoke(store, asked.revocation));
    },
  };

  async function commit(statement: HeadMove | HeadRepeat | Revocation, takeEffect: () => boolean): Promise<boolean> {
    store.commits.push(statement);
    landsLate();
    landsLate = () => {};
    const next = store.fates.shift();
    switch (typeof next === 'function' ? next() : next) {
      case 'conflict':
        return false;
      case 'notSent':
        throw new StoreUnavailable(false);
      case 'lostBefore':
        throw new StoreUnavailable(true);
      case 'lostAfter':
        takeEffect();
        throw new StoreUnavailable(true);
      case 'lostLate':
        landsLate = takeEffect;
        throw new StoreUnavailable(true);
      default:
        return takeEffect();
    }
  }
  return store;
}

function stillHolds({ row, now }: FakeStore, { loaded, endsAt }: HeadRepeat): boolean {
  return (
    row.state === 'active' &&
    row.refreshGeneration === loaded.refreshGeneration &&
    sameBytes(row.refreshNonce, loaded.refreshNonce) &&
    row.liveClientEpoch === row.clientEpoch &&
    row.liveUserEpoch === row.userEpoch &&
    row.liveServerEpoch === row.serverEpoch &&
    now < endsAt
  );
}

function moveHead(store: FakeStore, move: HeadMove): boolean {
  if (!stillHolds(store, move)) return false;
  const { now, generation, nonce, chainEndsAt, entry } = move;
  store.row = { ...store.row, refreshGeneration: generation, refreshNonce: nonce, lastUsedAt: now, chainEndsAt };
  store.ledger.push(entry);
  return true;
}

function repeatHead(store: FakeStore, repeat: HeadRepeat): boolean {
  if (!stillHolds(store, repeat)) return false;
  store.ledger.push(repeat.entry);
  return true;
}

function revoke(store: FakeStore, { reason, entries }: Revocation): boolean {
  if (store.row.state !== 'active') return false;
  store.row = { ...store.row, state: 'revoked', revokedReason: reason };
  store.ledger.push(...entries);
  return true;
}

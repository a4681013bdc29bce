/**
 * Presents the accepted requests of a period again, at the same instants and in the order of each grant, under both
 * configurations. At the beginning of the period each grant is as it was. After its first refusal, a grant has no further
 * token under that configuration: its later entries follow from the refusal.
 *
 * Memory is bounded. Where a period has too many grants, a walk over the ledger keeps only those of a range of ids, and
 * another walk follows.
 */
import type { Grant } from '../model/grant.ts';
import {
  approvalsBefore,
  EVERY_ID,
  grantRowsOf,
  type IdRange,
  idIsIn,
  lastUsesBefore,
  type Period,
  type RecordedUse,
  type ReplayedRow,
  usesReader,
} from '../storage/backtest-rows.ts';
import { knownTo, type Sides } from './clients.ts';
import { count, newTally, type Tally } from './counts.ts';
import type { BacktestDeps } from './deps.ts';
import {
  type BacktestReason,
  grantOf,
  type Presented,
  presentCode,
  presentRefreshToken,
  presentRetry,
} from './present.ts';

export type Replay = {
  readonly refreshes: Tally;
  readonly exchanges: Tally;
  /** Presentations whose last use, or whose approval, is not in the ledger: they are taken as in time. */
  unknownTimes: number;
  /** Refreshes and exchanges of grants whose rows were removed: without their scope, only times decide. */
  timesAlone: number;
  complete: boolean;
};

/** A walk keeps so many grants, each of some 2 KB. */
export const MAX_GRANTS_KEPT = 50_000;

type SideName = 'before' | 'after';
const SIDE_NAMES: readonly SideName[] = ['before', 'after'];

/** A grant under one of the configurations. */
type Track = {
  lastUsedAt: Date | null;
  chainEndsAt: Date | null;
  /** The first refusal. Null: none. */
  refusal: { readonly kind: 'exchange' | 'refresh'; readonly reason: BacktestReason } | null;
  readonly following: { exchange: number; refresh: number };
};

type ReplayedGrant = {
  readonly clientId: string;
  readonly row: ReplayedRow | null;
  /** Null: not in the ledger. */
  readonly approvedAt: Date | null;
  /** Of the head; null: the code is not exchanged, or the last use is not known. */
  generation: bigint | null;
  readonly tracks: Readonly<Record<SideName, Track>>;
  readonly total: { exchange: number; refresh: number };
  unknownTimes: number;
};

/** @throws StoreUnavailable */
export async function replay(
  deps: BacktestDeps,
  sides: Sides,
  period: Period,
  mostGrants = MAX_GRANTS_KEPT,
): Promise<Replay> {
  const result: Replay = {
    refreshes: newTally(),
    exchanges: newTally(),
    unknownTimes: 0,
    timesAlone: 0,
    complete: true,
  };
  const read = await usesReader(deps.db, period);
  const known = knownTo(deps, sides);
  let width = EVERY_ID.to;
  for (let from = EVERY_ID.from; from < EVERY_ID.to; from += width) {
    const walk = await walkOver({ from, to: Math.min(from + width, EVERY_ID.to) });
    width = walk.range.to - from;
    for (const grant of walk.grants.values()) countGrant(result, grant);
    if (!walk.complete) return { ...result, complete: false };
  }
  return result;

  /** @returns with a smaller range where it has too many grants. */
  async function walkOver(whole: IdRange) {
    let range = whole;
    const grants = new Map<string, ReplayedGrant>();
    let after: Awaited<ReturnType<typeof read>>['next'] = null;
    do {
      if (!deps.mayContinue()) return { range, grants, complete: false };
      const { uses, next }: Awaited<ReturnType<typeof read>> = await read(range, after);
      await begin(grants, uses);
      for (const use of uses) present(grants, use);
      while (grants.size > mostGrants) {
        range = { from: range.from, to: range.from + Math.ceil((range.to - range.from) / 2) };
        for (const id of grants.keys()) if (!idIsIn(range, id)) grants.delete(id);
      }
      after = next;
    } while (after !== null);
    return { range, grants, complete: true };
  }

  /** The grants of these uses, as they were when the period began. */
  async function begin(grants: Map<string, ReplayedGrant>, uses: readonly RecordedUse[]): Promise<void> {
    const first = new Map<string, RecordedUse>();
    for (const use of uses) if (!grants.has(use.grantId) && !first.has(use.grantId)) first.set(use.grantId, use);
    if (first.size === 0) return;
    const rows = await grantRowsOf(deps.db, [...first.keys()]);
    const older = [...first.values()].filter(({ kind }) => kind !== 'approval').map(({ grantId }) => grantId);
    const removed = older.filter((id) => !rows.has(id));
    const refreshed = older.filter((id) => first.get(id)?.kind !== 'exchange');
    const [lastUses, approvals] = await Promise.all([
      lastUsesBefore(deps.db, refreshed, period.from),
      approvalsBefore(deps.db, removed, period.from),
    ]);
    await known.load(
      [...first.values()].flatMap(({ grantId, clientId }) => {
        const row = rows.get(grantId);
        return clientId === null ? [] : [{ clientId, userId: row?.userId ?? null, resources: row?.resources ?? [] }];
      }),
    );
    for (const [id, use] of first) {
      const { clientId, kind, at } = use;
      // Rows of clients are never deleted.
      if (clientId === null || known.clientOf(clientId) === null) continue;
      const row = rows.get(id) ?? null;
      const last = lastUses.get(id) ?? null;
      grants.set(id, {
        clientId,
        row,
        approvedAt: row?.createdAt ?? (kind === 'approval' ? at : (approvals.get(id) ?? null)),
        generation: last?.generation ?? null,
        tracks: { before: newTrack(last), after: newTrack(last) },
        total: { exchange: 0, refresh: 0 },
        unknownTimes: 0,
      });
    }
  }

  function present(grants: ReadonlyMap<string, ReplayedGrant>, use: RecordedUse): void {
    const grant = grants.get(use.grantId);
    if (grant === undefined || use.kind === 'approval' || use.generation === null) return;
    const { at, generation, policy } = use;
    const kind = use.kind === 'exchange' ? 'exchange' : 'refresh';
    const head = headBefore(use.kind, generation);
    const lastIsKnown = kind === 'exchange' || grant.generation === head;
    if (grant.approvedAt === null || !lastIsKnown) grant.unknownTimes++;
    grant.total[kind]++;
    const clients = known.clientOf(grant.clientId, policy);
    for (const name of SIDE_NAMES) {
      const track = grant.tracks[name];
      if (track.refusal !== null) {
        track.following[kind]++;
        continue;
      }
      const client = clients?.[name];
      if (client === undefined) continue;
      const row = rowAt(grant, track, { at, head, lastIsKnown });
      const presented: Presented = PRESENT[use.kind](sides[name], {
        grant: row,
        client,
        now: at,
        username: grant.row === null ? null : known.usernameOf(grant.row.userId),
        timesAlone: grant.row === null,
      });
      // Without the answer to its retry, the client has no further token.
      if (presented.kind === 'refused') track.refusal = { kind, reason: presented.reason };
      else [track.lastUsedAt, track.chainEndsAt] = [presented.next.lastUsedAt, presented.next.chainEndsAt];
    }
    grant.generation = generation;
  }
}

const PRESENT = { exchange: presentCode, refresh: presentRefreshToken, retry: presentRetry } as const;

/** Null: the code was not exchanged yet. */
function headBefore(kind: keyof typeof PRESENT, generation: bigint): bigint | null {
  if (kind === 'exchange') return null;
  return kind === 'retry' ? generation : generation - 1n;
}

/** The end that the last use before the period stored is not known. It was later than the next use, which the server accepted. */
const newTrack = (last: RecordedUse | null): Track => ({
  lastUsedAt: last?.at ?? null,
  chainEndsAt: null,
  refusal: null,
  following: { exchange: 0, refresh: 0 },
});

/** No instant of a code or a chain is later. */
const NO_END = new Date(8.64e15);

/** The row before a presentation, which found its grant active. */
function rowAt(
  { clientId, row, approvedAt }: ReplayedGrant,
  { lastUsedAt, chainEndsAt }: Track,
  { at, head, lastIsKnown }: { readonly at: Date; readonly head: bigint | null; readonly lastIsKnown: boolean },
): Grant {
  const { clientEpoch = 0n, userEpoch = 0n, serverEpoch = 0n } = row ?? {};
  return grantOf({
    id: row?.id ?? '',
    clientId,
    userId: row?.userId ?? '',
    scope: row?.scope ?? [],
    resources: row?.resources ?? [],
    state: 'active',
    revokedReason: null,
    clientEpoch,
    userEpoch,
    serverEpoch,
    liveClientEpoch: clientEpoch,
    liveUserEpoch: userEpoch,
    liveServerEpoch: serverEpoch,
    refreshGeneration: head,
    createdAt: approvedAt ?? at,
    lastUsedAt: head === null ? null : lastIsKnown ? lastUsedAt : at,
    chainEndsAt,
    codeEndsAt: NO_END,
  });
}

function countGrant(result: Replay, { clientId, row, tracks, total, unknownTimes }: ReplayedGrant): void {
  const { before, after } = tracks;
  for (const [kind, tally] of [
    ['refresh', result.refreshes],
    ['exchange', result.exchanges],
  ] as const) {
    const refused = after.refusal?.kind === kind;
    count(tally, clientId, {
      total: total[kind],
      refused: refused ? 1 : 0,
      following: after.following[kind],
      refusedBefore: (before.refusal?.kind === kind ? 1 : 0) + before.following[kind],
      reason: refused ? (after.refusal?.reason ?? null) : null,
    });
  }
  result.unknownTimes += unknownTimes;
  if (row === null) result.timesAlone += total.refresh + total.exchange;
}

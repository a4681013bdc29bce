/** The grant: the ends of a chain, and the commits that its row allows. Codes and refresh tokens derive from the same row. */

import type { RevocationReason } from '../../../machines/grant/facts.ts';
import { grantMachine } from '../../../machines/grant/machine.ts';
import type { EpochOwner } from '../../../machines/shared/facts.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle, Step } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import type { Actor } from '../../model/actor.ts';
import type { Client, TokenClient } from '../../model/client.ts';
import { type Bytes, type Grant, grantState } from '../../model/grant.ts';
import type { LedgerEntry, Presenter } from '../../model/ledger.ts';
import type { Claims } from '../../model/user.ts';

export type GrantFacts = {
  readonly now: Date;
  /** The name of the client's policy today; null: no policy was involved. */
  readonly policy: string | null;
  /** The administrator who asks; absent: its client or its end-user does. */
  readonly actor?: Actor;
  /** Asked only when a presentation ends the grant; absent: none did, or the presenter is not known. */
  readonly presenter?: (() => Presenter) | undefined;
};

/** One guarded statement about one row of `grants`. */
export type GrantCommit =
  | { readonly kind: 'moveHead'; readonly move: HeadMove }
  | { readonly kind: 'repeatHead'; readonly repeat: HeadRepeat }
  | { readonly kind: 'revoke'; readonly revocation: Revocation };

/** Issuing: compare every loaded fact and swap the head of the chain. */
export type HeadMove = {
  readonly loaded: Grant;
  readonly now: Date;
  readonly generation: bigint;
  readonly nonce: Bytes;
  readonly chainEndsAt: Date;
  /** When the presented credential ends: it has to be committed in time, not only decided in time. */
  readonly endsAt: Date;
  readonly policy: string | null;
  readonly entry: LedgerEntry;
};

/** Answering the head again: compare every loaded fact, and change nothing. */
export type HeadRepeat = Pick<HeadMove, 'loaded' | 'now' | 'endsAt' | 'policy' | 'entry'>;

/** Revoking: requires only `state = 'active'`, so that a moving head cannot outrun it. */
export type Revocation = {
  readonly grantId: string;
  readonly now: Date;
  readonly reason: RevocationReason;
  readonly clientId: string;
  readonly policy: string | null;
  readonly entries: readonly LedgerEntry[];
};

/** The facts of a presentation, which one statement reads without a lock. */
export type LoadedGrant = {
  /** The database's clock. */
  readonly now: Date;
  /** The client that presents; null: not found. A deleted client is loaded with its `deletedAt`. */
  readonly client: TokenClient | null;
  /** The grant that the credential names; null: not found. */
  readonly grant: Grant | null;
  /** Of the grant's end-user; null: no token carries any. No decision depends on them. */
  readonly claims: Claims | null;
};

export type GrantStore = {
  readonly load: (key: { clientId: string; grantId: string }) => Promise<LoadedGrant>;
  /** For requests that name no grant: client credentials, and credentials that are not ours. */
  readonly loadClient: (clientId: string) => Promise<{ readonly now: Date; readonly client: Client | null }>;
  /** False: a fact that the commit depends on no longer held (or Postgres saw a conflict), and nothing changed. */
  readonly commit: (commit: GrantCommit) => Promise<boolean>;
};

const EPOCH_OF = {
  client: 'liveClientEpoch',
  user: 'liveUserEpoch',
  server: 'liveServerEpoch',
} as const satisfies Readonly<Record<EpochOwner, keyof Grant>>;

export const grantLifecycle: Lifecycle<Grant, GrantFacts, GrantCommit> = {
  machine: grantMachine,
  stateOf: grantState,
  contextOf: () => ({}),
  answers: {},
  changes: {
    writeRevoked: (grant, _, { reason }) => ({ ...grant, state: 'revoked', revokedReason: reason }),
    // Once the epoch is raised, every grant is read with the new value.
    raiseEpoch: (grant, _, { of }) => ({ ...grant, [EPOCH_OF[of]]: (grant[EPOCH_OF[of]] ?? 0n) + 1n }),
  },
  ledgerFacts: ({ refreshGeneration }, { actor, presenter }) => ({
    generation: refreshGeneration,
    ...(actor && { actor }),
    ...(presenter && { presenter: presenter() }),
  }),
  commitOf: revocationOf,
};

export function revocationOf(
  { before, decisions }: Step<Grant>,
  { now, policy }: GrantFacts,
  entries: readonly LedgerEntry[],
): GrantCommit {
  const effect = decisions.flatMap(({ effects }) => effects).find(({ type }) => type === 'writeRevoked');
  if (effect?.type !== 'writeRevoked') throw new InvariantViolation('grant: a change other than a revocation');
  const { id: grantId, clientId } = before;
  const { reason } = effect.params;
  return { kind: 'revoke', revocation: { grantId, now, reason, clientId, policy, entries } };
}

type WithGrant = Pick<LoadedGrant, 'now'> & { readonly grant: Grant };

/** The answer: whether this request ended the grant. */
export const revocationRequest: Request<WithGrant, Grant, GrantFacts, GrantCommit, boolean> = {
  lifecycle: grantLifecycle,
  read: ({ grant, now }) => ({ row: grant, facts: { now, policy: null }, event: { type: 'revocationRequested' } }),
  answer: ({ before, after }) => after !== before,
};

/** The same by an administrator: its ledger entry names them. */
export const administratorEndRequest = (actor: Actor): typeof revocationRequest => ({
  ...revocationRequest,
  read: ({ grant, now }) => ({
    row: grant,
    facts: { now, policy: null, actor },
    event: { type: 'endRequestedByAdministrator' },
  }),
});

export type GrantPorts = Sleeping & {
  readonly store: Pick<GrantStore, 'load' | 'commit'>;
};

/**
 * @param request absent: its client or its end-user asks.
 * @returns true when this call ended the grant; false when it had ended before.
 * @throws Unavailable when the store cannot be reached or does not settle; asking again is always safe.
 */
export function revokeGrant(
  { store, sleep }: GrantPorts,
  first: WithGrant,
  request = revocationRequest,
): Promise<boolean> {
  const key = { clientId: first.grant.clientId, grantId: first.grant.id };
  const ports = { load: async () => withGrant(await store.load(key)), commit: store.commit, sleep };
  return run(ports, request, first);
}

/** @throws InvariantViolation when the grant is gone: rows of `grants` are deleted only long after their chain has ended. */
export function withGrant<Loaded extends Pick<LoadedGrant, 'grant'>>(
  loaded: Loaded,
): Loaded & { readonly grant: Grant } {
  const { grant } = loaded;
  if (!grant) throw new InvariantViolation('a grant vanished between load and reload');
  return { ...loaded, grant };
}

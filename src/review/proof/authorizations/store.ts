/**
 * One authorization in memory, under the same contract as in Postgres (src/storage/grant-store.ts): a load takes no lock, an
 * issuing commit compares every loaded fact, a revocation asks only for `state = 'active'`. Values in, values out: the
 * explorer keeps every version that there was.
 */
import type { GrantCommit, HeadMove, Revocation } from '../../../lifecycles/grant/lifecycle.ts';
import type { LoadedPresentation } from '../../../lifecycles/presentation.ts';
import type { TokenClient } from '../../../model/client.ts';
import { type Grant, sameBytes } from '../../../model/grant.ts';

/** What is stored of the grant itself; the epochs of today are their owners'. */
export type StoredGrant = Omit<Grant, 'liveClientEpoch' | 'liveUserEpoch' | 'liveServerEpoch'>;

/** The rows that a presentation depends on. */
export type Authorization = {
  readonly grant: StoredGrant;
  readonly client: { readonly epoch: bigint; readonly isDeleted: boolean };
  readonly user: { readonly epoch: bigint; readonly isDisabled: boolean };
  readonly serverEpoch: bigint;
};

export function loadPresentation(stored: Authorization, client: TokenClient, now: Date): LoadedPresentation {
  const { grant, user, serverEpoch } = stored;
  const isOwner = client.clientId === grant.clientId;
  return {
    now,
    client,
    grant: {
      ...grant,
      // Another client's presentation is refused by the machine before any state is looked at.
      liveClientEpoch: !isOwner ? grant.clientEpoch : stored.client.isDeleted ? null : stored.client.epoch,
      liveUserEpoch: user.isDisabled ? null : user.epoch,
      liveServerEpoch: serverEpoch,
    },
    claims: null,
  };
}

type Fact = (stored: Authorization, move: HeadMove, now: Date) => boolean;

/** Every fact that an issuing commit compares, by name, so that each can be left out to see what that would allow. */
export const ISSUING_GUARD: Readonly<Record<string, Fact>> = {
  stateIsActive: ({ grant }) => grant.state === 'active',
  generationIsLoaded: ({ grant }, { loaded }) => grant.refreshGeneration === loaded.refreshGeneration,
  nonceIsLoaded: ({ grant }, { loaded }) => sameBytes(grant.refreshNonce, loaded.refreshNonce),
  clientEpochStands: ({ grant, client }) => client.epoch === grant.clientEpoch,
  clientIsThere: ({ client }) => !client.isDeleted,
  userEpochStands: ({ grant, user }) => user.epoch === grant.userEpoch,
  userIsEnabled: ({ user }) => !user.isDisabled,
  serverEpochStands: ({ grant, serverEpoch }) => serverEpoch === grant.serverEpoch,
  timeIsNotOver: (_, { endsAt }, now) => now < endsAt,
};

/** @returns null when the guard did not hold: nothing changed. */
export function moveHead(
  stored: Authorization,
  move: HeadMove,
  now: Date,
  guard: Readonly<Record<string, Fact>> = ISSUING_GUARD,
): Authorization | null {
  if (!Object.values(guard).every((holds) => holds(stored, move, now))) return null;
  const { generation, nonce, now: usedAt, chainEndsAt } = move;
  return {
    ...stored,
    grant: {
      ...stored.grant,
      refreshGeneration: generation,
      refreshNonce: nonce,
      lastUsedAt: usedAt,
      chainEndsAt,
    },
  };
}

/** @returns null when it had been revoked before: nothing changed, the first reason stays. */
export function revoke(stored: Authorization, { reason }: Revocation): Authorization | null {
  if (stored.grant.state !== 'active') return null;
  return { ...stored, grant: { ...stored.grant, state: 'revoked', revokedReason: reason } };
}

/** @returns null when nothing changed. */
export const commitGrant = (
  stored: Authorization,
  commit: GrantCommit,
  now: Date,
  guard?: Readonly<Record<string, Fact>>,
): Authorization | null =>
  commit.kind === 'moveHead' ? moveHead(stored, commit.move, now, guard) : revoke(stored, commit.revocation);

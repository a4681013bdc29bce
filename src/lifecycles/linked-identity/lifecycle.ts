/** The linked identity: a sign-in at an identity provider or an import stores it, and this lifecycle decides on its removal. */

import type {
  LinkedIdentityEvent,
  LinkedIdentityRejectReason,
  LinkedIdentityState,
} from '../../../machines/linked-identity/facts.ts';
import { linkedIdentityMachine } from '../../../machines/linked-identity/machine.ts';
import type { WaysToSignIn } from '../../../machines/shared/facts.ts';
import { type Commit, type CommitStore, insert, update } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import type { Actor } from '../../model/actor.ts';
import { anotherWay, ofUser } from '../other-factors.ts';
import { LINKED_IDENTITIES, type LinkedIdentity } from './entity.ts';

/** A row of `linked_identities`, or its absence. */
export type LinkedIdentityRow = { readonly identity: LinkedIdentity | null };

export type LinkedIdentityFacts = {
  readonly now: Date;
  /** The identity that a link stores; null: the request links none. */
  readonly draft: Omit<LinkedIdentity, 'linkedAt' | 'state' | 'removedAt' | 'removedReason'> | null;
  readonly actor?: Actor | undefined;
};

export type LoadedIdentity = {
  readonly now: Date;
  readonly identity: LinkedIdentity | null;
  /** Its end-user's ways to sign in without it. */
  readonly otherWays: WaysToSignIn;
};

export type LinkedIdentityStore = {
  readonly load: (key: { readonly id: string; readonly userId: string }) => Promise<LoadedIdentity>;
  /** Active; the oldest first. */
  readonly list: (userId: string) => Promise<readonly LinkedIdentity[]>;
  readonly commit: CommitStore;
};

export const linkedIdentityState = ({ identity }: LinkedIdentityRow): LinkedIdentityState =>
  identity === null ? 'unlinked' : identity.state;

export const linkedIdentityLifecycle: Lifecycle<LinkedIdentityRow, LinkedIdentityFacts, Commit> = {
  machine: linkedIdentityMachine,
  stateOf: linkedIdentityState,
  contextOf: () => ({}),
  answers: {},
  changes: {
    storeIdentity: (_, { draft, now }) => {
      if (draft === null) throw new InvariantViolation('linked identity: no identity to link');
      return { identity: { ...draft, linkedAt: now, state: 'active', removedAt: null, removedReason: null } };
    },
    removeIdentity: ({ identity }, { now }, { reason }) => ({
      identity: identity && { ...identity, state: 'removed', removedAt: now, removedReason: reason },
    }),
  },
  ledgerFacts: ({ identity }, { actor }) => ({
    ...(identity && { userId: identity.userId }),
    ...(actor && { actor }),
  }),
  commitOf: ({ before, after }, { now }, entries) => {
    if (after.identity === null) throw new InvariantViolation('linked identity: a commit needs an identity');
    if (before.identity === null) {
      const { issuer, subject } = after.identity;
      const writes = [insert(LINKED_IDENTITIES, after.identity, [{ issuer, subject, state: 'active' }])] as const;
      return { now, requires: [], writes, entries };
    }
    return {
      now,
      // Two concurrent removals see each other, and do not take each other's last way to sign in.
      inTurn: ofUser(after.identity),
      requires: after.identity.removedReason === 'removed_by_user' ? [anotherWay(after.identity)] : [],
      writes: [update(LINKED_IDENTITIES, before.identity, after.identity, ['state'])],
      entries,
    };
  },
};

export type IdentityRemoval = Exclude<LinkedIdentityEvent['type'], 'linkRequested'>;

/** `done`: it is removed, by this request or before. */
export type IdentityRemoved =
  | { readonly kind: 'done'; readonly identity: LinkedIdentity }
  | { readonly kind: 'rejected'; readonly reason: LinkedIdentityRejectReason };

export const identityRemovalRequest = (
  type: IdentityRemoval,
  actor?: Actor,
): Request<LoadedIdentity, LinkedIdentityRow, LinkedIdentityFacts, Commit, IdentityRemoved> => ({
  lifecycle: linkedIdentityLifecycle,
  read: ({ now, identity, otherWays }) => ({
    row: { identity },
    facts: { now, draft: null, actor },
    event: (type === 'removalRequested' ? { type, otherWays } : { type }) satisfies LinkedIdentityEvent,
  }),
  answer: (step) => {
    const rejected = rejectionIn<LinkedIdentityRejectReason>(step);
    if (rejected) return rejected;
    const { identity } = step.after;
    if (identity === null) throw new InvariantViolation('linked identity: nothing was removed, and nothing rejected');
    return { kind: 'done', identity };
  },
});

type LinkedIdentityDraft = NonNullable<LinkedIdentityFacts['draft']>;

/** An import: another system has linked the account. */
const identityLinkRequest = (
  draft: LinkedIdentityDraft,
  actor: Actor,
): Request<LoadedIdentity, LinkedIdentityRow, LinkedIdentityFacts, Commit, void> => ({
  lifecycle: linkedIdentityLifecycle,
  read: ({ now, identity }) => ({
    row: { identity },
    facts: { now, draft, actor },
    event: { type: 'linkRequested' } satisfies LinkedIdentityEvent,
  }),
  answer: () => {},
});

/** @param draft of an account that no end-user has linked. @throws Unavailable */
export const linkIdentity = (
  { identities, sleep }: LinkedIdentityPorts,
  draft: LinkedIdentityDraft,
  actor: Actor,
): Promise<void> =>
  run({ load: () => identities.load(draft), commit: identities.commit, sleep }, identityLinkRequest(draft, actor));

export type LinkedIdentityPorts = Sleeping & {
  readonly identities: Pick<LinkedIdentityStore, 'load' | 'commit'>;
};

/** Of end-users who were deleted, in any way. @returns how many. @throws Unavailable */
export async function removeIdentitiesOfDeletedUsers(
  ports: LinkedIdentityPorts,
  identities: readonly { readonly id: string; readonly userId: string }[],
): Promise<number> {
  for (const key of identities) await removeIdentity(ports, key, 'userDeleted');
  return identities.length;
}

/** @param key `userId`: the required owner. @throws Unavailable */
export const removeIdentity = (
  { identities, sleep }: LinkedIdentityPorts,
  key: { readonly id: string; readonly userId: string },
  type: IdentityRemoval,
  actor?: Actor,
): Promise<IdentityRemoved> =>
  run({ load: () => identities.load(key), commit: identities.commit, sleep }, identityRemovalRequest(type, actor));

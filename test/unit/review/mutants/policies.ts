/** Lifetimes that are worked out wrongly. */

import type { AuthorizationWalk } from '../../../../src/lifecycles/grant/walk/ports.ts';
import type { Grant } from '../../../../src/model/grant.ts';
import { type Mutant, withLifecycle } from './mutant.ts';

type Ends = (end: number, grant: Grant, right: AuthorizationWalk) => number;

const endsOf =
  (machine: string) =>
  (what: string, ends: Ends): Mutant => ({
    what,
    part: 'policy',
    walkOf: (right) =>
      withLifecycle(right, machine, (lifecycle) => ({
        ...lifecycle,
        contextOf: (grant: Grant, facts: unknown) => {
          const context = lifecycle.contextOf(grant, facts) as { readonly endsAt: number };
          return { ...context, endsAt: ends(context.endsAt, grant, right) };
        },
        // The commit is held to the same end.
        commitOf: (step, facts, entries) => {
          const commit = lifecycle.commitOf(step, facts, entries);
          if (commit.kind !== 'moveHead') return commit;
          const endsAt = new Date(ends(commit.move.endsAt.getTime(), step.before, right));
          return { ...commit, move: { ...commit.move, endsAt } };
        },
      })),
  });
const tokenEnds = endsOf('refreshToken');
const codeEnds = endsOf('authorizationCode');

const after = (instant: Date | null, seconds: number) => (instant?.getTime() ?? 0) + seconds * 1000;

export const policyMutants: readonly Mutant[] = [
  tokenEnds('a chain ends by idling only, never in any case', (_, grant, { lifetimes }) =>
    after(grant.lastUsedAt, lifetimes.refreshIdleLifetimeSeconds),
  ),
  tokenEnds('a chain ends in any case only, never by idling', (_, grant, { lifetimes }) =>
    after(grant.createdAt, lifetimes.refreshAbsoluteLifetimeSeconds),
  ),
  tokenEnds('the absolute end is counted from the last use', (_, grant, { lifetimes }) =>
    Math.min(
      after(grant.lastUsedAt, lifetimes.refreshIdleLifetimeSeconds),
      after(grant.lastUsedAt, lifetimes.refreshAbsoluteLifetimeSeconds),
    ),
  ),
  tokenEnds('a chain ends a millisecond late', (end) => end + 1),
  tokenEnds('a chain never ends', () => 8.64e15),
  codeEnds('a code ends a millisecond late', (end) => end + 1),
  codeEnds('a code never ends', () => 8.64e15),
  codeEnds('a code lives as long as the chain', (_, grant, { lifetimes }) =>
    after(grant.createdAt, lifetimes.refreshIdleLifetimeSeconds),
  ),
];

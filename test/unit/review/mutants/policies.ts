/** Lifetimes that are worked out wrongly. */
import type { Grant } from '../../../../src/model/grant.ts';
import type { System } from '../../../../src/review/proof/system.ts';
import type { Mutant } from './mutant.ts';

type Ends = (end: number, grant: Grant, right: System) => number;

const tokenEnds = (what: string, ends: Ends): Mutant => ({
  what,
  part: 'policy',
  systemOf: (right) => ({
    ...right,
    tokenPresentation: (place, facts, ways, machines) => {
      const presentation = right.tokenPresentation(place, facts, ways, machines);
      return {
        ...presentation,
        contextOf: (grant, lifetimes) => {
          const context = presentation.contextOf(grant, lifetimes);
          return { ...context, endsAt: ends(context.endsAt, grant, right) };
        },
      };
    },
  }),
});

const codeEnds = (what: string, ends: Ends): Mutant => ({
  what,
  part: 'policy',
  systemOf: (right) => ({
    ...right,
    codePresentation: (facts, ways, machines) => {
      const presentation = right.codePresentation(facts, ways, machines);
      return {
        ...presentation,
        contextOf: (grant, lifetimes) => {
          const context = presentation.contextOf(grant, lifetimes);
          return { ...context, endsAt: ends(context.endsAt, grant, right) };
        },
      };
    },
  }),
});

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

/** The engine, with one step forgotten, doubled or out of order. */

import type { Step, StepAnswer } from '../../../../src/engine/present.ts';
import type { Grant } from '../../../../src/model/grant.ts';
import { isAheadOfChain, refreshTokenState } from '../../../../src/model/grant.ts';
import type { Minted, System } from '../../../../src/review/proof/system.ts';
import type { Mutant } from './mutant.ts';

const engine = (what: string, systemOf: Mutant['systemOf']): Mutant => ({ what, part: 'engine', systemOf });

type Presenting = System['presenting'];
/** The steps go by: what is asked and what is answered can be changed on the way. */
const passing = (
  right: System,
  change: {
    readonly step?: (step: Step) => Step | StepAnswer;
    readonly answer?: (answer: StepAnswer, step: Step) => StepAnswer;
  },
): System => ({
  ...right,
  presenting: function* (...given: Parameters<Presenting>) {
    const steps = right.presenting(...given);
    let next = steps.next();
    while (!next.done) {
      const asked = change.step?.(next.value) ?? next.value;
      const answer = asked.kind === 'commit' || asked.kind === 'load' ? yield asked : asked;
      next = steps.next(change.answer?.(answer, next.value) ?? answer);
    }
    return next.value;
  },
});

const isMove = (step: Step) => step.kind === 'commit' && step.commit.kind === 'moveHead';
const isRevocation = (step: Step) => step.kind === 'commit' && step.commit.kind === 'revoke';
const done: StepAnswer = { kind: 'committed', committed: true };

const seenBy = (right: System, see: (grant: Grant) => Grant): System => ({
  ...right,
  loadPresentation: (...given) => {
    const loaded = right.loadPresentation(...given);
    return { ...loaded, grant: see(loaded.grant) };
  },
});

export const engineMutants: readonly Mutant[] = [
  engine('the conflict check is skipped: a lost guard counts as committed', (right) =>
    passing(right, {
      answer: (answer, step) => (step.kind === 'commit' && answer.kind === 'committed' ? done : answer),
    }),
  ),
  engine('tokens are answered without a commit', (right) =>
    passing(right, { step: (step) => (isMove(step) ? done : step) }),
  ),
  engine('the revocation is thrown away with the error (rolled back)', (right) =>
    passing(right, { step: (step) => (isRevocation(step) ? done : step) }),
  ),
  engine('a lost answer counts as committed', (right) =>
    passing(right, { answer: (answer) => (answer.kind === 'unavailable' ? done : answer) }),
  ),
  engine('a lost guard is not decided again: the same commit once more', (right) => ({
    ...right,
    presenting: function* (...given) {
      const steps = right.presenting(...given);
      let next = steps.next();
      let last: Step | null = null;
      while (!next.done) {
        const step: Step = next.value;
        if (step.kind === 'load' && last) {
          // Only the row that is compared is renewed, not what was decided about it.
          const loaded = yield step;
          if (loaded.kind === 'loaded' && last.kind === 'commit' && last.commit.kind === 'moveHead') {
            const move = { ...last.commit.move, loaded: loaded.loaded.grant };
            const again = yield { kind: 'commit', commit: { kind: 'moveHead', move } };
            if (again.kind === 'committed' && again.committed) return issuedBy(given[2], move, given[1].now);
          }
          next = steps.next(loaded);
        } else {
          last = step;
          next = steps.next(yield step);
        }
      }
      return next.value;
    },
  })),
  engine('the code is committed in two statements: used first, the head afterwards', (right) => ({
    ...right,
    // A reader between the two sees the new generation with the old nonce.
    moveHead: (stored, move, now) => {
      const moved = right.moveHead(stored, move, now);
      return moved && { ...moved, grant: { ...moved.grant, refreshNonce: stored.grant.refreshNonce } };
    },
  })),
  engine('the head keeps its nonce', (right) => ({
    ...right,
    moveHead: (stored, move, now) => {
      const moved = right.moveHead(stored, move, now);
      return moved && stored.grant.refreshNonce
        ? { ...moved, grant: { ...moved.grant, refreshNonce: stored.grant.refreshNonce } }
        : moved;
    },
  })),
  engine('the head keeps its generation', (right) => ({
    ...right,
    moveHead: (stored, move, now) => {
      const moved = right.moveHead(stored, move, now);
      return moved && { ...moved, grant: { ...moved.grant, refreshGeneration: stored.grant.refreshGeneration } };
    },
  })),
  engine('the commit of a head changes nothing', (right) => ({
    ...right,
    moveHead: (stored, move, now) => right.moveHead(stored, move, now) && stored,
  })),
  engine('a revocation is guarded by the generation', (right) => ({
    ...right,
    revoke: (stored, revocation) =>
      stored.grant.refreshGeneration === (revocation.entries[0]?.generation ?? null)
        ? right.revoke(stored, revocation)
        : null,
  })),
  engine('a revocation is written, but not the state', (right) => ({
    ...right,
    revoke: (stored, revocation) => right.revoke(stored, revocation) && stored,
  })),
  engine('a revocation begins the chain anew', (right) => ({
    ...right,
    revoke: (stored, revocation) => {
      const revoked = right.revoke(stored, revocation);
      return revoked && { ...stored, grant: { ...stored.grant, refreshGeneration: null, refreshNonce: null } };
    },
  })),
  engine('the epoch of the client is forgotten', (right) => bothForget(right, 'client')),
  engine('the epoch of the user is forgotten', (right) => bothForget(right, 'user')),
  engine('the epoch of the server is forgotten', (right) => bothForget(right, 'server')),
  engine('a revoked grant is loaded as active', (right) => ({
    ...seenBy(right, (grant) => ({ ...grant, state: 'active' })),
    moveHead: (stored, move, now) =>
      right.moveHead({ ...stored, grant: { ...stored.grant, state: 'active' } }, move, now),
  })),
  engine('a used token is as good as the head for one generation more (an overlap)', (right) => ({
    ...right,
    tokenPresentation: (place, facts, ways, machines) => {
      const presentation = right.tokenPresentation(place, facts, ways, machines);
      // Of the row as it was loaded; what is made of it keeps to the rule, so the engine's own check says nothing.
      const loaded = new WeakSet<Grant>();
      return {
        ...presentation,
        contextOf: (grant, lifetimes) => {
          loaded.add(grant);
          return presentation.contextOf(grant, lifetimes);
        },
        stateOf: (grant) => {
          const isOneBehind = grant.state === 'active' && grant.refreshGeneration === place.generation + 1n;
          return loaded.has(grant) && isOneBehind ? 'active' : refreshTokenState(grant, place);
        },
      };
    },
  })),
  engine('a token ahead of its chain counts as its head', (right) => ({
    ...right,
    tokenPresentation: (place, facts, ways, machines) => ({
      ...right.tokenPresentation(place, facts, ways, machines),
      stateOf: (grant) =>
        grant.state === 'active' && isAheadOfChain(grant, place) ? 'active' : refreshTokenState(grant, place),
    }),
  })),
  engine('only the generation of a token is compared', (right) => ({
    ...right,
    tokenPresentation: (place, facts, ways, machines) => ({
      ...right.tokenPresentation(place, facts, ways, machines),
      stateOf: (grant) =>
        grant.state === 'active' && grant.refreshGeneration === place.generation
          ? 'active'
          : refreshTokenState(grant, place),
    }),
  })),
  engine('an exchanged code counts as unused while nothing was refreshed', (right) => ({
    ...right,
    codePresentation: (facts, ways, machines) => {
      const presentation = right.codePresentation(facts, ways, machines);
      const { stateOf } = presentation;
      return {
        ...presentation,
        stateOf: (grant) => (grant.state === 'active' && grant.refreshGeneration === 0n ? 'active' : stateOf(grant)),
      };
    },
  })),
];

function issuedBy(
  { mint }: Parameters<Presenting>[2],
  move: { readonly loaded: Grant; readonly generation: bigint; readonly nonce: Uint8Array },
  now: Date,
) {
  const next = { ...move.loaded, refreshGeneration: move.generation, refreshNonce: move.nonce };
  return { kind: 'issued' as const, issued: mint(next, now, {} as never) as Minted };
}

function bothForget(right: System, whose: 'client' | 'user' | 'server'): System {
  const live = { client: 'liveClientEpoch', user: 'liveUserEpoch', server: 'liveServerEpoch' } as const;
  const stored = { client: 'clientEpoch', user: 'userEpoch', server: 'serverEpoch' } as const;
  return {
    ...seenBy(right, (grant) => ({ ...grant, [live[whose]]: grant[stored[whose]] })),
    moveHead: (row, move, now) => {
      const { grant } = row;
      const blind = {
        ...row,
        ...(whose === 'client' && { client: { epoch: grant.clientEpoch, isDeleted: false } }),
        ...(whose === 'user' && { user: { epoch: grant.userEpoch, isDisabled: false } }),
        ...(whose === 'server' && { serverEpoch: grant.serverEpoch }),
      };
      const moved = right.moveHead(blind, move, now);
      return moved && { ...row, grant: moved.grant };
    },
  };
}

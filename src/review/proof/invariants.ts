/** What must hold of every lifecycle, for a walk to say of its own rows and requests. */
import type { Moment } from './moment.ts';
import { runAlone } from './moves.ts';
import type { Invariant, Terms } from './walk.ts';

/** Every request is answered, in every state that can be reached, and none goes in circles: nobody within the bounds is in another's way often enough. */
export const everythingIsAnswered = <T extends Terms>(
  requestsAt: (moment: Moment<T>) => readonly T['asked'][],
): Required<Pick<Invariant<T>, 'violation' | 'brokenAt'>> => ({
  violation: (_, __, { broken, happening: { ending } }) => {
    const isInCircles = ending?.kind === 'unavailable' && ending.reason === 'too_many_conflicts';
    return broken ?? (isInCircles ? 'a request went in circles' : null);
  },
  brokenAt: (walk, moment) => {
    for (const asked of requestsAt(moment)) {
      const ran = runAlone(walk, moment, asked);
      if (ran.kind === 'broken') return ran.words;
    }
    return null;
  },
});

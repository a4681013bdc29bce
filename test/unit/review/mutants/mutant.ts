/** One thing that is wrong, put in the place of the right one. */
import type { System } from '../../../../src/review/proof/system.ts';

export type Mutant = {
  readonly what: string;
  readonly part: 'machine' | 'predicate' | 'policy' | 'engine' | 'guard of the commit';
  readonly systemOf: (right: System) => System;
  /** Another net that holds it; null: it does not. */
  readonly alsoSeenBy?: () => string | null;
  /** Why no invariant can see it; who does. Absent: the proof has to. */
  readonly survives?: string;
};

/** What nodes ask for: a claim, a report of each attempt that was claimed, the place of the mail for another. */
import type { Asked, Known } from './terms.ts';

export const OUTCOMES = ['succeeded', 'refused', 'failed'] as const;

export const requestsAt = ({ claims }: Known): readonly Asked[] => [
  { kind: 'claim' },
  ...claims.flatMap((claim) => OUTCOMES.map((outcome): Asked => ({ kind: 'report', outcome, claim }))),
  { kind: 'displace' },
];

/** The walk of mails: nodes that claim, attempt and report, die and come late; a queue that is full. */
import { running } from '../../../engine/run.ts';
import { claimMailRequest, displaceMailRequest, reportMailRequest } from '../../../lifecycles/mail/lifecycle.ts';
import { carryOut } from '../carry-out.ts';
import type { Bounds, EngineRequest, Walk } from '../walk.ts';
import { INITIAL_STATES, POLICY } from './initial-states.ts';
import { INVARIANTS } from './invariants.ts';
import { requestsAt } from './requests.ts';
import type { Asked, Known, Terms } from './terms.ts';
import { WORDS } from './words.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 3, inFlight: 2, faults: 1 },
  { requests: 3, inFlight: 2, faults: 0 },
  { requests: 2, inFlight: 1, faults: 2 },
];

export const mails: Walk<Terms> = {
  name: 'mails',
  of: 'mails',
  machines: ['mail'],
  bounds: BOUNDS,
  initialStates: INITIAL_STATES,
  running,
  machineOf: (machine) => machine,
  load: ({ mail }, _, now) => ({ now, mail }),
  requestOf: (asked) => requestOf(asked) as EngineRequest<Terms>,
  commit: ({ mail }, commit, _, leftOut) => {
    const [after] = carryOut({ mails: [mail] }, commit, leftOut)?.mails ?? [];
    return after ? { mail: after } : null;
  },
  requests: ({ known }) => requestsAt(known),
  whenCommitted: (known, asked, _, { mail: after }): Known => {
    if (asked.kind === 'claim') {
      if (after.state !== 'pending') return known;
      return {
        ...known,
        lastClaim: after.nextAttemptAt?.getTime() ?? null,
        claimed: known.claimed + 1,
        committedClaims: known.committedClaims + 1,
      };
    }
    if (asked.kind === 'displace') return known;
    return {
      ...known,
      // A claim that was reported runs no longer.
      lastClaim: known.lastClaim === asked.claim ? null : known.lastClaim,
      isConfirmed: known.isConfirmed || asked.outcome === 'succeeded',
    };
  },
  whenAnswered: (known, asked, { before, after }): Known => {
    if (asked.kind === 'report') return { ...known, claims: known.claims.filter((claim) => claim !== asked.claim) };
    const claim = after.nextAttemptAt?.getTime();
    if (asked.kind !== 'claim' || after === before || claim === undefined) return known;
    return { ...known, claims: [...new Set([...known.claims, claim])], answeredClaims: known.answeredClaims + 1 };
  },
  faults: () => [],
  instants: ({ stored: { mail } }) => [
    mail.nextAttemptAt?.getTime() ?? Number.POSITIVE_INFINITY,
    mail.givesUpAt.getTime(),
  ],
  invariants: INVARIANTS,
  words: WORDS,
};

function requestOf(asked: Asked): unknown {
  switch (asked.kind) {
    case 'claim':
      return claimMailRequest(POLICY);
    case 'report':
      return reportMailRequest(POLICY, { outcome: asked.outcome, claim: new Date(asked.claim) });
    case 'displace':
      return displaceMailRequest(POLICY);
  }
}

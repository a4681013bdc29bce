/** The walk of the deliveries: nodes that claim, attempt and report, die and come late; an operator who repeats; a receiver that goes. */
import { running } from '../../../engine/run.ts';
import {
  claimRequest,
  removeReceiverRequest,
  repeatRequest,
  reportRequest,
} from '../../../lifecycles/webhook-delivery/lifecycle.ts';
import { commandLine } from '../../../model/actor.ts';
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

export const webhookDeliveries: Walk<Terms> = {
  name: 'webhookDeliveries',
  of: 'deliveries of events',
  machines: ['webhookDelivery'],
  bounds: BOUNDS,
  initialStates: INITIAL_STATES,
  running,
  machineOf: (machine) => machine,
  load: ({ delivery }, _, now) => ({ now, delivery }),
  requestOf: (asked) => requestOf(asked) as EngineRequest<Terms>,
  commit: ({ delivery }, commit, _, leftOut) => {
    const [after] = carryOut({ webhookDeliveries: [delivery] }, commit, leftOut)?.webhookDeliveries ?? [];
    return after ? { delivery: after } : null;
  },
  requests: ({ known }) => requestsAt(known),
  whenCommitted: (known, asked, _, { delivery: after }): Known => {
    switch (asked.kind) {
      case 'claim': {
        if (after.state !== 'pending') return known;
        return {
          ...known,
          lastClaim: after.nextAttemptAt?.getTime() ?? null,
          claimed: known.claimed + 1,
          committedClaims: known.committedClaims + 1,
        };
      }
      case 'repeat':
        return { ...known, lastClaim: null, claimed: 0, isConfirmed: false };
      case 'report':
        return {
          ...known,
          // What was reported runs no longer.
          lastClaim: known.lastClaim === asked.claim ? null : known.lastClaim,
          isConfirmed: known.isConfirmed || asked.outcome === 'delivered',
        };
      case 'removeReceiver':
        return known;
    }
  },
  whenAnswered: (known, asked, answer): Known => {
    if (asked.kind === 'claim') {
      const claim = answer?.nextAttemptAt?.getTime();
      if (claim === undefined) return known;
      return {
        ...known,
        claims: [...new Set([...known.claims, claim])],
        answeredClaims: known.answeredClaims + 1,
      };
    }
    if (asked.kind !== 'report') return known;
    return { ...known, claims: known.claims.filter((claim) => claim !== asked.claim) };
  },
  faults: () => [],
  instants: ({ stored: { delivery } }) => [
    delivery.nextAttemptAt?.getTime() ?? Number.POSITIVE_INFINITY,
    delivery.givesUpAt.getTime(),
  ],
  invariants: INVARIANTS,
  words: WORDS,
};

function requestOf(asked: Asked): unknown {
  switch (asked.kind) {
    case 'claim':
      return claimRequest(POLICY);
    case 'report':
      return reportRequest(POLICY, { outcome: asked.outcome, claim: new Date(asked.claim) });
    case 'repeat':
      return repeatRequest(POLICY, commandLine);
    case 'removeReceiver':
      return removeReceiverRequest(POLICY);
  }
}

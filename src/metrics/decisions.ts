/** The decisions of the machines and their commits, by the names in the machines. */
import { Counter, type Registry } from 'prom-client';
import type { RevocationReason } from '../../machines/grant/facts.ts';
import type { Decision } from '../engine/decide.ts';
import type { UnavailableReason } from '../engine/errors.ts';
import { observeEngine } from '../engine/observe.ts';

/** A credential leaked, or the database has forgotten what it had acknowledged. */
const ALARMS = [
  'refresh_token_reused',
  'authorization_code_reused',
  'chain_behind_token',
] satisfies readonly RevocationReason[];

/** @returns a function that ends the counting. */
export function countDecisions(registry: Registry): () => void {
  const registers = [registry];
  const decisions = new Counter({
    name: 'statehouse_decisions_total',
    help: 'Decisions of the machines. outcome: the effects; reason: the reason of a rejection, revocation or termination.',
    labelNames: ['machine', 'event', 'outcome', 'reason'],
    registers,
  });
  const chains = new Counter({
    name: 'statehouse_grants_revoked_total',
    help: 'Grants whose codes and refresh tokens were revoked, by reason.',
    labelNames: ['reason'],
    registers,
  });
  // An alarm asks whether a number grew, and a number that is not there yet cannot grow.
  for (const reason of ALARMS) chains.inc({ reason }, 0);
  const commits = new Counter({
    name: 'statehouse_commits_total',
    help: 'Commits of the engine. conflict: a fact had changed, and the engine decided again; unknown: the answer was lost.',
    labelNames: ['machine', 'result'],
    registers,
  });
  const failures = new Counter({
    name: 'statehouse_decisions_failed_total',
    help: 'Requests whose decision could not be committed. The server answered them with 503.',
    labelNames: ['machine', 'reason'],
    registers,
  });
  for (const reason of [
    'commit_unknown',
    'signing_unavailable',
    'store_unavailable',
    'too_many_conflicts',
  ] satisfies UnavailableReason[]) {
    failures.inc({ machine: 'refreshToken', reason }, 0);
  }
  return observeEngine({
    decided: (made) => {
      for (const decision of made) {
        decisions.inc(labelsOf(decision));
        const { machine, from, to } = decision;
        if (machine === 'grant' && from !== to && to === 'revoked') chains.inc({ reason: reasonOf(decision) });
      }
    },
    committed: (machine, result) => commits.inc({ machine, result }),
    failed: (machine, reason) => failures.inc({ machine, reason }),
  });
}

const labelsOf = (decision: Decision) => ({
  machine: decision.machine,
  event: decision.event,
  outcome: decision.effects.map(({ type }) => type).join('+') || 'none',
  reason: reasonOf(decision),
});

/** Empty: none. */
function reasonOf({ effects }: Decision): string {
  for (const effect of effects) {
    if ('params' in effect && 'reason' in effect.params) return effect.params.reason;
  }
  return '';
}

/**
 * decide: the machine's answer to an event in a state, as data: the next state and the effects. Nothing runs here: no actors,
 * no timers, no I/O, no clock. The answer is read off the machine's table, which is shown to be XState's own `transition`.
 */
import type { AnyStateMachine } from 'xstate';
import type {
  AuthorizationRefusal,
  effects,
  GrantEventType,
  KeyRetirementReason,
  RejectReason,
  RevocationReason,
  SigningKeyContext,
  SigningKeyEvent,
} from '../../machines/vocabulary.ts';
import { decisionTableOf } from './decision-table.ts';
import { InvariantViolation } from './errors.ts';

type Plain = Exclude<
  keyof typeof effects,
  'reject' | 'revokeGrant' | 'writeRevoked' | 'refuseAuthorization' | 'retire'
>;
export type Effect =
  | { readonly type: Plain }
  | { readonly type: 'reject'; readonly params: { readonly reason: RejectReason } }
  | { readonly type: 'refuseAuthorization'; readonly params: { readonly error: AuthorizationRefusal } }
  | { readonly type: 'revokeGrant'; readonly params: { readonly event: GrantEventType } }
  | { readonly type: 'writeRevoked'; readonly params: { readonly reason: RevocationReason } }
  | { readonly type: 'retire'; readonly params: { readonly reason: KeyRetirementReason } };

export type Decision = {
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly effects: readonly Effect[];
};

/** Every event has exactly one of these answers; silence would be a defect of the machine. */
const ANSWERS: ReadonlySet<string> = new Set<Effect['type']>([
  'issueTokens',
  'reject',
  'askSignIn',
  'askAccount',
  'askConsent',
  'issueCode',
  'refuseAuthorization',
  'repeatAnswer',
]);

/** @throws InvariantViolation when the machine gave no answer, or more than one. */
export function decide(
  machine: AnyStateMachine,
  from: string,
  context: object,
  event: { readonly type: string },
): Decision {
  const decision = transitionOf(machine, from, context, event);
  const answers = decision.effects.filter((effect) => ANSWERS.has(effect.type));
  if (answers.length !== 1) {
    throw new InvariantViolation(`${machine.id}: ${event.type} in ${from} has ${answers.length} answers, not one`);
  }
  return decision;
}

/** The grant machine answers nobody: it only says whether `revoked` is to be written. */
export function decideGrant(machine: AnyStateMachine, from: string, event: GrantEventType): Decision {
  return transitionOf(machine, from, {}, { type: event });
}

/** Nor does that of the signing keys: it may as well say that nothing is to be done. */
export function decideSigningKey(
  machine: AnyStateMachine,
  from: string,
  context: SigningKeyContext,
  event: SigningKeyEvent,
): Decision {
  return transitionOf(machine, from, context, event);
}

function transitionOf(
  machine: AnyStateMachine,
  from: string,
  context: object,
  event: { readonly type: string },
): Decision {
  const { to, actions } = decisionTableOf(machine).answer(from, { context, event });
  // The machines' `setup` admits only the vocabulary's effects.
  return { machine: machine.id, event: event.type, from, to, effects: actions as unknown as readonly Effect[] };
}

export function effectOf<T extends Effect['type']>(
  decision: Decision,
  type: T,
): Extract<Effect, { type: T }> | undefined {
  return decision.effects.find((effect): effect is Extract<Effect, { type: T }> => effect.type === type);
}

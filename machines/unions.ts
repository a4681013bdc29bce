/** The unions over all machines: every reason to reject, and every effect. */
import type { ParameterizedObject, StateMachine } from 'xstate';
import type { RUNNING } from './running.ts';

type Running = (typeof RUNNING)[keyof typeof RUNNING];

// biome-ignore-start lint/suspicious/noExplicitAny: of a machine, only its effects are read.
type ActionOf<M> =
  M extends StateMachine<any, any, any, any, infer Action, any, any, any, any, any, any, any, any, any>
    ? Action
    : never;
// biome-ignore-end lint/suspicious/noExplicitAny: the end of the above

/** An effect as data, as the engine reads it from a decision. */
export type Effect = EffectOf<ActionOf<Running>>;

type EffectOf<Action> = Action extends ParameterizedObject
  ? unknown extends Action['params']
    ? { readonly type: Action['type'] }
    : { readonly type: Action['type']; readonly params: Action['params'] }
  : never;

export type RejectReason = Extract<Effect, { readonly type: 'reject' }>['params']['reason'];

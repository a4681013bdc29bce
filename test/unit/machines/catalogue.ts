/** The machines as plain data, so that tests can walk, ask and mutate them all in one way. */
import type { AnyStateMachine } from 'xstate';
import { authorizationCodeMachine } from '../../../machines/authorization-code.machine.ts';
import { grantMachine } from '../../../machines/grant.machine.ts';
import {
  authorizationCodeGuards,
  interactionGuards,
  refreshTokenGuards,
  signingKeyGuards,
} from '../../../machines/guards.ts';
import { interactionMachine } from '../../../machines/interaction.machine.ts';
import { refreshTokenMachine } from '../../../machines/refresh-token.machine.ts';
import { signingKeyMachine } from '../../../machines/signing-key.machine.ts';
import type {
  AuthorizationCodeEvent,
  GrantEventType,
  InteractionEvent,
  RefreshTokenEvent,
  SigningKeyEvent,
} from '../../../machines/vocabulary.ts';

export type ActionData = string | Action;

/** One way out of a state, as it stands in the machine's file. */
export type Arm = {
  guard?: string;
  target?: string;
  actions?: ActionData | ActionData[];
  description?: string;
  meta?: { readonly spec?: string };
};
type State = { description?: string; meta?: { readonly spec?: string }; on: Record<string, Arm | Arm[]> };
export type Config = { readonly id: string; initial: string; states: Record<string, State>; context?: unknown };

export type Subject = {
  readonly name: string;
  readonly config: Config;
  readonly events: readonly string[];
  /** The real predicates; the tests of the machines replace them by their outcomes. */
  readonly guards: Readonly<Record<string, unknown>>;
};

/** The compiler refuses an event of the vocabulary that is missing here, and one that is not in it. */
const every = <Type extends string>(types: Record<Type, true>): readonly string[] => Object.keys(types);

const subject = (machine: AnyStateMachine, guards: Subject['guards'], events: readonly string[]): Subject => ({
  name: machine.id,
  config: machine.config as unknown as Config,
  events,
  guards,
});

export const authorizationCode = subject(
  authorizationCodeMachine,
  authorizationCodeGuards,
  every<AuthorizationCodeEvent['type']>({ presented: true }),
);
export const refreshToken = subject(
  refreshTokenMachine,
  refreshTokenGuards,
  every<RefreshTokenEvent['type']>({ presented: true }),
);
export const grant = subject(
  grantMachine,
  {},
  every<GrantEventType>({
    authorizationCodeReused: true,
    refreshTokenReused: true,
    chainFellBehind: true,
    revocationRequested: true,
  }),
);
export const interaction = subject(
  interactionMachine,
  interactionGuards,
  every<InteractionEvent['type']>({
    requested: true,
    signedIn: true,
    accountChosen: true,
    consented: true,
    refused: true,
  }),
);
export const signingKey = subject(
  signingKeyMachine,
  signingKeyGuards,
  every<SigningKeyEvent['type']>({
    timePassed: true,
    rotationRequested: true,
    revocationRequested: true,
    signerStopped: true,
  }),
);

export const subjects = [authorizationCode, refreshToken, grant, interaction, signingKey] as const;

export type Action = { readonly type: string; readonly params?: Readonly<Record<string, unknown>> };

export const armsOf = (config: Config, state: string, event: string): readonly Arm[] =>
  [config.states[state]?.on[event] ?? []].flat();

export const actionsOf = (arm: Arm): readonly Action[] =>
  [arm.actions ?? []].flat().map((action) => (typeof action === 'string' ? { type: action } : action));

/** A copy that shares nothing: arms that one constant gives to several states can be changed one at a time. */
export const copyOf = (config: Config): Config => JSON.parse(JSON.stringify(config)) as Config;

/** The machines that run, to be drawn. */
import type { AnyStateMachine } from 'xstate';
import { authorizationCodeMachine } from '../../../machines/authorization-code.machine.ts';
import { grantMachine } from '../../../machines/grant.machine.ts';
import { interactionMachine } from '../../../machines/interaction.machine.ts';
import { refreshTokenMachine } from '../../../machines/refresh-token.machine.ts';
import { signingKeyMachine } from '../../../machines/signing-key.machine.ts';
import type { MachineConfig } from './arms.ts';

const configOf = ({ config }: AnyStateMachine) => config as unknown as MachineConfig;

/** By their own names, in the order of a sign-in. */
export const CONFIGS: ReadonlyMap<string, MachineConfig> = new Map(
  [interactionMachine, authorizationCodeMachine, refreshTokenMachine, grantMachine, signingKeyMachine].map(
    (machine: AnyStateMachine) => [machine.id, configOf(machine)],
  ),
);

import { authorizationCodeMachine } from '../../machines/authorization-code.machine.ts';
import { grantMachine } from '../../machines/grant.machine.ts';
import { interactionMachine } from '../../machines/interaction.machine.ts';
import { refreshTokenMachine } from '../../machines/refresh-token.machine.ts';
import { signingKeyMachine } from '../../machines/signing-key.machine.ts';
import { decisionTableOf } from './decision-table.ts';

const MACHINES = [authorizationCodeMachine, refreshTokenMachine, grantMachine, interactionMachine, signingKeyMachine];

/** At start: shows that every table is its machine. @throws InvariantViolation */
export function requireDecisionTables(): void {
  for (const machine of MACHINES) decisionTableOf(machine);
}

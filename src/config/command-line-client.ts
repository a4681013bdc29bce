/**
 * The client as which commands reach the running server of the embedded database (src/boot/command-line-access.ts). Its role is
 * built in, beside operators.yaml, and only there.
 */
import type { Configuration } from './configuration.ts';
import { MANAGEMENT_SCOPE_NAMES } from './management-resource.ts';

export const COMMAND_LINE_CLIENT = 'statehouse-command-line';

export const withCommandLine = (configuration: Configuration): Configuration => {
  const { operators, declaredClients } = configuration;
  // Such a client is the operator's own: it has the role that operators.yaml gives it.
  if (declaredClients.some(({ record }) => record.client_id === COMMAND_LINE_CLIENT)) return configuration;
  const role = { client_id: COMMAND_LINE_CLIENT, scope: [...MANAGEMENT_SCOPE_NAMES] };
  return { ...configuration, operators: { ...operators, clients: [role, ...operators.clients] } };
};

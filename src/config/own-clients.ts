/** The console is registered by the server itself; a declaration under its name would be another client than the console expects. */
import type { Profile } from '../../policies/profiles.ts';
import type { ClientMetadata } from '../model/client.ts';
import { COMMAND_LINE_CLIENT } from './command-line-client.ts';
import { CLIENTS_FILE, type Configuration } from './configuration.ts';
import { type Problem, problemOf } from './problem.ts';

export const CONSOLE_CLIENT_ID = 'statehouse-console';

/** The server registers these by itself, and again at each start. */
const OWN_CLIENTS: readonly string[] = [CONSOLE_CLIENT_ID, COMMAND_LINE_CLIENT];
export const isOwnClient = (clientId: string): boolean => OWN_CLIENTS.includes(clientId);

/** The profile of a client. The server's own clients have none: they are public, and it makes their requests itself. */
export const profileOf = (
  { policies }: Pick<Configuration, 'policies'>,
  { clientId, policy }: Pick<ClientMetadata, 'clientId' | 'policy'>,
): Profile | undefined => (clientId !== null && isOwnClient(clientId) ? undefined : policies.get(policy)?.profile);

export const declaredOwnClients = (declared: Configuration['declaredClients']): readonly Problem[] =>
  declared
    .filter(({ record }) => record.client_id === CONSOLE_CLIENT_ID)
    .map(({ path, lineOf }) => ({
      ...problemOf(CLIENTS_FILE, `${path}.client_id`, FOUND, ALLOWED),
      line: lineOf('client_id'),
    }));

const FOUND = 'the client of the console of this server';
const ALLOWED = 'the client_id of an app (the server registers its console by itself)';

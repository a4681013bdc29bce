/** The console is registered by the server itself; a declaration under its name would be another client than the console expects. */
import { CLIENTS_FILE, type Configuration } from './configuration.ts';
import type { Problem } from './problem.ts';

export const CONSOLE_CLIENT_ID = 'statehouse-console';

export const declaredOwnClients = (declared: Configuration['declaredClients']): readonly Problem[] =>
  declared
    .filter(({ record }) => record.client_id === CONSOLE_CLIENT_ID)
    .map(({ path, lineOf }) => ({
      file: CLIENTS_FILE,
      line: lineOf('client_id'),
      key: `${path}.client_id`,
      found: 'the client of the console of this server',
      allowed: 'the client_id of an app (the server registers its console by itself)',
      nearest: null,
    }));

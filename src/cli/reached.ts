/**
 * The place of a command's work: the management API of the running server or, where none runs, of this process. Loads only the modules
 * of the chosen place.
 */
import type { Runtime } from '../boot/runtime.ts';
import { FolderInUse } from '../storage/folder-lock.ts';
import type { ManagementApi } from './administration/api.ts';
import { type Cli, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';

type Way<From, Port> = (from: From) => Promise<Port>;

const reaching =
  <Port>(overHttp: Way<ManagementApi, Port>, here: Way<Runtime, Port>) =>
  async <T>(cli: Cli, use: (port: Port) => Promise<T>): Promise<T> => {
    const api = await cli.runningServer(cli.env);
    if (api !== null) return use(await overHttp(api));
    try {
      return await withRuntime(cli, async (runtime) => use(await here(runtime)));
    } catch (error) {
      if (error instanceof FolderInUse) throw new CommandRefused(`${error.message}\n${NOT_ASKED}`);
      throw error;
    }
  };

/** The process that holds the folder has left no credential for commands. */
const NOT_ASKED =
  'That is another command, or a server that is starting or stopping: run this again in a moment. Nothing was changed.';

const throughApi = <Port>(load: () => Promise<(api: ManagementApi) => Port>) =>
  reaching<Port>(
    async (api) => (await load())(api),
    async (runtime) => (await load())(await apiHere(runtime)),
  );

async function apiHere(runtime: Runtime): Promise<ManagementApi> {
  const [{ openAdministration }, { managementApi }] = await Promise.all([
    import('../boot/administration.ts'),
    import('./administration/api.ts'),
  ]);
  const names = { server: 'The management API of this command', credential: 'the command line' };
  return managementApi(await openAdministration(runtime), names);
}

export const withApi = throughApi(async () => (api) => api);
export const withClients = throughApi(async () => (await import('./administration/clients.ts')).clientsAt);
export const withUsers = throughApi(async () => (await import('./administration/users.ts')).usersAt);

export const withPeople = reaching(
  async (api) => (await import('./administration/users.ts')).peopleAt(api),
  async (runtime) => (await import('./direct/people.ts')).directPeople(runtime),
);

/** Where a command does its work: through the server that runs, or on the database itself. Only what is used is loaded. */
import type { Runtime } from '../boot/runtime.ts';
import { FolderInUse } from '../storage/folder-lock.ts';
import { type Cli, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';
import type { Clients, Explanations, Grants, Keys, Sessions, Users, Webhooks } from './ports.ts';
import type { ManagementApi } from './remote/api.ts';

type Ways<Port> = {
  readonly direct: (runtime: Runtime) => Promise<Port>;
  readonly remote: (api: ManagementApi) => Promise<Port>;
};

const reaching =
  <Port>({ direct, remote }: Ways<Port>) =>
  async <T>(cli: Cli, use: (port: Port) => Promise<T>): Promise<T> => {
    const api = await cli.runningServer(cli.env);
    if (api !== null) return use(await remote(api));
    try {
      return await withRuntime(cli, async (runtime) => use(await direct(runtime)));
    } catch (error) {
      if (error instanceof FolderInUse) throw new CommandRefused(`${error.message}\n${NOT_ASKED}`);
      throw error;
    }
  };

/** What holds the folder has left no credential for commands. */
const NOT_ASKED =
  'That is another command, or a server that is starting or stopping: run this again in a moment. Nothing was changed.';

export const withClients = reaching<Clients>({
  direct: async (runtime) => (await import('./direct/clients.ts')).directClients(runtime),
  remote: async (api) => (await import('./remote/clients.ts')).remoteClients(api),
});

export const withUsers = reaching<Users>({
  direct: async (runtime) => (await import('./direct/users.ts')).directUsers(runtime),
  remote: async (api) => (await import('./remote/users.ts')).remoteUsers(api),
});

export const withKeys = reaching<Keys>({
  direct: async (runtime) => (await import('./direct/keys.ts')).directKeys(runtime),
  remote: async (api) => (await import('./remote/keys.ts')).remoteKeys(api),
});

export const withGrants = reaching<Grants>({
  direct: async (runtime) => (await import('./direct/grants.ts')).directGrants(runtime),
  remote: async (api) => (await import('./remote/grants.ts')).remoteGrants(api),
});

export const withSessions = reaching<Sessions>({
  direct: async (runtime) => (await import('./direct/sessions.ts')).directSessions(runtime),
  remote: async (api) => (await import('./remote/sessions.ts')).remoteSessions(api),
});

export const withExplanations = reaching<Explanations>({
  direct: async (runtime) => (await import('./direct/explanations.ts')).directExplanations(runtime),
  remote: async (api) => (await import('./remote/explanations.ts')).remoteExplanations(api),
});

export const withWebhooks = reaching<Webhooks>({
  direct: async (runtime) => (await import('./direct/webhooks.ts')).directWebhooks(runtime),
  remote: async (api) => (await import('./remote/webhooks.ts')).remoteWebhooks(api),
});

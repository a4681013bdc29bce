/** The secrets that the configuration names, through the management API. */
import type { Item } from '../../management/client/documents.ts';
import { CommandRefused } from '../failure.ts';
import type { ManagementApi } from './api.ts';
import { mustExist, orNull, recordProblems } from './refusals.ts';

export type ConfiguredSecret = Item<'/secrets'>;

export const secretsAt = (api: ManagementApi) => ({
  list: async (): Promise<readonly ConfiguredSecret[]> => (await api.send('GET', '/secrets', {})).value.items,
  /** @throws CommandRefused that shows nothing of the value. */
  set: async (name: string, value: string): Promise<ConfiguredSecret> => {
    const params = { secret_name: name };
    const sent = orNull(api.send('PUT', '/secrets/{secret_name}', { params, body: { value } }));
    const answered = await sent.catch((error: unknown) => {
      const problems = recordProblems(error);
      throw problems === null ? error : new CommandRefused(`${problems.join('\n')}\nNothing was changed.`);
    });
    if (answered === null)
      throw new CommandRefused('Expected the name of an environment variable. Nothing was changed.');
    return answered.value;
  },
  remove: async (name: string): Promise<void> => {
    const params = { secret_name: name };
    await mustExist('stored secret', name, api.send('DELETE', '/secrets/{secret_name}', { params }));
  },
});

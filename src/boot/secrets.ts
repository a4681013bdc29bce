/** The secrets that configuration names, as this node reads them: from its environment, from files, or from rows. */
import { secretNamed } from '../registration/configured-secrets.ts';
import { changesOfSecrets } from '../storage/configured-secrets.ts';
import type { Runtime } from './runtime.ts';

export type Secrets = {
  /** Read at each use. Null: neither the environment nor a row has it. @throws EnvironmentError, StoreUnavailable */
  readonly named: (name: string) => Promise<string | null>;
  /** To be called every few seconds: calls `changed` where a row was set or removed since. @throws StoreUnavailable */
  readonly follow: (changed: () => Promise<unknown>) => Promise<void>;
};

export async function secretsOf({ database, keys, variables }: Runtime): Promise<Secrets> {
  const db = database.drizzle;
  let seen = await changesOfSecrets(db);
  return {
    named: (name) => secretNamed({ db, keys }, variables, name),
    follow: async (changed) => {
      const now = await changesOfSecrets(db);
      if (now === seen) return;
      await changed();
      seen = now;
    },
  };
}

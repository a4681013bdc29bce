/** After a rotation of the root secret: everything in the database that can be made again under the first entry of the list. */
import { keepKey, keepOn } from '../crypto/kept-key.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { IV_BYTES } from '../crypto/sealed-text.ts';
import { keptAmong } from '../lifecycles/root-keys.ts';
import { HELD_TABLES } from '../lifecycles/tables.ts';
import { resealedSecret } from '../people/second-factor/secret.ts';
import { resealConfiguredSecrets } from '../registration/configured-secrets.ts';
import type { Drizzle } from '../storage/database.ts';
import { type Renewed, renewRowMacs } from '../storage/renew-row-macs.ts';
import { resealApps } from '../storage/reseal-apps.ts';
import { rootSecretStore } from '../storage/root-secrets.ts';
import type { Clock } from '../system/clock.ts';

type Renewing = {
  readonly db: Drizzle;
  readonly clock: Clock;
  readonly keys: RootKeys;
  readonly random: Random;
};

/** How many rows of each table were renewed. Safe to repeat. @throws StoreUnavailable */
export async function renewUnderFirst(renewing: Renewing): Promise<Renewed> {
  const { db, keys } = renewing;
  // Rows that authenticate themselves come last: the MAC covers what is renewed before.
  const apps = await resealApps(db, (app) => resealedSecret(renewing, app));
  const secrets = await resealConfiguredSecrets(renewing);
  const kept = await keepKeys(renewing);
  return {
    second_factors: apps,
    configured_secrets: secrets,
    root_secrets: kept,
    ...(await renewRowMacs(db, rowMacs(keys))),
  };
}

async function keepKeys({ db, clock, keys, random }: Renewing): Promise<number> {
  const store = rootSecretStore(db, clock);
  const { purpose } = keptAmong(HELD_TABLES);
  const stored = await store.keptKeys();
  const iv = () => random.bytes(IV_BYTES);
  const listed = [...keys.byId.values()].filter(({ id }) => id !== keys.first.id);
  const missing = listed
    .filter(({ id }) => !stored.some(({ keyId }) => keyId === id))
    .map((root) => keepKey(keys, purpose, root, iv()));
  const due = stored.flatMap((kept) => keepOn(keys, purpose, kept, iv()) ?? []);
  for (const kept of [...missing, ...due]) await store.keep(kept);
  return missing.length + due.length;
}

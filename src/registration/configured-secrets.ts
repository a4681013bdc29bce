/**
 * Secrets that configuration names, as sealed rows: an administrator sets and removes them, and servers read them where the environment has none.
 * A value never leaves this file but to its use.
 */
import { inEnvironment } from '../config/named-secrets.ts';
import { secretVariable, type Variables } from '../config/secret-variable.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { IV_BYTES, isSealedByFirst, openText, sealText } from '../crypto/sealed-text.ts';
import type { Actor } from '../model/actor.ts';
import {
  changeSecretRow,
  findSecretRow,
  listSecretRows,
  nextVersion,
  resealSecrets,
  type SecretRow,
} from '../storage/configured-secrets.ts';
import type { Drizzle } from '../storage/database.ts';
import type { Clock } from '../system/clock.ts';

type Sealing = { readonly keys: RootKeys; readonly random: Random };
type Reading = { readonly db: Drizzle; readonly keys: RootKeys };
type Changing = Reading & Sealing & { readonly clock: Clock; readonly actor: Actor };

/** Under another name, or as another version of the same secret, the sealed value does not open. */
const placeOf = ({ name, version }: Pick<SecretRow, 'name' | 'version'>): string => `${version} ${name}`;

const seal = ({ keys, random }: Sealing, row: Pick<SecretRow, 'name' | 'version'>, value: string): string =>
  sealText(keys, 'configured-secret', placeOf(row), value, random.bytes(IV_BYTES));

/** Null: removed, or no listed root secret sealed it. */
export const openSecretRow = (keys: RootKeys, row: SecretRow): string | null =>
  row.sealedValue === null ? null : openText(keys, 'configured-secret', placeOf(row), row.sealedValue);

/** @returns false: another request changed it meanwhile. @throws StoreUnavailable */
export function setConfiguredSecret(
  { db, clock, actor, ...sealing }: Changing,
  name: string,
  before: SecretRow | null,
  value: string,
): Promise<boolean> {
  const sealedValue = seal(sealing, { name, version: nextVersion(before) }, value);
  return changeSecretRow(db, clock, { name, before, sealedValue }, actor);
}

/** @returns false: another request changed it meanwhile. @throws StoreUnavailable */
export const removeConfiguredSecret = (
  { db, clock, actor }: Omit<Changing, keyof Sealing>,
  before: SecretRow,
): Promise<boolean> => changeSecretRow(db, clock, { name: before.name, before, sealedValue: null }, actor);

/** @returns how many were sealed again, under the first root secret. @throws StoreUnavailable */
export const resealConfiguredSecrets = ({ db, ...sealing }: Reading & Sealing): Promise<number> =>
  resealSecrets(db, (row) => {
    if (row.sealedValue === null || isSealedByFirst(sealing.keys, row.sealedValue)) return null;
    const value = openSecretRow(sealing.keys, row);
    return value === null ? null : seal(sealing, row, value);
  });

/** A row stands in for a variable that the environment does not have. @throws StoreUnavailable */
export async function withStoredSecrets({ db, keys }: Reading, variables: Variables): Promise<Variables> {
  const stored = (await listSecretRows(db)).flatMap((row) => {
    const value = inEnvironment(variables, row.name) === null ? openSecretRow(keys, row) : null;
    return value === null ? [] : [[row.name, value] as const];
  });
  return { ...variables, ...Object.fromEntries(stored) };
}

/** The environment first, then the row. Null: neither has it. @throws EnvironmentError for a file that cannot be read. @throws StoreUnavailable */
export async function secretNamed({ db, keys }: Reading, variables: Variables, name: string): Promise<string | null> {
  const given = secretVariable(variables, name);
  if (given !== null) return given;
  const row = await findSecretRow(db, name);
  return row && openSecretRow(keys, row);
}

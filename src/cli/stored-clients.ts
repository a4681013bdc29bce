/**
 * The stored clients, and the existing end-users among the given usernames, for `check`. The command changes nothing: it applies no
 * migration, and creates no folder and no root secret. When the database cannot be read, the reason becomes part of the result.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import type { Variables } from '../config/secret-variable.ts';
import { systemRandom } from '../crypto/random.ts';
import { type RootKeys, rootKeys } from '../crypto/root-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import type { Client } from '../model/client.ts';
import { withStoredSecrets } from '../registration/configured-secrets.ts';
import { listClients } from '../storage/clients.ts';
import { openEmbedded } from '../storage/embedded.ts';
import { codeOf } from '../storage/failures.ts';
import { ledgerDefaultEntries } from '../storage/ledger-partitions.ts';
import { openSetUps } from '../storage/operator-set-ups.ts';
import { openPostgres } from '../storage/postgres.ts';
import { countIgnoredRows } from '../storage/renew-row-macs.ts';
import type { Need } from '../storage/root-secret-census.ts';
import { type SharedAddress, sharedAddresses } from '../storage/sign-in-addresses.ts';
import { knownUsernameKeys, usernameKeysWithoutFactor } from '../storage/users.ts';
import { homeFolder, keptSecrets } from '../system/home-folder.ts';
import { wordsFor } from './failure-words.ts';
import { needsOf } from './root-secret-words.ts';

export type StoredClients = {
  /** The environment, with the secrets of rows that it does not have. */
  readonly variables: Variables;
  readonly clients: readonly Client[];
  /** Ids of the clients that configuration declared when the server last read it. */
  readonly declaredIds: readonly string[];
  /** The keys of the given usernames that end-users have; null: the database could not be read. */
  readonly usernames: readonly string[] | null;
  /** The keys of those who have neither a passkey nor an authenticator app. */
  readonly withoutFactor: readonly string[];
  /** The username of the operator whom a set-up made; null: none. */
  readonly operatorBySetUp: string | null;
  /** How many rows of each table the server ignores, since they do not authenticate themselves. */
  readonly ignoredRows: Readonly<Record<string, number>>;
  /** Rows that still need a root secret other than the first. */
  readonly needs: readonly Need[];
  /** Entries of the ledger that retention does not reach, counted up to 1000. */
  readonly ledgerDefaultEntries: number;
  /** Verified addresses of several accounts, up to 20. */
  readonly sharedAddresses: readonly SharedAddress[];
  /** Why the list is incomplete; null: it is complete. */
  readonly missing: string | null;
};

const MOST_ADDRESSES = 20;

export async function storedClients(
  environment: Environment,
  env: NodeJS.ProcessEnv,
  asked: readonly string[],
  keys: RootKeys | null,
): Promise<StoredClients> {
  const { databaseUrl } = environment;
  const unread = (missing: string): StoredClients => ({ ...NOTHING_READ, variables: env, missing });
  if (databaseUrl === null && !existsSync(join(homeFolder(), 'database')))
    return unread('No database yet: "statehouse start" or "statehouse migrate" creates it.');
  try {
    const database = databaseUrl ? openPostgres(databaseUrl, { connections: 1 }) : await openEmbedded(homeFolder());
    const db = database.drizzle;
    try {
      const clients = await listClients(db, null, { declared: false });
      const declared = await listClients(db, null, { declared: true });
      const usernames = await knownUsernameKeys(db, asked);
      const withoutFactor = await usernameKeysWithoutFactor(db, asked);
      const ignoredRows = keys === null ? {} : await countIgnoredRows(db, rowMacs(keys));
      const bySetUp = keys && (await openSetUps(db, rowMacs(keys)));
      const needs = keys === null ? [] : await needsOf(db, keys);
      const inDefault = await ledgerDefaultEntries(db);
      return {
        variables: keys === null ? env : await withStoredSecrets({ db, keys }, env),
        clients,
        declaredIds: declared.map(({ clientId }) => clientId),
        usernames,
        withoutFactor,
        operatorBySetUp: bySetUp?.operator?.username ?? null,
        ignoredRows,
        needs,
        ledgerDefaultEntries: inDefault,
        sharedAddresses: await sharedAddresses(db, MOST_ADDRESSES),
        missing: null,
      };
    } finally {
      await database.close();
    }
  } catch (error) {
    return unread(`The clients cannot be read. ${reasonOf(error, env)}`);
  }
}

const NOTHING_READ = {
  clients: [],
  declaredIds: [],
  usernames: null,
  withoutFactor: [],
  operatorBySetUp: null,
  ignoredRows: {},
  needs: [],
  ledgerDefaultEntries: 0,
  sharedAddresses: [],
} as const;

/** SQLSTATE undefined_table, undefined_column and undefined_function: the tables of another version. */
const OTHER_TABLES = new Set(['42P01', '42703', '42883']);

function reasonOf(error: unknown, env: NodeJS.ProcessEnv): string {
  if (OTHER_TABLES.has(codeOf(error) ?? '')) return 'The tables are not up to date: run "statehouse migrate".';
  return wordsFor(error, env).trim();
}

/** @returns null before a root secret exists. @throws RootSecretError for a root secret that is too short. */
export function rootKeysIfMade({ secrets }: Environment): RootKeys | null {
  if (secrets) return rootKeys(secrets);
  return existsSync(join(homeFolder(), 'secret')) ? rootKeys(keptSecrets(homeFolder(), systemRandom)) : null;
}

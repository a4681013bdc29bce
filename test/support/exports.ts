/** Small exports of other systems (test/support/exports/), and the records that the import makes of each (records.json there). */
import { fileURLToPath } from 'node:url';
import { exportedRecords } from '../../src/cli/files/exported.ts';
import { systemInput } from '../../src/cli/input.ts';
import type { SentRecord } from '../../src/cli/records-file.ts';
import { rawSecret } from '../../src/crypto/secret-types.ts';
import { SOURCES } from '../../src/registration/sources/all.ts';
import type { SourceOptions } from '../../src/registration/sources/source.ts';

export const exportFile = (name: string): string => fileURLToPath(new URL(`./exports/${name}`, import.meta.url));

/** The parameters of the test vector of firebase/scrypt (https://github.com/firebase/scrypt). */
export const FIREBASE_HASH = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`;

type Case = { readonly from: string; readonly files: readonly string[]; readonly options?: Partial<SourceOptions> };

const columns = new Map([
  ['Login', 'username'],
  ['Mail', 'email'],
  ['Confirmed', 'email_verified'],
  ['Name', 'name'],
  ['Dept', 'claims.department'],
  ['Hash', 'password_hash'],
  ['Google', 'identity.google'],
]);

/** By the name in records.json. */
export const EXPORTS: Readonly<Record<string, Case>> = {
  keycloak: { from: 'keycloak', files: ['keycloak-realm.json'], options: { rpId: 'login.acme.example' } },
  'keycloak, without the host name of its passkeys': { from: 'keycloak', files: ['keycloak-realm.json'] },
  'keycloak, users in a file of their own': { from: 'keycloak', files: ['keycloak-users-0.json'] },
  auth0: { from: 'auth0', files: ['auth0-users.ndjson', 'auth0-hashes.ndjson'] },
  'auth0, hashes alone': { from: 'auth0', files: ['auth0-hashes.ndjson'] },
  okta: { from: 'okta', files: ['okta-users.json'] },
  'okta, CSV': { from: 'okta', files: ['okta-users.csv'] },
  cognito: { from: 'cognito', files: ['cognito-users.json'] },
  'cognito, CSV': { from: 'cognito', files: ['cognito-users.csv'] },
  firebase: { from: 'firebase', files: ['firebase-users.json'], options: { firebaseHash: rawSecret(FIREBASE_HASH) } },
  'firebase, CSV without the parameters': { from: 'firebase', files: ['firebase-users.csv'] },
  clerk: { from: 'clerk', files: ['clerk-users.csv'] },
  'clerk, JSON': { from: 'clerk', files: ['clerk-users.json'] },
  supabase: { from: 'supabase', files: ['supabase-users.csv'] },
  'supabase, JSON': { from: 'supabase', files: ['supabase-users.json'] },
  kratos: { from: 'kratos', files: ['kratos-identities.json'], options: { rpId: 'login.acme.example' } },
  zitadel: { from: 'zitadel', files: ['zitadel-export.json'] },
  django: { from: 'django', files: ['django-dumpdata.json'] },
  wordpress: { from: 'wordpress', files: ['wordpress-users.csv'] },
  aspnet: { from: 'aspnet', files: ['aspnet-users.csv'] },
  devise: { from: 'devise', files: ['devise-users.json'], options: { isPeppered: true } },
  ldif: { from: 'ldif', files: ['openldap.ldif'] },
  csv: { from: 'csv', files: ['people.csv'], options: { columns } },
};

export const NO_OPTIONS: SourceOptions = {
  issuers: new Map(),
  keepsSub: true,
  columns: new Map(),
  firebaseHash: null,
  rpId: null,
  isPeppered: false,
};

/** @param files paths. */
export async function recordsOf({ from, files, options = {} }: Case): Promise<readonly SentRecord[]> {
  const source = SOURCES.find(({ name }) => name === from);
  if (source === undefined) throw new Error(`There is no format ${from}.`);
  const { records } = await exportedRecords(systemInput, files, source, { ...NO_OPTIONS, ...options });
  return Array.fromAsync(records());
}

/** As records.json has them. */
export const shownRecords = (sent: readonly SentRecord[]): unknown =>
  JSON.parse(
    JSON.stringify(
      sent.map(({ value, ...rest }) =>
        typeof value === 'symbol' ? { is: value.description, ...rest } : { value, ...rest },
      ),
    ),
  );

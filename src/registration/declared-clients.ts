/** Clients that are declared in configuration: read with their secrets, held against the standards, brought into the database. */
import { CLIENTS_FILE, type Configuration, type DeclaredClient } from '../config/configuration.ts';
import { ConfigurationError, type Problem } from '../config/problem.ts';
import { matchesStoredHash, SHORT_SECRET_CHARACTERS, secretHash, storedHashMac } from '../crypto/client-secret.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import type { Client } from '../model/client.ts';
import { type ClientRegistration, deleteClient, findClient, listClients, saveClient } from '../storage/clients.ts';
import { type ClientMetadata, readClientMetadata } from './client-metadata.ts';
import { differences, type RegistrationDeps } from './register-client.ts';

export type Declared = {
  readonly metadata: ClientMetadata & { readonly clientId: string };
  /** SHA-256 of each live secret. */
  readonly secretHashes: readonly Buffer[];
  readonly warnings: readonly string[];
};

export type DeclaredChange = {
  readonly clientId: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** RFC 7591 names of what differs; a secret by its name only. */
  readonly fields: readonly string[];
};

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigurationError with file and line of everything wrong. No secret is printed. */
export function readDeclaredClients(
  configuration: Configuration,
  environment: Environment,
  folder: string,
): Declared[] {
  const problems: Problem[] = [];
  const declared = configuration.declaredClients.map((one) => {
    const { record } = one;
    const { client_secret_environment: names = [], client_secret_sha256: hashes = [], ...rest } = record;
    const reading = readClientMetadata(rest, configuration);
    const isPublic = record.token_endpoint_auth_method === 'none';
    const wrong = (field: string | null, found: string, allowed: string) =>
      problems.push(problemOf(one, field, found, allowed));
    if (!reading.ok) for (const { field, found, allowed } of reading.problems) wrong(field, found, allowed);
    for (const name of names) {
      if (!environment[name])
        wrong('client_secret_environment', `${name}, which is not set`, 'a variable that holds the secret');
    }
    const secrets = names.flatMap((name) => environment[name] ?? []);
    if (isPublic && names.length + hashes.length > 0) {
      wrong('token_endpoint_auth_method', '"none" with a secret', 'no secret for a public client');
    }
    if (!isPublic && names.length + hashes.length === 0) {
      wrong(
        null,
        'no secret',
        'client_secret_environment or client_secret_sha256, or token_endpoint_auth_method: none',
      );
    }
    const secretHashes = [
      ...secrets.map((secret) => secretHash(rawSecret(secret))),
      ...hashes.map((hash) => Buffer.from(hash, 'hex')),
    ];
    const short = secrets.some((secret) => secret.length < SHORT_SECRET_CHARACTERS);
    const warnings = [
      ...(reading.ok ? reading.warnings : []),
      ...(short ? [`client_secret_environment: a secret of fewer than ${SHORT_SECRET_CHARACTERS} characters`] : []),
    ];
    return reading.ok ? [{ metadata: { ...reading.value, clientId: record.client_id }, secretHashes, warnings }] : [];
  });
  if (problems.length > 0) throw new ConfigurationError(folder, problems);
  return declared.flat();
}

const problemOf = (
  { path, lineOf }: DeclaredClient,
  field: string | null,
  found: string,
  allowed: string,
): Problem => ({
  file: CLIENTS_FILE,
  line: lineOf(field?.split('.')[0] ?? null),
  key: field === null ? path : `${path}.${field}`,
  found,
  allowed,
  nearest: null,
});

/**
 * A file that is gone for a moment, as while a deployment rewrites it, must not end every grant of every declared client.
 * @throws ConfigurationError when the file is missing and the database has clients that it declared.
 */
export async function requireClientsFile(
  deps: RegistrationDeps,
  configuration: Configuration,
  folder: string,
): Promise<void> {
  if (configuration.hasClientsFile) return;
  const declared = await listClients(deps.db, { declared: true });
  if (declared.length === 0) return;
  const found = `no such file, while ${declared.length} clients are declared in the database`;
  const allowed = 'the file; with "clients: []" it ends them and their grants';
  throw new ConfigurationError(folder, [{ file: CLIENTS_FILE, line: null, key: null, found, allowed, nearest: null }]);
}

/** Adds, changes and removes until the database says what the files say. Removing ends a client's grants (its epoch). */
export async function applyDeclaredClients(
  deps: RegistrationDeps,
  declared: readonly Declared[],
): Promise<DeclaredChange[]> {
  const changes: DeclaredChange[] = [];
  const before = (await listClients(deps.db, { declared: true })).map((one) => one.clientId);
  for (const one of declared) {
    const stored = await findClient(deps.db, one.metadata.clientId);
    const wanted = registrationOf(deps, one, stored);
    const fields = stored ? differences(stored, wanted) : [];
    if (stored && fields.length === 0 && before.includes(wanted.clientId)) continue;
    await saveClient(deps.db, wanted, true);
    changes.push({ clientId: wanted.clientId, change: stored ? 'changed' : 'added', fields });
  }
  for (const clientId of before.filter((id) => !declared.some((one) => one.metadata.clientId === id))) {
    if (await deleteClient(deps.db, clientId)) changes.push({ clientId, change: 'removed', fields: [] });
  }
  return changes;
}

function registrationOf(
  { keys }: RegistrationDeps,
  { metadata, secretHashes }: Declared,
  stored: Client | null,
): ClientRegistration {
  const { secret: _, clientName, ...rest } = metadata;
  const old = stored?.secretMacs ?? [];
  // Under whichever root secret it was stored: the same secret again is no change.
  const secretMacs = secretHashes.map(
    (hash) => old.find((mac) => matchesStoredHash(keys, [mac], hash)) ?? storedHashMac(keys, hash),
  );
  return { ...rest, clientName: clientName ?? metadata.clientId, secretMacs };
}

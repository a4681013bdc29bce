/** Clients that are declared in configuration: reads them with their secrets, checks them, and brings them into the database. */
import { CLIENTS_FILE, type Configuration, type DeclaredClient } from '../config/configuration.ts';
import { ConfigurationError, type Problem, problemOf, type RecordProblem } from '../config/problem.ts';
import { secretExpected, secretVariable, type Variables } from '../config/secret-variable.ts';
import { matchesStoredHash, SHORT_SECRET_CHARACTERS, secretHash, storedHashMac } from '../crypto/client-secret.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import { differingFields, type SentRegistration } from '../lifecycles/client/lifecycle.ts';
import { type Client, hasSecret } from '../model/client.ts';
import { findClient, listClients } from '../storage/clients.ts';
import { isSub } from '../storage/users.ts';
import { administerClient, requireDone } from './administration.ts';
import { type ReadClient, readClientMetadata } from './client-metadata.ts';
import { problem } from './record-problem.ts';
import { idOfUser, type RegistrationDeps } from './register-client.ts';
import { weakClientSecret, weakSecretWarning } from './weak-secrets.ts';

export type Declared = {
  readonly metadata: ReadClient & { readonly clientId: string };
  /** SHA-256 of each live secret. */
  readonly secretHashes: readonly Buffer[];
  readonly warnings: readonly string[];
};

export type DeclaredChange = {
  readonly clientId: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** RFC 7591 names of the fields that differ. */
  readonly fields: readonly string[];
};

/**
 * @param production rejects a weak secret; false: a weak secret is a warning.
 * @throws ConfigurationError with file and line of everything wrong; EnvironmentError for a file of a secret that cannot be read. No secret is
 * printed.
 */
export function readDeclaredClients(
  configuration: Configuration,
  environment: Variables,
  folder: string,
  production: boolean,
): Declared[] {
  const problems: Problem[] = [];
  const declared = configuration.declaredClients.map((declaration) => {
    const { record } = declaration;
    const { client_secret_environment: names = [], client_secret_sha256: hashes = [], ...rest } = record;
    const reading = readClientMetadata(rest, configuration, production);
    const secretOf = (name: string) => secretVariable(environment, name);
    const secrets = names.flatMap((name) => secretOf(name) ?? []);
    const weak = names.flatMap((name) => {
      const secret = secretOf(name);
      return (secret && weakClientSecret(rawSecret(secret), 'client_secret_environment', `${name}, with `)) || [];
    });
    const wrong = [
      ...(reading.ok ? [] : reading.problems),
      ...secretProblems(record, environment),
      ...(production ? weak : []),
    ];
    problems.push(...wrong.map((problem) => inFile(declaration, problem)));
    if (!reading.ok) return [];
    const secretHashes = [
      ...secrets.map((secret) => secretHash(rawSecret(secret))),
      ...hashes.map((hash) => Buffer.from(hash, 'hex')),
    ];
    const short = weak.length === 0 && secrets.some((secret) => secret.length < SHORT_SECRET_CHARACTERS);
    const warnings = [
      ...reading.warnings,
      ...weak.map(weakSecretWarning),
      ...(short ? [`client_secret_environment: a secret of fewer than ${SHORT_SECRET_CHARACTERS} characters`] : []),
    ];
    return [{ metadata: { ...reading.value, clientId: record.client_id }, secretHashes, warnings }];
  });
  if (problems.length > 0) throw new ConfigurationError(folder, problems);
  return declared.flat();
}

function secretProblems(record: DeclaredClient['record'], environment: Variables): RecordProblem[] {
  const { client_secret_environment: names = [], client_secret_sha256: hashes = [] } = record;
  const { token_endpoint_auth_method: method } = record;
  const needsNone = method !== undefined && !hasSecret({ tokenEndpointAuthMethod: method });
  const isGiven = names.length + hashes.length > 0;
  return [
    ...names
      .filter((name) => secretVariable(environment, name) === null)
      .map((name) => problem('client_secret_environment', `${name}, which is not set`, secretExpected(name))),
    ...(needsNone && isGiven
      ? [problem('token_endpoint_auth_method', `"${method}" with a secret`, 'no secret with this method')]
      : []),
    ...(needsNone || isGiven ? [] : [problem(null, 'no secret', WAYS_TO_HAVE_A_SECRET)]),
  ];
}

const WAYS_TO_HAVE_A_SECRET =
  'client_secret_environment or client_secret_sha256, or a token_endpoint_auth_method without a secret, such as none or private_key_jwt';

const inFile = ({ path, lineOf }: DeclaredClient, problem: RecordProblem): Problem => ({
  ...problem,
  file: CLIENTS_FILE,
  line: lineOf(problem.key?.split('.')[0] ?? null),
  key: problem.key === null ? path : `${path}.${problem.key}`,
});

/**
 * A file that is missing for a moment, as while a deployment rewrites it, must not end all grants of all declared clients.
 * @throws ConfigurationError when the file is missing and the database has clients that it declared.
 */
export async function requireClientsFile(
  deps: RegistrationDeps,
  configuration: Configuration,
  folder: string,
): Promise<void> {
  if (configuration.hasClientsFile) return;
  const declared = await listClients(deps.db, deps.macs, { declared: true });
  if (declared.length === 0) return;
  const allowed = `the ${declared.length} clients that are declared in the database ("clients: []" ends them and their grants)`;
  throw new ConfigurationError(folder, [problemOf(CLIENTS_FILE, null, 'no such file', allowed)]);
}

/** @throws ConfigurationError naming each declared client whose id is the `sub` of an end-user. */
export async function requireNoSubs(
  { db }: RegistrationDeps,
  configuration: Configuration,
  folder: string,
): Promise<void> {
  const problems: Problem[] = [];
  for (const declaration of configuration.declaredClients) {
    if (await isSub(db, declaration.record.client_id)) problems.push(inFile(declaration, idOfUser('client_id')));
  }
  if (problems.length > 0) throw new ConfigurationError(folder, problems);
}

/** Adds, changes and removes clients until the database matches the files. Removing a client ends its grants (its epoch). */
export async function applyDeclaredClients(
  deps: RegistrationDeps,
  declared: readonly Declared[],
): Promise<DeclaredChange[]> {
  const changes: DeclaredChange[] = [];
  const before = (await listClients(deps.db, deps.macs, { declared: true })).map(({ clientId }) => clientId);
  for (const client of declared) {
    const stored = await findClient(deps.db, deps.macs, client.metadata.clientId);
    const wanted = registrationOf(deps, client, stored);
    if (stored && differingFields(stored, wanted).length === 0) continue;
    const change = { type: 'registrationRequested', registration: wanted } as const;
    const { before: replaced, fields: all } = requireDone(await administerClient(deps, wanted.clientId, { change }));
    const fields = all.filter((name) => name !== 'declared');
    changes.push({ clientId: wanted.clientId, change: replaced ? 'changed' : 'added', fields });
  }
  for (const clientId of before.filter((id) => !declared.some(({ metadata }) => metadata.clientId === id))) {
    const { kind } = await administerClient(deps, clientId, { change: { type: 'deletionRequested' } });
    if (kind === 'done') changes.push({ clientId, change: 'removed', fields: [] });
  }
  return changes;
}

function registrationOf(
  { keys }: RegistrationDeps,
  { metadata, secretHashes }: Declared,
  stored: Client | null,
): SentRegistration {
  const { secret: _, clientName, ...rest } = metadata;
  const old = stored?.secretMacs ?? [];
  // The same secret is no change, whichever root secret it was stored under.
  const secretMacs = secretHashes.map(
    (hash) => old.find((mac) => matchesStoredHash(keys, [mac], hash)) ?? storedHashMac(keys, hash),
  );
  return { ...rest, declared: true, registeredBy: 'operator', clientName: clientName ?? metadata.clientId, secretMacs };
}

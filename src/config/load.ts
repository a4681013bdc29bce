/** Reads the folder of policies. All problems in all files are reported at once; a configuration is never partly in force. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import { claimsSchema, NO_FURTHER_CLAIMS } from '../../policies/claims-schema.ts';
import { clientsSchema } from '../../policies/client-schema.ts';
import {
  DEFAULT_SIGNING_KEYS,
  policySchema,
  resourcesSchema,
  signInSchema,
  signingKeysSchema,
} from '../../policies/schema.ts';
import { claimProblems } from './claim-problems.ts';
import {
  CLAIMS_FILE,
  CLIENTS_FILE,
  type Configuration,
  DEFAULT_POLICY,
  type NamedPolicy,
  SIGNING_KEYS_FILE,
} from './configuration.ts';
import { identityResource, STANDARD_SCOPES } from './identity-resource.ts';
import { ConfigurationError, type Problem } from './problem.ts';
import { resourcesWithoutSigner } from './resource-signing.ts';
import { readText, unreadable } from './text-file.ts';
import { readYaml } from './yaml-file.ts';

const POLICY_FILE = /^(?<name>[a-z0-9][a-z0-9-]*)\.policy\.yaml$/;
const OTHER_FILES = ['resources.yaml', CLAIMS_FILE, 'sign-in.yaml', SIGNING_KEYS_FILE, CLIENTS_FILE];

/** @throws ConfigurationError with every problem found: file, line, key, found, allowed, nearest key. */
export function loadConfiguration(folder: string, issuer: string): Configuration {
  const problems: Problem[] = [];
  const readFile = <Schema extends z.ZodType>(file: string, schema: Schema) => {
    const result = readYaml(file, readText(join(folder, file)), schema);
    if (result.ok) return result;
    problems.push(...result.problems);
    return null;
  };
  const read = <Schema extends z.ZodType>(file: string, schema: Schema) => readFile(file, schema)?.value ?? null;

  const files = filesOf(folder);
  problems.push(...files.filter((file) => !isKnown(file)).map(unknownFile));
  const policies = new Map(
    files.flatMap((file) => {
      const name = POLICY_FILE.exec(file)?.groups?.['name'];
      const policy = name && read(file, policySchema);
      return name && policy ? [[name, policy] as const] : [];
    }),
  );
  const resourcesFile = readFile('resources.yaml', resourcesSchema);
  const resources = resourcesFile?.value ?? null;
  const claimsFile = files.includes(CLAIMS_FILE) ? readFile(CLAIMS_FILE, claimsSchema) : null;
  const claims = claimsFile?.value ?? NO_FURTHER_CLAIMS;
  const signIn = read('sign-in.yaml', signInSchema);
  const signingKeys = files.includes(SIGNING_KEYS_FILE)
    ? read(SIGNING_KEYS_FILE, signingKeysSchema)
    : DEFAULT_SIGNING_KEYS;
  const clients = files.includes(CLIENTS_FILE) ? readFile(CLIENTS_FILE, clientsSchema) : null;
  const declaredClients = (clients?.written.clients ?? []).map((record, index) => ({
    record,
    path: `clients.${index}`,
    lineOf: (field: string | null) => clients?.lineOf(['clients', index, ...(field === null ? [] : [field])]) ?? null,
  }));
  if (problems.length === 0 && !policies.has(DEFAULT_POLICY)) {
    problems.push({
      file: `${DEFAULT_POLICY}.policy.yaml`,
      line: null,
      key: null,
      found: 'no such file',
      allowed: 'the policy of the clients that name no policy',
      nearest: null,
    });
  }
  const identity = identityResource(issuer, claims);
  const taken = resources?.resources.findIndex(({ identifier }) => identifier === identity.identifier) ?? -1;
  if (taken !== -1) {
    problems.push({
      file: 'resources.yaml',
      line: null,
      key: `resources.${taken}.identifier`,
      found: 'the UserInfo Endpoint of this server',
      allowed: 'the identifier of an API (the scope openid asks for the UserInfo Endpoint, which needs no entry)',
      nearest: null,
    });
  }
  problems.push(...(resourcesFile && signingKeys ? resourcesWithoutSigner(resourcesFile, signingKeys) : []));
  if (claimsFile && resources) {
    const standard = STANDARD_SCOPES.map(({ name }) => name);
    problems.push(...claimProblems(claimsFile, { resources: resources.resources, standard }));
  }
  if (problems.length > 0 || !resources || !signIn || !signingKeys) throw new ConfigurationError(folder, problems);
  return {
    policies,
    resources: resources.resources,
    identity,
    claims,
    signIn,
    signingKeys,
    declaredClients,
    hasClientsFile: files.includes(CLIENTS_FILE),
  };
}

/**
 * A single policy by the path of its file, in any folder.
 * @throws ConfigurationError as for a whole folder.
 */
export function loadPolicy(path: string): NamedPolicy {
  const [folder, file] = [dirname(path), basename(path)];
  const result = readYaml(file, readText(join(folder, file)), policySchema);
  if (!result.ok) throw new ConfigurationError(folder, result.problems);
  return { name: POLICY_FILE.exec(file)?.groups?.['name'] ?? file, ...result.value };
}

const isKnown = (file: string) => POLICY_FILE.test(file) || OTHER_FILES.includes(file);

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => /\.ya?ml$/.test(file))
      .sort();
  } catch (error) {
    throw new ConfigurationError(folder, [
      {
        file: '.',
        line: null,
        key: null,
        found: unreadable(error).found.replace('a file', 'a folder').replace('no such file', 'no such folder'),
        allowed: 'a folder of policies (STATEHOUSE_CONFIG)',
        nearest: null,
      },
    ]);
  }
}

const unknownFile = (file: string): Problem => ({
  file,
  line: null,
  key: null,
  found: 'a file with another name',
  allowed: `<name>.policy.yaml (lower case, digits, "-"), ${OTHER_FILES.join(', ')}`,
  nearest: null,
});

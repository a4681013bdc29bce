/** Reads the folder of policies. One error reports all problems in all files; a configuration is never partly in force. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import { botCheckSchema } from '../../policies/bot-check-schema.ts';
import { brandingSchema } from '../../policies/branding-schema.ts';
import { claimsSchema, NO_FURTHER_CLAIMS } from '../../policies/claims-schema.ts';
import { clientsSchema } from '../../policies/client-schema.ts';
import { ledgerSchema, SHIPPED_LEDGER } from '../../policies/ledger-schema.ts';
import { limitsSchema, SHIPPED_LIMITS } from '../../policies/limits-schema.ts';
import { mailsSchema, NO_OWN_MAILS } from '../../policies/mails-schema.ts';
import { NOBODY_ADMINISTERS, operatorsSchema } from '../../policies/operators-schema.ts';
import { NO_REGISTRATION, registrationSchema } from '../../policies/registration-schema.ts';
import {
  DEFAULT_SIGNING_KEYS,
  policySchema,
  resourcesSchema,
  type SignInPolicy,
  signInSchema,
  signingKeysSchema,
} from '../../policies/schema.ts';
import { delegatedSignInSchema, NO_UPSTREAMS, upstreamsSchema } from '../../policies/upstreams-schema.ts';
import { NO_WEBHOOKS, webhooksSchema } from '../../policies/webhooks-schema.ts';
import { BRANDING_FILE, brandingOf, NO_BRANDING } from './branding.ts';
import { claimProblems } from './claim-problems.ts';
import {
  BOT_CHECK_FILE,
  CLAIMS_FILE,
  CLIENTS_FILE,
  type Configuration,
  DEFAULT_POLICY,
  DELEGATED_SIGN_IN_FILE,
  LEDGER_FILE,
  LIMITS_FILE,
  type NamedPolicy,
  OPERATORS_FILE,
  REGISTRATION_FILE,
  RESOURCES_FILE,
  SIGNING_KEYS_FILE,
  UPSTREAMS_FILE,
  WEBHOOKS_FILE,
} from './configuration.ts';
import { identityResource, STANDARD_SCOPES } from './identity-resource.ts';
import { managementResource } from './management-resource.ts';
import { operatorProblems } from './operator-problems.ts';
import { declaredOwnClients } from './own-clients.ts';
import { MAILS_FILE, ownMailProblems } from './own-mails.ts';
import { declaredOwnResources } from './own-resources.ts';
import { ConfigurationError, type Path, type Problem, problemOf } from './problem.ts';
import { registrationProblems } from './registration-problems.ts';
import { resourcesWithoutSigner } from './resource-signing.ts';
import { readText, type TextFile, unreadable } from './text-file.ts';
import { readYaml } from './yaml-file.ts';

const NAME = '[a-z0-9][a-z0-9-]*';
export const POLICY_NAME = new RegExp(`^${NAME}$`);
const POLICY_FILE = new RegExp(`^(?<name>${NAME})\\.policy\\.yaml$`);
/** The files whose change a backtest can answer: lifetimes, and the APIs with their scopes. None of them has a secret. */
export const DRAFTABLE_FILE = new RegExp(`^(?:${NAME}\\.policy|resources)\\.yaml$`);
const SIGN_IN_FILE = 'sign-in.yaml';
const OTHER_FILES = [
  RESOURCES_FILE,
  CLAIMS_FILE,
  SIGN_IN_FILE,
  SIGNING_KEYS_FILE,
  OPERATORS_FILE,
  LIMITS_FILE,
  LEDGER_FILE,
  BRANDING_FILE,
  MAILS_FILE,
  CLIENTS_FILE,
  UPSTREAMS_FILE,
  DELEGATED_SIGN_IN_FILE,
  WEBHOOKS_FILE,
  BOT_CHECK_FILE,
  REGISTRATION_FILE,
];

/** A text that stands for a file of the folder, which may not exist yet. */
export type Draft = { readonly file: string; readonly text: string };

/**
 * @param draft read instead of the file of this name.
 * @throws ConfigurationError with every problem found: file, line, key, found, allowed, nearest key.
 */
export function loadConfiguration(folder: string, issuer: string, draft: Draft | null = null): Configuration {
  const problems: Problem[] = [];
  const lines = new Map<string, (path: Path) => number | null>();
  const textOf = (file: string): TextFile =>
    file === draft?.file ? { ok: true, text: draft.text } : readText(join(folder, file));
  const readFile = <Schema extends z.ZodType>(file: string, schema: Schema) => {
    const result = readYaml(file, textOf(file), schema);
    if (result.ok) {
      lines.set(file, result.lineOf);
      return result;
    }
    problems.push(...result.problems);
    return null;
  };
  const read = <Schema extends z.ZodType>(file: string, schema: Schema) => readFile(file, schema)?.value ?? null;
  const optional = <Schema extends z.ZodType>(file: string, schema: Schema) =>
    files.includes(file) ? readFile(file, schema) : null;

  const files = [...new Set([...filesOf(folder), ...(draft ? [draft.file] : [])])].sort();
  problems.push(...files.filter((file) => !isKnown(file)).map(unknownFile));
  const policies = new Map(
    files.flatMap((file) => {
      const name = POLICY_FILE.exec(file)?.groups?.['name'];
      const policy = name && read(file, policySchema);
      return name && policy ? [[name, policy] as const] : [];
    }),
  );
  const resourcesFile = readFile(RESOURCES_FILE, resourcesSchema);
  const resources = resourcesFile?.value ?? null;
  const claimsFile = optional(CLAIMS_FILE, claimsSchema);
  const claims = claimsFile?.value ?? NO_FURTHER_CLAIMS;
  const signIn = read(SIGN_IN_FILE, signInSchema);
  const signingKeys = files.includes(SIGNING_KEYS_FILE)
    ? read(SIGNING_KEYS_FILE, signingKeysSchema)
    : DEFAULT_SIGNING_KEYS;
  const operatorsFile = optional(OPERATORS_FILE, operatorsSchema);
  const upstreamsFile = optional(UPSTREAMS_FILE, upstreamsSchema)?.value ?? null;
  const delegatedSignIn = optional(DELEGATED_SIGN_IN_FILE, delegatedSignInSchema)?.value ?? null;
  const webhooks = optional(WEBHOOKS_FILE, webhooksSchema)?.value ?? null;
  const botCheck = optional(BOT_CHECK_FILE, botCheckSchema)?.value ?? null;
  const registrationFile = optional(REGISTRATION_FILE, registrationSchema);
  const limits = files.includes(LIMITS_FILE) ? read(LIMITS_FILE, limitsSchema) : SHIPPED_LIMITS;
  const ledger = files.includes(LEDGER_FILE) ? read(LEDGER_FILE, ledgerSchema) : SHIPPED_LEDGER;
  const brandingFile = optional(BRANDING_FILE, brandingSchema);
  const branding = brandingFile ? brandingOf(folder, brandingFile, problems) : NO_BRANDING;
  const mailsFile = optional(MAILS_FILE, mailsSchema);
  const clients = optional(CLIENTS_FILE, clientsSchema);
  const declaredClients = (clients?.written.clients ?? []).map((record, index) => ({
    record,
    path: `clients.${index}`,
    lineOf: (field: string | null) => clients?.lineOf(['clients', index, ...(field === null ? [] : [field])]) ?? null,
  }));
  if (problems.length === 0 && !policies.has(DEFAULT_POLICY)) {
    const allowed = 'the policy of the clients that name no policy';
    problems.push(problemOf(`${DEFAULT_POLICY}.policy.yaml`, null, 'no such file', allowed));
  }
  const identity = identityResource(issuer, claims);
  const management = managementResource(issuer);
  problems.push(...(resourcesFile ? declaredOwnResources(resourcesFile, { identity, management }) : []));
  problems.push(...declaredOwnClients(declaredClients));
  if (registrationFile && resources && problems.length === 0)
    problems.push(...registrationProblems(registrationFile, { policies, resources: resources.resources, identity }));
  problems.push(...(operatorsFile ? operatorProblems(operatorsFile) : []));
  problems.push(...(mailsFile ? ownMailProblems(mailsFile) : []));
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
    management,
    operators: operatorsFile?.value ?? NOBODY_ADMINISTERS,
    claims,
    signIn,
    signingKeys,
    upstreams: (upstreamsFile ?? NO_UPSTREAMS).upstreams,
    delegatedSignIn,
    webhooks: webhooks ?? NO_WEBHOOKS,
    botCheck,
    registration: registrationFile?.value ?? NO_REGISTRATION,
    limits: limits ?? SHIPPED_LIMITS,
    ledger: ledger ?? SHIPPED_LEDGER,
    branding,
    ownMails: (mailsFile?.value ?? NO_OWN_MAILS).mails,
    declaredClients,
    hasClientsFile: files.includes(CLIENTS_FILE),
    lineOf: (file, path) => lines.get(file)?.(path) ?? null,
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

/** The policy of sign-ins alone. @throws ConfigurationError */
export function loadSignIn(folder: string): SignInPolicy {
  const result = readYaml(SIGN_IN_FILE, readText(join(folder, SIGN_IN_FILE)), signInSchema);
  if (!result.ok) throw new ConfigurationError(folder, result.problems);
  return result.value;
}

const isKnown = (file: string) => POLICY_FILE.test(file) || OTHER_FILES.includes(file);

export function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => /\.ya?ml$/.test(file))
      .sort();
  } catch (error) {
    const found = unreadable(error).found.replace('a file', 'a folder').replace('no such file', 'no such folder');
    throw new ConfigurationError(folder, [problemOf('.', null, found, 'a folder of policies (STATEHOUSE_CONFIG)')]);
  }
}

const unknownFile = (file: string): Problem => {
  const allowed = `<name>.policy.yaml (lower case, digits, "-"), ${OTHER_FILES.join(', ')}`;
  return problemOf(file, null, 'a file with another name', allowed);
};

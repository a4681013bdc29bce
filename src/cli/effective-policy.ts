/** The effective policy of a client: its policy, capped by resources, with the errors and warnings about both. */
import { type BrokenRule, brokenByClient, brokenByPolicy, PROFILES, type Profile } from '../../policies/profiles.ts';
import type { Policy } from '../../policies/schema.ts';
import type { ClientCertificates } from '../config/client-certificates.ts';
import { type Configuration, signingAlgorithmOf } from '../config/configuration.ts';
import { isOwnClient } from '../config/own-clients.ts';
import { describeRecordProblem } from '../config/problem.ts';
import { SHORT_SECRET_CHARACTERS } from '../crypto/client-secret.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type Client, type ClientRegistration, hasSecret } from '../model/client.ts';
import { nextChainEndsAt } from '../model/lifetimes.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { certificateWarnings } from '../registration/certificate-warnings.ts';
import { reviewClient } from '../registration/client-review.ts';
import type { Declared } from '../registration/declared-clients.ts';

/** As stored, or as the next start will store it. */
export type CheckedClient = Omit<ClientRegistration, 'secretMacs'> & { readonly secrets: number };

export type EffectivePolicy = {
  readonly client: CheckedClient;
  readonly declared: boolean;
  /** Null: no file defines the policy that the client names. */
  readonly policy: Policy | null;
  /** The default resource first; empty without a policy. */
  readonly accessTokens: readonly {
    readonly resource: string;
    readonly seconds: number;
    readonly algorithm: SigningAlgorithm;
  }[];
  /** Null: no policy of the configuration names a profile. */
  readonly profile: KeptProfile | null;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
};

/** A profile, and the rules of it that the client and its policy break. */
export type KeptProfile = { readonly name: Profile; readonly broken: readonly BrokenRule[] };

/**
 * @param keys null: not created yet, so stored secrets are not compared with them.
 * @param certificates null: the server takes none
 */
export function ofStored(
  record: Client,
  configuration: Configuration,
  keys: RootKeys | null,
  certificates: ClientCertificates | null,
): EffectivePolicy {
  const review = reviewClient(record, configuration);
  return {
    ...inForce({ ...record, secrets: record.secretMacs.length }, configuration),
    declared: false,
    errors: [...review.errors.map(describeRecordProblem), ...secretErrors(record, keys)],
    warnings: [...review.warnings, ...shortSecretWarnings(record), ...certificateWarnings(record, certificates)],
  };
}

export function ofDeclared(
  { metadata, secretHashes, warnings }: Declared,
  configuration: Configuration,
  certificates: ClientCertificates | null,
): EffectivePolicy {
  const clientName = metadata.clientName ?? metadata.clientId;
  const client = { ...metadata, clientName, secrets: secretHashes.length };
  return {
    ...inForce(client, configuration),
    declared: true,
    errors: [],
    warnings: [...warnings, ...certificateWarnings(metadata, certificates)],
  };
}

function inForce(client: CheckedClient, configuration: Configuration) {
  const policy = configuration.policies.get(client.policy) ?? null;
  const accessTokens = policy === null ? [] : accessTokensOf(client, policy, configuration);
  return { client, policy, accessTokens, profile: profileOf(client, policy, configuration) };
}

/** Of a client without a profile: the least demanding one that another policy names, for what it would have to change. */
function profileOf(
  client: CheckedClient,
  policy: Policy | null,
  { policies }: Configuration,
): EffectivePolicy['profile'] {
  const named = new Set([...policies.values()].map((one) => one.profile));
  const name = policy?.profile ?? PROFILES.find((one) => named.has(one));
  if (name === undefined || policy === null || isOwnClient(client.clientId)) return null;
  return { name, broken: [...brokenByPolicy(policy), ...brokenByClient(name, client)] };
}

function accessTokensOf({ defaultResource }: CheckedClient, policy: Policy, { resources }: Configuration) {
  const isDefault = (resource: Configuration['resources'][number]) =>
    defaultResource === null ? resource.default === true : resource.identifier === defaultResource;
  const sorted = [...resources.filter(isDefault), ...resources.filter((resource) => !isDefault(resource))];
  return sorted.map((resource) => ({
    resource: resource.identifier,
    seconds: Math.min(
      policy.accessTokenLifetimeSeconds,
      resource.accessTokenLifetimeSeconds ?? Number.POSITIVE_INFINITY,
    ),
    algorithm: signingAlgorithmOf(resource),
  }));
}

function secretErrors(client: Client, keys: RootKeys | null): string[] {
  const { secretMacs } = client;
  if (!hasSecret(client)) return [];
  if (secretMacs.length === 0) return ['client_secret: none is stored, so the client cannot authenticate'];
  if (keys === null || secretMacs.some(({ keyId }) => keys.byId.has(keyId))) return [];
  return [
    'client_secret: stored under a root secret that STATEHOUSE_SECRET does not list, so the client cannot authenticate',
  ];
}

const shortSecretWarnings = ({ secretMacs }: Client): string[] =>
  secretMacs.some(({ short }) => short)
    ? [`client_secret: was imported with fewer than ${SHORT_SECRET_CHARACTERS} characters; replace it by a random one`]
    : [];

/** When a chain of refresh tokens that is approved now would end, computed as the engine does. */
export function exampleChain({ policy, client }: EffectivePolicy, now: Date): { idle: Date; used: Date } | null {
  if (policy === null || !client.grantTypes.includes('refresh_token')) return null;
  const lifetimes = { name: client.policy, ...policy };
  const end = (usedAt: Date) => new Date(nextChainEndsAt({ createdAt: now }, usedAt, lifetimes));
  return { idle: end(now), used: end(new Date(now.getTime() + policy.refreshAbsoluteLifetimeSeconds * 1000)) };
}

/** From the facts of another system to a record of an import: the same for every format. */
import { PRESETS, type PresetName } from '../../../policies/upstream-presets.ts';
import { CLAIM_NAME, RESERVED_CLAIMS, STANDARD_CLAIMS } from '../../oauth/claims.ts';
import type { Converted, JsonObject, SourceOptions } from './source.ts';

/** Absent and empty members are left out. */
export type Draft = {
  readonly sub: string | undefined;
  readonly username: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly createdAt?: string | undefined;
  readonly identities?: readonly Identity[] | undefined;
  readonly totp?: readonly string[] | undefined;
  /** Standard claims, by their names. */
  readonly claims?: JsonObject | undefined;
  /** Custom claims. */
  readonly custom?: JsonObject | undefined;
};

export type Identity = { readonly provider: string; readonly issuer: string; readonly sub: string };

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
const given = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => isGiven(value)));

export function userOf({ keepsSub }: SourceOptions, draft: Draft, leftOut: readonly string[] = []): Converted {
  const { sub, username, passwordHash, disabled = false, createdAt, identities = [], totp = [] } = draft;
  if (username === undefined) return { kind: 'refused', reasons: ['It has no username, e-mail address or id.'] };
  const claims = given(draft.claims ?? {});
  const custom = customClaims(draft.custom ?? {});
  const record = {
    username,
    ...(keepsSub && sub !== undefined && { sub }),
    ...(passwordHash === undefined ? { without_password: true } : { password_hash: passwordHash }),
    ...(disabled && { disabled }),
    ...(createdAt !== undefined && { created_at: createdAt }),
    ...(identities.length > 0 && { identities }),
    ...(totp.length > 0 && { totp }),
    ...withoutIdleFlags(claims),
    ...(Object.keys(custom.claims).length > 0 && { claims: custom.claims }),
  };
  return { kind: 'user', record, leftOut: [...leftOut, ...custom.leftOut] };
}

/** A flag says nothing without its claim. */
const withoutIdleFlags = (claims: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(claims).filter(
      ([name]) => !name.endsWith('_verified') || claims[name.slice(0, -'_verified'.length)] !== undefined,
    ),
  );

function customClaims(sent: JsonObject): { readonly claims: JsonObject; readonly leftOut: readonly string[] } {
  const all = Object.entries(given(sent));
  const isClaim = (name: string) =>
    CLAIM_NAME.test(name) && !STANDARD_CLAIMS.includes(name) && !RESERVED_CLAIMS.includes(name);
  return {
    claims: Object.fromEntries(all.filter(([name]) => isClaim(name))),
    leftOut: all
      .filter(([name]) => !isClaim(name))
      .map(([name]) => `attribute ${JSON.stringify(name.slice(0, 60))}: no claim can have this name`),
  };
}

/** The names of other systems for providers with a single issuer. */
const NAMES: ReadonlyMap<string, PresetName> = new Map([
  ...['google', 'google-oauth2', 'google.com', 'oauth_google', 'Google'].map((name) => [name, 'google'] as const),
  ...['apple', 'apple.com', 'oauth_apple', 'SignInWithApple'].map((name) => [name, 'apple'] as const),
  ...['github', 'github.com', 'oauth_github', 'GitHub'].map((name) => [name, 'github'] as const),
  ...['gitlab', 'oauth_gitlab', 'GitLab'].map((name) => [name, 'gitlab'] as const),
]);

/** Undefined: the provider is unknown, or each of its customers has an issuer. */
export const issuerNamed = (provider: string | undefined): string | undefined => {
  const preset = provider === undefined ? undefined : NAMES.get(provider);
  return preset && PRESETS[preset].issuer;
};

/** An account at an identity provider, as the other system names the provider. */
export type Link = {
  readonly provider: string;
  readonly sub: string | undefined;
  /** As the export has it. */
  readonly issuer?: string | undefined;
};
type Linked = { readonly identities: readonly Identity[]; readonly leftOut: readonly string[] };

/** @returns the identities, and why the others stay behind. */
export function linked(options: SourceOptions, links: readonly Link[]): Linked {
  const parts = links.map((link) => identityAt(options, link));
  return {
    identities: parts.flatMap(({ identities }) => identities),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
  };
}

function identityAt({ issuers }: SourceOptions, { provider, sub, issuer: inFile }: Link): Linked {
  const preset = NAMES.get(provider);
  const said = issuers.get(provider) ?? inFile;
  const issuer = said ?? issuerNamed(provider);
  const shown = JSON.stringify(provider.slice(0, 60));
  if (sub === undefined) return { identities: [], leftOut: [`link to ${shown}: it has no id of the account there`] };
  if (issuer === undefined) {
    const leftOut = [`link to ${shown}: its issuer is not known; add --issuer ${provider.slice(0, 60)}=https://…`];
    return { identities: [], leftOut };
  }
  return {
    identities: [{ provider: said === undefined && preset ? preset : providerName(provider), issuer, sub }],
    leftOut: [],
  };
}

/** As upstreams.yaml would call it. */
const providerName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40) || 'provider';

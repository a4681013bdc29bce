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
  readonly passkeys?: readonly Passkey[] | undefined;
  /** SHA-512 of each code, in base64. */
  readonly recoveryCodes?: readonly string[] | undefined;
  /** Standard claims, by their names. */
  readonly claims?: JsonObject | undefined;
  /** Custom claims. */
  readonly custom?: JsonObject | undefined;
};

/** As src/registration/imported-passkey.ts reads it. Undefined: the other system does not say it. */
export type Passkey = {
  readonly credentialId: string | undefined;
  readonly publicKey: string | undefined;
  readonly userHandle: string | undefined;
  readonly counter?: number | undefined;
  readonly transports?: readonly unknown[] | undefined;
  readonly backupEligible?: boolean | undefined;
  readonly discoverable?: boolean | undefined;
  readonly userVerified?: boolean | undefined;
  readonly isSecondFactorOnly: boolean;
  readonly name?: string | undefined;
  readonly createdAt?: string | undefined;
  readonly rpId?: string | undefined;
};

export type Identity = { readonly provider: string; readonly issuer: string; readonly sub: string };

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
const given = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => isGiven(value)));

export function userOf({ keepsSub, rpId }: SourceOptions, draft: Draft, leftOut: readonly string[] = []): Converted {
  const { sub, username, passwordHash, disabled = false, createdAt, identities = [], totp = [] } = draft;
  const { passkeys = [], recoveryCodes = [] } = draft;
  const placed = passkeys.map((passkey) => ({ ...passkey, rpId: (rpId ?? passkey.rpId)?.toLowerCase() }));
  const known = placed.filter((passkey) => passkey.rpId !== undefined);
  const hostless = known.length < placed.length ? [NO_HOST] : [];
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
    ...(known.length > 0 && { passkeys: known.map(passkeyRecord) }),
    ...(recoveryCodes.length > 0 && { recovery_codes: recoveryCodes.map((hash) => `$sha512$${hash}`) }),
    ...withoutIdleFlags(claims),
    ...(Object.keys(custom.claims).length > 0 && { claims: custom.claims }),
  };
  return { kind: 'user', record, leftOut: [...leftOut, ...hostless, ...custom.leftOut] };
}

const NO_HOST = 'passkey: the export does not say for which host name it was made; add --rp-id HOST';

const passkeyRecord = (passkey: Passkey): JsonObject =>
  given({
    credential_id: passkey.credentialId,
    public_key: passkey.publicKey,
    user_handle: passkey.userHandle,
    counter: passkey.counter,
    transports: passkey.transports,
    backup_eligible: passkey.backupEligible,
    discoverable: passkey.discoverable,
    user_verified: passkey.userVerified,
    second_factor_only: passkey.isSecondFactorOnly || undefined,
    name: passkey.name,
    created_at: passkey.createdAt,
    rp_id: passkey.rpId,
  });

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

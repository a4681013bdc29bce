/** The clients that an end-user has allowed, derived from the active grants and the remembered consents. */
import type { Configuration } from '../config/configuration.ts';
import type { Client } from '../model/client.ts';
import { type Grant, grantState } from '../model/grant.ts';
import { chainEndsAt, codeEndsAt, consentEndsAt } from '../model/lifetimes.ts';
import { continuesWhileAway } from './absence.ts';
import { mayRefreshToday } from './access-today.ts';
import { type Access, type DescribedAccess, describeAccess } from './requested-access.ts';

export type AllowedClient = {
  readonly clientId: string;
  readonly clientName: string;
  readonly access: readonly DescribedAccess[];
  readonly since: Date;
  /** The time of its last tokens. Null: it has received none. */
  readonly lastUsedAt: Date | null;
  /**
   * The time from which it has to ask again for its effective access. Null: the consents have no end, or none is
   * remembered.
   */
  readonly asksAgainFrom: Date | null;
  /** `whileAway`: a refresh token. `nowOnly`: tokens that expire soon. `nothing`: only the remembered consent. */
  readonly holds: 'whileAway' | 'nowOnly' | 'nothing';
  /** Each of its sign-ins that still has access. Many installations share one `client_id`. Newest first. */
  readonly chains: readonly AllowedChain[];
};

export type AllowedChain = {
  readonly grantId: string;
  readonly since: Date;
  /** The time of its last tokens. Null: it has received none. */
  readonly lastUsedAt: Date | null;
  /** The session of the browser that approved it. Null: the row does not know. */
  readonly sid: string | null;
};

type Consent = Access & { readonly clientId: string; readonly grantedAt: Date };

export type StoredPermissions = {
  readonly now: Date;
  /** Newest first. */
  readonly grants: readonly Grant[];
  readonly consents: readonly Consent[];
  readonly clients: ReadonlyMap<string, Client>;
};

/** Newest first. */
export function allowedClients(configuration: Configuration, permissions: StoredPermissions): AllowedClient[] {
  const { now, clients } = permissions;
  const found = [...clients.values()].flatMap((client) => {
    const ofClient = ({ clientId }: { readonly clientId: string }) => clientId === client.clientId;
    const grants = permissions.grants.filter((one) => ofClient(one) && lives(configuration, client, one, now));
    const lifetime = { consentLifetimeSeconds: configuration.policies.get(client.policy)?.consentLifetimeSeconds };
    const endOf = (consent: Consent) => consentEndsAt(consent, lifetime);
    const consents = permissions.consents.filter(
      (one) => ofClient(one) && now.getTime() < (endOf(one)?.getTime() ?? Number.POSITIVE_INFINITY),
    );
    const given = [...grants.map((one) => one.createdAt), ...consents.map((one) => one.grantedAt)].sort(byInstant);
    const [since] = given;
    const newest = given.at(-1);
    if (since === undefined || newest === undefined) return [];
    const used = grants.flatMap((one) => one.lastUsedAt ?? []).sort(byInstant);
    const allowed: AllowedClient = {
      clientId: client.clientId,
      clientName: client.clientName,
      access: described(configuration, [...grants, ...consents]),
      since,
      lastUsedAt: used.at(-1) ?? null,
      asksAgainFrom: consents.flatMap((one) => endOf(one) ?? []).sort(byInstant)[0] ?? null,
      holds:
        grants.length === 0
          ? 'nothing'
          : grants.some((one) => continuesWhileAway(configuration, client, one))
            ? 'whileAway'
            : 'nowOnly',
      chains: grants.map(({ id, createdAt, lastUsedAt, identity }) => ({
        grantId: id,
        since: createdAt,
        lastUsedAt,
        sid: identity?.sid ?? null,
      })),
    };
    return [{ allowed, newest }];
  });
  return found.sort((one, other) => byInstant(other.newest, one.newest)).map(({ allowed }) => allowed);
}

const byInstant = (one: Date, other: Date): number => one.getTime() - other.getTime();

/** Whether the client can still use its code, its refresh token, or its last access token. */
function lives(configuration: Configuration, client: Client, grant: Grant, now: Date): boolean {
  if (grantState(grant) !== 'active') return false;
  const policy = configuration.policies.get(client.policy);
  // The page still shows the grant: the policy may come back.
  if (!policy) return true;
  const lifetimes = { name: client.policy, ...policy };
  if (grant.refreshGeneration === null) return now.getTime() < codeEndsAt(grant, lifetimes);
  if (mayRefreshToday(configuration, grant, client)) return now.getTime() < chainEndsAt(grant, lifetimes);
  const lastToken = (grant.lastUsedAt ?? grant.createdAt).getTime() + policy.accessTokenLifetimeSeconds * 1000;
  return now.getTime() < lastToken;
}

/**
 * Describes each grant by itself: a scope that the end-user allowed at one resource is not allowed at every resource.
 */
function described(configuration: Configuration, granted: readonly Access[]): DescribedAccess[] {
  const groups = new Map<DescribedAccess['resource'], Map<string, DescribedAccess['scopes'][number]>>();
  for (const { resource, scopes } of granted.flatMap((one) => describeAccess(configuration, one))) {
    const group = groups.get(resource) ?? new Map();
    groups.set(resource, group);
    for (const scope of scopes) group.set(scope.name, scope);
  }
  return [...groups].map(([resource, scopes]) => ({ resource, scopes: [...scopes.values()] }));
}

/** Federated sign-in: the authorization request to another OpenID Provider. Its response: upstream-callback.ts. */
import type { ExternalSignInRejectReason } from '../../../machines/external-sign-in/facts.ts';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import type { ExternalSignIn } from '../../lifecycles/external-sign-in/entity.ts';
import { urlUnder } from '../../oauth/urls.ts';
import { type Beginning, beginExternalSignIn, requestedOf } from '../external/begin.ts';
import type { ExternalSignInDeps } from '../external/deps.ts';
import { type AskedBy, askedBy } from '../external/finish.ts';
import type { PendingLinkDeps } from '../external/pending-link.ts';
import { githubProvider } from './github.ts';
import { openIdProvider } from './openid-provider.ts';
import {
  type IdentityProvider,
  newSecrets,
  type ProviderDeps,
  UpstreamFailure,
  type UpstreamFault,
} from './provider.ts';

export type UpstreamDeps = ExternalSignInDeps & ProviderDeps & Pick<PendingLinkDeps, 'users'>;

type Providers = { readonly openId: IdentityProvider; readonly github: IdentityProvider };

/** One for each server, because it caches metadata. */
const known = new WeakMap<ProviderDeps['upstreamFetch'], Providers>();
export function providerOf(deps: UpstreamDeps, { preset }: Upstream): IdentityProvider {
  const providers = known.get(deps.upstreamFetch) ?? { openId: openIdProvider(deps), github: githubProvider(deps) };
  known.set(deps.upstreamFetch, providers);
  return preset === 'github' ? providers.github : providers.openId;
}

export const upstreamNamed = (deps: Pick<UpstreamDeps, 'configuration'>, name: string | null): Upstream | null =>
  deps.configuration().upstreams.find((one) => one.name === name) ?? null;

export const redirectUri = (issuer: string, { name }: Upstream): string =>
  urlUnder(issuer, `/sign-in/upstream/${name}/callback`);

/** The reason why the browser gets a page instead. `code`: for the log. */
export type UpstreamRefusal = {
  readonly kind: 'refused';
  readonly reason:
    | ExternalSignInRejectReason
    | UpstreamFault
    | 'upstream_unknown'
    /** An account here has the verified address, and the identity is not linked to it. */
    | 'address_known'
    | 'upstream_refused'
    | 'external_sign_in_unknown'
    | 'sign_in_too_old'
    | 'throttled';
  readonly code: string | null;
  readonly provider: string | null;
  readonly askedBy: AskedBy;
  readonly purpose: ExternalSignIn['purpose'];
  readonly retryAfterSeconds: number | null;
  /** Of `address_known`: the cookie with the identity, which a sign-in to the account links. */
  readonly pendingLink?: { readonly sealed: string; readonly endsAt: Date };
};

export const refusal = (
  reason: UpstreamRefusal['reason'],
  signIn: ExternalSignIn | null,
  more: Partial<UpstreamRefusal> = {},
): UpstreamRefusal => ({
  kind: 'refused',
  reason,
  code: null,
  provider: signIn?.provider ?? null,
  askedBy: signIn && askedBy(signIn),
  purpose: signIn?.purpose ?? 'signIn',
  retryAfterSeconds: null,
  ...more,
});

/** A session lives this long from the sign-in at the provider, so it would have ended with an older sign-in. */
export const maxAgeOf = (deps: UpstreamDeps, { authTime }: Upstream, wished: number | null): number | null =>
  authTime === 'optional'
    ? wished
    : Math.min(wished ?? Number.POSITIVE_INFINITY, deps.configuration().signIn.sessionLifetimeSeconds);

/** @returns the URL of the redirect. @throws StoreUnavailable */
export async function beginUpstreamSignIn(
  deps: UpstreamDeps,
  name: string | null,
  beginning: Beginning,
): Promise<{ readonly kind: 'leaves'; readonly url: URL } | UpstreamRefusal> {
  const upstream = upstreamNamed(deps, name);
  const { interaction, linkTo } = beginning;
  const about = {
    provider: name,
    askedBy: interaction,
    purpose: linkTo === null ? ('signIn' as const) : ('link' as const),
  };
  if (upstream === null) return refusal('upstream_unknown', null, about);
  const provider = providerOf(deps, upstream);
  try {
    const secrets = await newSecrets();
    const requested = requestedOf(beginning);
    const maxAgeSeconds = maxAgeOf(deps, upstream, requested.maxAgeSeconds);
    const address = { redirectUri: redirectUri(deps.issuer, upstream), secrets, requested, maxAgeSeconds };
    // The server stores nothing for an unreachable provider.
    await provider.authorizationUrl(upstream, { ...address, state: '' });
    const lifetimeSeconds = deps.configuration().signIn.interactionLifetimeSeconds;
    const place = { kind: 'upstream' as const, provider: upstream.name, lifetimeSeconds, secrets };
    const begun = await beginExternalSignIn(deps, place, beginning);
    if (begun.kind === 'throttled') {
      return refusal('throttled', null, { ...about, retryAfterSeconds: begun.retryAfterSeconds });
    }
    return { kind: 'leaves', url: await provider.authorizationUrl(upstream, { ...address, state: begun.reference }) };
  } catch (error) {
    return failed(error, null, about);
  }
}

/** @throws every other error. */
export function failed(
  error: unknown,
  signIn: ExternalSignIn | null,
  about: Partial<UpstreamRefusal> = {},
): UpstreamRefusal {
  if (!(error instanceof UpstreamFailure)) throw error;
  return refusal(error.fault, signIn, { ...about, code: error.code });
}

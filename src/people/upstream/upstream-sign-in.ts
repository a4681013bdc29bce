/**
 * Federated sign-in: the authorization request to another OpenID Provider, and the effect of its response on this
 * browser. The machine accepts each response once, before the exchange of its code. One statement stores end-user,
 * identity and sign-in.
 */
import type { Admission, ExternalSignInRejectReason } from '../../../machines/external-sign-in/facts.ts';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import { sameSecretBytes } from '../../crypto/digest.ts';
import type { ExternalSignIn } from '../../lifecycles/external-sign-in/entity.ts';
import { type Brought, bringToExternalSignIn, type SoughtUser } from '../../lifecycles/external-sign-in/lifecycle.ts';
import type { Claims } from '../../model/user.ts';
import { urlUnder } from '../../oauth/urls.ts';
import { findSession } from '../../protocol/browser-session.ts';
import { type Beginning, beginExternalSignIn, referenceHash, requestedOf, secretsOf } from '../external/begin.ts';
import type { ExternalSignInDeps } from '../external/deps.ts';
import { type AskedBy, askedBy, type Finished, finish, type Returning } from '../external/finish.ts';
import { claimsOf, usernamesFor } from '../external/just-in-time-user.ts';
import { ownerOfAddress, type PendingLinkDeps, sealPendingLink } from '../external/pending-link.ts';
import { admits, isRecentEnough, methodsOf, registers } from './admission.ts';
import { githubProvider } from './github.ts';
import { openIdProvider } from './openid-provider.ts';
import {
  type IdentityProvider,
  newSecrets,
  type ProviderDeps,
  type Redeemed,
  UpstreamFailure,
  type UpstreamFault,
} from './provider.ts';

export type UpstreamDeps = ExternalSignInDeps & ProviderDeps & Pick<PendingLinkDeps, 'users'>;

type Providers = { readonly openId: IdentityProvider; readonly github: IdentityProvider };

/** One for each server, because it caches metadata. */
const known = new WeakMap<ProviderDeps['upstreamFetch'], Providers>();
function providerOf(deps: UpstreamDeps, { preset }: Upstream): IdentityProvider {
  const providers = known.get(deps.upstreamFetch) ?? { openId: openIdProvider(deps), github: githubProvider(deps) };
  known.set(deps.upstreamFetch, providers);
  return preset === 'github' ? providers.github : providers.openId;
}

export const upstreamNamed = (deps: Pick<UpstreamDeps, 'configuration'>, name: string | null): Upstream | null =>
  deps.configuration().upstreams.find((one) => one.name === name) ?? null;

const redirectUri = (issuer: string, { name }: Upstream): string =>
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

const refusal = (
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
const maxAgeOf = (deps: UpstreamDeps, { authTime }: Upstream, wished: number | null): number | null =>
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

function failed(error: unknown, signIn: ExternalSignIn | null, about: Partial<UpstreamRefusal> = {}): UpstreamRefusal {
  if (!(error instanceof UpstreamFailure)) throw error;
  return refusal(error.fault, signIn, { ...about, code: error.code });
}

/** A parameter that was sent exactly once. Null: not sent, or repeated. */
const only = (query: URLSearchParams, name: string): string | null => {
  const [value = null, ...more] = query.getAll(name);
  return more.length > 0 ? null : value;
};

export type CallbackOutcome = Finished | UpstreamRefusal;

/** @param query of the callback, as sent. @throws StoreUnavailable, Unavailable */
export async function finishUpstreamSignIn(
  deps: UpstreamDeps,
  name: string,
  query: URLSearchParams,
  returning: Returning,
): Promise<CallbackOutcome> {
  const state = only(query, 'state');
  const hash = state === null ? null : referenceHash(state);
  const found = hash === null ? null : await deps.externalSignIns.find(hash);
  if (state === null || hash === null || found === null) return refusal('external_sign_in_unknown', null);
  const { signIn } = found;
  const upstream = upstreamNamed(deps, name);
  if (signIn.kind !== 'upstream' || signIn.provider !== name) return refusal('external_sign_in_unknown', null);
  const isHere = returning.browser !== null && sameSecretBytes(returning.browser, signIn.browserHash);
  // Another browser does not learn which client asked.
  const refuse = (reason: UpstreamRefusal['reason'], code: string | null = null) =>
    refusal(reason, signIn, { code, ...(!isHere && { askedBy: null }) });
  if (upstream === null) return refuse('upstream_unknown');
  const secrets = secretsOf(deps.keys, signIn);
  if (secrets === null) return refuse('external_sign_in_unknown');
  const provider = providerOf(deps, upstream);
  const repeated = [...new Set(query.keys())].some((key) => query.getAll(key).length > 1);
  const error = only(query, 'error');
  if (repeated || (error === null && only(query, 'code') === null)) {
    return refuse('upstream_answer_invalid', 'RESPONSE_MALFORMED');
  }
  try {
    // A response of another provider does not belong to this sign-in, and must not use it up.
    if (!(await provider.isFrom(upstream, only(query, 'iss')))) {
      return refuse('upstream_answer_invalid', 'ISSUER_MISMATCH');
    }
    const bring = (sought: SoughtUser, brought: Partial<Brought> & Pick<Brought, 'type'>) =>
      bringToExternalSignIn(deps, hash, sought, {
        browser: returning.browser,
        actor: { kind: 'upstream', id: name, addressHash: null },
        ids: { user: deps.random.uuid(), identity: deps.random.uuid() },
        sameBytes: sameSecretBytes,
        ...brought,
      });
    const noUserYet: SoughtUser = { by: 'signIn', identity: null };

    if (error !== null) {
      const said = /^[a-z_]{1,60}$/.test(error) ? error : 'unreadable';
      const taken = await bring(noUserYet, { type: 'refusalReceived', refusal: said, isWithoutUser: true });
      if (taken?.kind === 'rejected') return refuse(taken.reason);
      const reason = said === 'access_denied' ? 'external_sign_in_denied' : 'upstream_refused';
      return refuse(reason, said);
    }

    // From here on the response is spent, whatever its result: a second callback never reaches the provider.
    const taken = await bring(noUserYet, { type: 'answerReceived', isWithoutUser: true });
    if (taken === null) return refusal('external_sign_in_unknown', null);
    if (taken.kind === 'rejected') return refuse(taken.reason);

    const callback = new URL(redirectUri(deps.issuer, upstream));
    callback.search = query.toString();
    const maxAgeSeconds = maxAgeOf(deps, upstream, signIn.requested.maxAgeSeconds);
    const redeemed = await provider.redeem(upstream, {
      callback,
      state,
      secrets,
      maxAgeSeconds: upstream.authTime === 'required' ? maxAgeSeconds : null,
    });
    const admission = admissionOf(deps, upstream, signIn, redeemed);
    const session = signIn.purpose === 'link' ? await findSession(deps, returning.cookie.old) : null;
    const identity = { issuer: upstream.issuer, subject: redeemed.subject };
    const mayLink = signIn.purpose === 'signIn' && upstream.linkByAddress;
    const owner = mayLink ? await ownerOfAddress(deps, redeemed.claims) : null;
    const isToRegister = owner === null && registers(upstream, redeemed.claims);
    const outcome = await bring(signIn.purpose === 'link' ? { by: 'signIn', identity } : { by: 'identity', identity }, {
      type: 'browserReturned',
      admission,
      sessionUserId: session?.userId ?? null,
      identity: { ...identity, provider: name },
      theirs: {
        amr: methodsOf(upstream, redeemed),
        authenticatedAt: redeemed.authTime === null ? deps.now() : new Date(redeemed.authTime * 1000),
      },
      justInTimeUser: isToRegister ? await justInTimeUserFrom(deps, upstream, redeemed.claims) : null,
    });
    if (outcome === null) return refusal('external_sign_in_unknown', null);
    if (outcome.kind === 'rejected') {
      if (outcome.reason === 'nobody_linked' && owner !== null) {
        const pending = { ...identity, provider: name, userId: owner, endsAt: signIn.endsAt.getTime() };
        const sealed = sealPendingLink(deps, signIn.browserHash, pending);
        return refusal('address_known', signIn, { pendingLink: { sealed, endsAt: signIn.endsAt } });
      }
      return refuse(outcome.reason === 'not_admitted' && admission !== 'admitted' ? admission : outcome.reason);
    }
    return (await finish(deps, outcome, returning, redeemed.authTime !== null)) ?? refuse('user_ended');
  } catch (error) {
    return failed(error, isHere ? signIn : null);
  }
}

function admissionOf(
  deps: UpstreamDeps,
  upstream: Upstream,
  signIn: ExternalSignIn,
  { claims, authTime }: Redeemed,
): Admission {
  if (!admits(upstream, claims)) return 'not_admitted';
  if (upstream.authTime === 'required' && authTime === null) return 'sign_in_too_old';
  return isRecentEnough(signIn, authTime, deps.now()) ? 'admitted' : 'sign_in_too_old';
}

async function justInTimeUserFrom(deps: UpstreamDeps, { claims, usernameClaim }: Upstream, told: Claims) {
  const acceptable = await deps.acceptable();
  const own = claimsOf(acceptable, claims, told);
  const usernames = usernamesFor(deps, acceptable, [told[usernameClaim], told['email'], told['name']], own);
  return { usernames, claims: own };
}

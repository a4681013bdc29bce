/**
 * The response of another OpenID Provider, and its effect on this browser. The machine accepts each response once, before
 * the exchange of its code. One statement stores end-user, identity and sign-in.
 */
import type { Admission } from '../../../machines/external-sign-in/facts.ts';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import { sameSecretBytes } from '../../crypto/digest.ts';
import type { ExternalSignIn } from '../../lifecycles/external-sign-in/entity.ts';
import { type Brought, bringToExternalSignIn, type SoughtUser } from '../../lifecycles/external-sign-in/lifecycle.ts';
import type { Claims } from '../../model/user.ts';
import { findSession } from '../../protocol/browser-session.ts';
import { referenceHash, secretsOf } from '../external/begin.ts';
import { type Finished, finish, type Returning } from '../external/finish.ts';
import { claimsOf, usernamesFor } from '../external/just-in-time-user.ts';
import { ownerOfAddress, sealPendingLink } from '../external/pending-link.ts';
import { admits, isRecentEnough, methodsOf, registers } from './admission.ts';
import type { Redeemed } from './provider.ts';
import {
  failed,
  maxAgeOf,
  providerOf,
  redirectUri,
  refusal,
  type UpstreamDeps,
  type UpstreamRefusal,
  upstreamNamed,
} from './upstream-sign-in.ts';

export type CallbackOutcome = Finished | UpstreamRefusal;

/** @param query of the callback, as sent. @throws StoreUnavailable, Unavailable */
export async function finishUpstreamSignIn(
  deps: UpstreamDeps,
  name: string,
  query: URLSearchParams,
  returning: Returning,
): Promise<CallbackOutcome> {
  const callback = await readCallback(deps, name, query, returning);
  if (callback.kind === 'refused') return callback;
  const { upstream, provider, error, refuse } = callback;
  try {
    // A response of another provider does not belong to this sign-in, and must not use it up.
    if (!(await provider.isFrom(upstream, only(query, 'iss')))) {
      return refuse('upstream_answer_invalid', 'ISSUER_MISMATCH');
    }
    return error === null ? await takeAnswer(deps, callback) : await takeError(callback, error);
  } catch (failure) {
    return failed(failure, callback.isHere ? callback.signIn : null);
  }
}

type Callback = Exclude<Awaited<ReturnType<typeof readCallback>>, UpstreamRefusal>;

/** The sign-in that the response names, and what the response says. */
async function readCallback(deps: UpstreamDeps, name: string, query: URLSearchParams, returning: Returning) {
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
  const repeated = [...new Set(query.keys())].some((key) => query.getAll(key).length > 1);
  const error = only(query, 'error');
  if (repeated || (error === null && only(query, 'code') === null)) {
    return refuse('upstream_answer_invalid', 'RESPONSE_MALFORMED');
  }
  const bring = (sought: SoughtUser, brought: Partial<Brought> & Pick<Brought, 'type'>) =>
    bringToExternalSignIn(deps, hash, sought, {
      browser: returning.browser,
      actor: { kind: 'upstream', id: name, addressHash: null },
      ids: { user: deps.random.uuid(), identity: deps.random.uuid() },
      sameBytes: sameSecretBytes,
      ...brought,
    });
  const provider = providerOf(deps, upstream);
  return {
    kind: 'read',
    state,
    query,
    signIn,
    upstream,
    provider,
    secrets,
    error,
    returning,
    isHere,
    refuse,
    bring,
  } as const;
}

/** A parameter that was sent exactly once. Null: not sent, or repeated. */
const only = (query: URLSearchParams, name: string): string | null => {
  const [value = null, ...more] = query.getAll(name);
  return more.length > 0 ? null : value;
};

const NO_USER_YET: SoughtUser = { by: 'signIn', identity: null };

async function takeError({ bring, refuse }: Callback, error: string): Promise<CallbackOutcome> {
  const said = /^[a-z_]{1,60}$/.test(error) ? error : 'unreadable';
  const taken = await bring(NO_USER_YET, { type: 'refusalReceived', refusal: said, isWithoutUser: true });
  if (taken?.kind === 'rejected') return refuse(taken.reason);
  return refuse(said === 'access_denied' ? 'external_sign_in_denied' : 'upstream_refused', said);
}

async function takeAnswer(deps: UpstreamDeps, callback: Callback): Promise<CallbackOutcome> {
  const { signIn, upstream, returning, refuse, bring } = callback;
  // From here on the response is spent, whatever its result: a second callback never reaches the provider.
  const taken = await bring(NO_USER_YET, { type: 'answerReceived', isWithoutUser: true });
  if (taken === null) return refusal('external_sign_in_unknown', null);
  if (taken.kind === 'rejected') return refuse(taken.reason);

  const redeemed = await redeem(deps, callback);
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
    identity: { ...identity, provider: upstream.name },
    theirs: {
      amr: methodsOf(upstream, redeemed),
      authenticatedAt: redeemed.authTime === null ? deps.now() : new Date(redeemed.authTime * 1000),
    },
    justInTimeUser: isToRegister ? await justInTimeUserFrom(deps, upstream, redeemed.claims) : null,
  });
  if (outcome === null) return refusal('external_sign_in_unknown', null);
  if (outcome.kind !== 'rejected')
    return (await finish(deps, outcome, returning, redeemed.authTime !== null)) ?? refuse('user_ended');
  if (outcome.reason === 'nobody_linked' && owner !== null) {
    const pending = { ...identity, provider: upstream.name, userId: owner, endsAt: signIn.endsAt.getTime() };
    const sealed = sealPendingLink(deps, signIn.browserHash, pending);
    return refusal('address_known', signIn, { pendingLink: { sealed, endsAt: signIn.endsAt } });
  }
  return refuse(outcome.reason === 'not_admitted' && admission !== 'admitted' ? admission : outcome.reason);
}

/** @throws UpstreamFailure */
function redeem(
  deps: UpstreamDeps,
  { signIn, upstream, provider, query, state, secrets }: Callback,
): Promise<Redeemed> {
  const callback = new URL(redirectUri(deps.issuer, upstream));
  callback.search = query.toString();
  const maxAgeSeconds =
    upstream.authTime === 'required' ? maxAgeOf(deps, upstream, signIn.requested.maxAgeSeconds) : null;
  return provider.redeem(upstream, { callback, state, secrets, maxAgeSeconds });
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

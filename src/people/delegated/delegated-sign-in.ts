/**
 * Delegated sign-in: the server sends the browser to the team's own application with a reference. The application
 * reports the signed-in user to the management API, and the browser returns. The reference alone grants nothing: an
 * answer needs an authorized client, and the return needs the browser that began.
 */
import type { ExternalSignInRejectReason } from '../../../machines/external-sign-in/facts.ts';
import type { DelegatedSignIn } from '../../../policies/upstreams-schema.ts';
import { sameSecretBytes } from '../../crypto/digest.ts';
import type { ExternalSignIn } from '../../lifecycles/external-sign-in/entity.ts';
import {
  bringToExternalSignIn,
  type ExternalSignInOutcome,
  type SoughtUser,
} from '../../lifecycles/external-sign-in/lifecycle.ts';
import type { Actor } from '../../model/actor.ts';
import type { Claims } from '../../model/user.ts';
import { urlUnder } from '../../oauth/urls.ts';
import { isVisible } from '../../oauth/username.ts';
import { type Beginning, beginExternalSignIn, referenceHash } from '../external/begin.ts';
import type { ExternalSignInDeps } from '../external/deps.ts';
import { type AskedBy, askedBy, type Finished, finish, type Returning } from '../external/finish.ts';
import { isReserved } from '../external/just-in-time-user.ts';
import { isRecentEnough } from '../upstream/admission.ts';

export const DELEGATED = 'delegated';

export type DelegatedRefusal = {
  readonly kind: 'refused';
  readonly reason: ExternalSignInRejectReason | 'external_sign_in_unknown' | 'delegated_sign_in_off' | 'throttled';
  readonly askedBy: AskedBy;
  readonly retryAfterSeconds: number | null;
};

const refusal = (
  reason: DelegatedRefusal['reason'],
  asked: AskedBy = null,
  retryAfterSeconds: number | null = null,
): DelegatedRefusal => ({ kind: 'refused', reason, askedBy: asked, retryAfterSeconds });

/** The URL to which the browser returns. */
export const returnAddress = (issuer: string, reference: string): string =>
  urlUnder(issuer, `/sign-in/delegated/${reference}`);

/** @returns the URL of the redirect. @throws StoreUnavailable */
export async function beginDelegatedSignIn(
  deps: ExternalSignInDeps,
  beginning: Beginning,
): Promise<{ readonly kind: 'leaves'; readonly url: URL } | DelegatedRefusal> {
  const policy = deps.configuration().delegatedSignIn;
  if (policy === null) return refusal('delegated_sign_in_off', beginning.interaction);
  const place = {
    kind: DELEGATED,
    provider: DELEGATED,
    lifetimeSeconds: policy.lifetimeSeconds,
    secrets: null,
  } as const;
  const begun = await beginExternalSignIn(deps, place, beginning);
  if (begun.kind === 'throttled') return refusal('throttled', beginning.interaction, begun.retryAfterSeconds);
  const url = new URL(policy.url);
  url.searchParams.set('reference', begun.reference);
  return { kind: 'leaves', url };
}

/** The browser has returned. @throws StoreUnavailable, Unavailable */
export async function finishDelegatedSignIn(
  deps: ExternalSignInDeps,
  reference: string,
  returning: Returning,
): Promise<Finished | DelegatedRefusal> {
  const hash = referenceHash(reference);
  const found = hash && (await deps.externalSignIns.find(hash));
  if (hash === null || found === null || found.signIn.kind !== DELEGATED) return refusal('external_sign_in_unknown');
  const { signIn } = found;
  const outcome = await bringToExternalSignIn(
    deps,
    hash,
    { by: 'signIn', identity: null },
    {
      type: 'browserReturned',
      browser: returning.browser,
      admission: deps.configuration().delegatedSignIn === null ? 'not_admitted' : 'admitted',
      actor: { kind: 'server', id: null, addressHash: null },
      ids: { user: '', identity: '' },
      sameBytes: sameSecretBytes,
    },
  );
  if (outcome === null) return refusal('external_sign_in_unknown');
  // Another browser than the one that began learns only that it is another.
  const isAnother = outcome.kind === 'rejected' && outcome.reason === 'another_browser';
  if (outcome.kind === 'rejected') return refusal(outcome.reason, isAnother ? null : askedBy(signIn));
  return (await finish(deps, outcome, returning)) ?? refusal('user_ended', askedBy(signIn));
}

// The application's side.

/** @returns null: the delegated sign-in was not found. @throws StoreUnavailable */
export async function findDelegatedSignIn(
  { externalSignIns }: Pick<ExternalSignInDeps, 'externalSignIns'>,
  reference: string,
): Promise<{ readonly now: Date; readonly signIn: ExternalSignIn } | null> {
  const hash = referenceHash(reference);
  const found = hash && (await externalSignIns.find(hash));
  return found?.signIn.kind === DELEGATED ? found : null;
}

export type DelegatedAnswer =
  | {
      readonly kind: 'signedIn';
      readonly who: { readonly sub: string } | { readonly username: string; readonly claims: Claims };
      readonly amr: readonly string[];
      /** Seconds since 1970. */
      readonly authTime: number;
    }
  | { readonly kind: 'denied'; readonly reason: string };

export type DelegatedAnswered =
  | ExternalSignInOutcome
  | { readonly kind: 'unknown' }
  | { readonly kind: 'inFuture' }
  | { readonly kind: 'tooOld' }
  | { readonly kind: 'usernameIsReserved' };

const FUTURE_TOLERANCE_SECONDS = 60;

/** @param newUserId the id for an end-user that the policy registers. @throws StoreUnavailable, Unavailable */
export async function answerDelegatedSignIn(
  deps: Pick<ExternalSignInDeps, 'externalSignIns' | 'configuration' | 'sleep'>,
  {
    reference,
    answer,
    actor,
    newUserId,
  }: {
    readonly reference: string;
    readonly answer: DelegatedAnswer;
    readonly actor: Actor;
    readonly newUserId: string;
  },
): Promise<DelegatedAnswered> {
  const hash = referenceHash(reference);
  const found = await findDelegatedSignIn(deps, reference);
  const policy = deps.configuration().delegatedSignIn;
  if (hash === null || found === null || policy === null) return { kind: 'unknown' };
  const shared = {
    browser: 'none',
    actor,
    ids: { user: newUserId, identity: '' },
    sameBytes: sameSecretBytes,
  } as const;
  const bring = (sought: SoughtUser, more: Omit<Parameters<typeof bringToExternalSignIn>[3], keyof typeof shared>) =>
    bringToExternalSignIn(deps, hash, sought, { ...shared, ...more });
  if (answer.kind === 'denied') {
    const sought: SoughtUser = { by: 'signIn', identity: null };
    const refused = await bring(sought, { type: 'refusalReceived', refusal: answer.reason, isWithoutUser: true });
    return refused ?? { kind: 'unknown' };
  }
  const { now, signIn } = found;
  const { who, amr, authTime } = answer;
  if (authTime * 1000 > now.getTime() + FUTURE_TOLERANCE_SECONDS * 1000) return { kind: 'inFuture' };
  if (!isRecentEnough(signIn, authTime, now)) return { kind: 'tooOld' };
  const justInTimeUser = justInTimeUserIn(policy, who);
  if (justInTimeUser && isReserved(deps.configuration(), justInTimeUser.usernames[0])) {
    // An existing end-user with this name may sign in, but no new user gets the name.
    const known = await bring(soughtIn(who), { type: 'answerReceived', theirs: theirs(amr, authTime) });
    return known?.kind === 'rejected' && known.reason === 'nobody_linked'
      ? { kind: 'usernameIsReserved' }
      : (known ?? { kind: 'unknown' });
  }
  return (
    (await bring(soughtIn(who), { type: 'answerReceived', theirs: theirs(amr, authTime), justInTimeUser })) ?? {
      kind: 'unknown',
    }
  );
}

const theirs = (amr: readonly string[], authTime: number) => ({ amr, authenticatedAt: new Date(authTime * 1000) });

type Who = Extract<DelegatedAnswer, { kind: 'signedIn' }>['who'];
const soughtIn = (who: Who): SoughtUser =>
  'sub' in who ? { by: 'sub', sub: who.sub } : { by: 'username', username: who.username };
const justInTimeUserIn = ({ createUsers }: DelegatedSignIn, who: Who) =>
  createUsers && 'username' in who && isVisible(who.username)
    ? { usernames: [who.username] as const, claims: who.claims }
    : null;

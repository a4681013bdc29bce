/** Another place to sign in: the browser goes there, comes back with an answer, and signs in or links the account there. */

import type { Commit } from '../../../engine/commit.ts';
import {
  type Brought,
  type ExternalSignInOutcome,
  externalSignInRequest,
  type LoadedExternalSignIn,
} from '../../../lifecycles/external-sign-in.ts';
import { identityRemovalRequest } from '../../../lifecycles/linked-identity.ts';
import { EXTERNAL_SIGN_INS, LINKED_IDENTITIES } from '../../../lifecycles/tables.ts';
import type { ExternalSignIn } from '../../../model/external-sign-in.ts';
import { sameBytes } from '../../../model/grant.ts';
import { BY_PASSWORD } from '../../../oauth/authentication-methods.ts';
import { changeOf } from '../../proof/carry-out.ts';
import { isOvertaken } from '../../proof/external-sign-ins/store.ts';
import type { Actor } from '../scenario.ts';
import { enter, isSession } from './enter.ts';
import { signIn, useCookie } from './sessions.ts';
import {
  afterOf,
  bytesOf,
  DONE,
  decided,
  gives,
  idOf,
  type PersonalAnswer,
  type PersonalThing,
  put,
  refused,
  type World,
} from './world.ts';

const ISSUER = 'https://login.example';
const PROVIDER = 'company';
const LIFETIME_MILLISECONDS = 1_800_000;

type Answered = Extract<PersonalThing, { kind: 'answer' | 'link' }>;

/** The browser is sent there, somebody signs in there, and the answer is in the address to which the browser is sent back. */
export function goElsewhere(world: World, actor: Actor, purpose: ExternalSignIn['purpose']): PersonalAnswer {
  const session = purpose === 'link' ? enter(world, actor, true) : null;
  if (session && !isSession(session)) return session;
  const serial = world.draw();
  const now = world.now();
  const begun: ExternalSignIn = {
    id: idOf(serial),
    referenceHash: bytesOf(serial),
    kind: 'upstream',
    purpose,
    provider: PROVIDER,
    browserHash: world.browserOf(actor).hash,
    interactionId: null,
    sealedInteraction: null,
    wishes: {
      clientId: null,
      scope: [],
      loginHint: null,
      prompt: [],
      maxAgeSeconds: null,
      acrValues: [],
      requiredClass: null,
      uiLocales: [],
      destination: null,
    },
    sealedSecrets: null,
    state: 'awaiting',
    userId: session?.userId ?? null,
    amr: null,
    authenticatedAt: null,
    refusal: null,
    beganAt: now,
    endsAt: new Date(now.getTime() + LIFETIME_MILLISECONDS),
  };
  world.rows = { ...world.rows, externalSignIns: [...world.rows.externalSignIns, begun] };
  const kind = purpose === 'link' ? 'link' : 'answer';
  return gives({ kind, id: begun.id, subject: `${actor.name} there` });
}

/** It comes back in some browser. First the response is taken, once; then what it says is used. */
export function comeBack(world: World, actor: Actor, { id, subject, kind }: Answered): PersonalAnswer {
  const browser = world.browserOf(actor);
  const begun = world.rows.externalSignIns.find((signIn) => signIn.id === id);
  const bring = (brought: Pick<Brought, 'type'> & Partial<Brought>): ExternalSignInOutcome =>
    decided(
      world,
      externalSignInRequest({
        browser: browser.hash,
        ids: { user: '', identity: idOf(world.draw()) },
        sameBytes,
        actor: { kind: 'upstream', id: PROVIDER, addressHash: null },
        ...brought,
      }),
      () => load(world, id, brought.identity?.subject ?? null),
      (commit) => store(world, commit),
    );
  const taken = bring({ type: 'answerReceived', namesNobody: true });
  if (taken.kind === 'rejected') return refused(taken.reason);
  const used = kind === 'link' ? useCookie(world, actor) : null;
  const done = bring({
    type: 'browserReturned',
    // A link is for who began it, and is still signed in.
    isAdmitted: used === null || (used.kind === 'admitted' && used.session.userId === begun?.userId),
    identity: { issuer: ISSUER, subject, provider: PROVIDER },
    theirs: { amr: BY_PASSWORD, authenticatedAt: world.now() },
  });
  if (done.kind === 'rejected') return refused(done.reason);
  return kind === 'link' ? DONE : signIn(world, actor, { amr: BY_PASSWORD });
}

/** @param subject of the account there; null: the answer names nobody yet. */
function load(world: World, id: string, subject: string | null): LoadedExternalSignIn {
  const { externalSignIns, identities, user, serverEpoch } = world.rows;
  const signIn = externalSignIns.find((begun) => begun.id === id);
  if (!signIn) throw new Error(`There is no sign-in ${id}.`);
  const identity = identities.find((linked) => linked.subject === subject && linked.state === 'active') ?? null;
  const userId = signIn.purpose === 'link' || subject === null ? signIn.userId : identity?.userId;
  return {
    now: world.now(),
    signIn,
    isOvertaken: isOvertaken({ signIns: externalSignIns }, signIn),
    user: userId === user.id ? user : null,
    identity,
    freeUsernames: [],
    serverEpoch,
  };
}

function store(world: World, commit: Commit): boolean {
  const { externalSignIns, identities } = world.rows;
  const linked = changeOf(commit, LINKED_IDENTITIES);
  world.rows = {
    ...world.rows,
    externalSignIns: put(externalSignIns, afterOf(commit, EXTERNAL_SIGN_INS)),
    identities: linked ? [...identities, linked.after] : identities,
  };
  return true;
}

/** @param link by which the account there was linked. */
export function removeIdentity(world: World, actor: Actor, { subject }: Answered): PersonalAnswer {
  const session = enter(world, actor, true);
  if (!isSession(session)) return session;
  const find = () => world.rows.identities.findLast((linked) => linked.subject === subject) ?? null;
  const answer = decided(
    world,
    identityRemovalRequest('removalRequested'),
    // The resource owner of a scenario always has a password.
    () => ({ now: world.now(), identity: find(), hasAnotherWay: true }),
    (commit) => {
      world.rows = { ...world.rows, identities: put(world.rows.identities, afterOf(commit, LINKED_IDENTITIES)) };
      return true;
    },
  );
  return answer.kind === 'rejected' ? refused(answer.reason) : DONE;
}

/** From the authorization request to the approval, in one browser. */

import type { InteractionEvent } from '../../../../machines/vocabulary.ts';
import {
  type InteractionCommit,
  type InteractionOutcome,
  type InteractionWays,
  interactionRequest,
} from '../../../lifecycles/interaction.ts';
import type { Interaction } from '../../../model/interaction.ts';
import { sessionEndsAt, sessionIdleEndsAt } from '../../../model/session.ts';
import { authenticationClassOf, classNamed, levelOf } from '../../../oauth/authentication-methods.ts';
import { CHALLENGE } from '../../proof/authorizations/beginning.ts';
import type { StoredGrant } from '../../proof/authorizations/store.ts';
import { loadInteraction } from '../../proof/sign-ins/store.ts';
import type { Actor, Approving } from '../scenario.ts';
import { presentPassword } from './password.ts';
import { commitRows, signInRows, useCookie } from './sessions.ts';
import { decided, idOf, type PersonalAnswer, refused, type World } from './world.ts';

const INTERACTION_MILLISECONDS = 1_800_000;

const waysOf = ({ lifetimes, signIn }: World): InteractionWays => ({
  makeCode: (grantId) => ({ code: `code of ${grantId}`, secretHash: new Uint8Array(32) }),
  remakeCode: (grantId) => `code of ${grantId}`,
  lifetimesOf: () => lifetimes,
  sessionEndsAt: (session) => Math.min(sessionEndsAt(session, signIn), sessionIdleEndsAt(session, signIn)),
  isStillRegistered: () => true,
  grantableBy: (_, { scope }) => scope,
  levelOf: ({ amr }) => levelOf(authenticationClassOf(amr)),
  requiredLevelOf: ({ requiredClass }) => levelOf(requiredClass),
});

type Access = Pick<Interaction, 'scope' | 'resources' | 'requiredClass'>;

/** The client sends this browser, with a request for so much. */
function begin(world: World, actor: Actor, access: Access): void {
  const { interaction } = signInRows(world);
  const id = idOf(world.draw());
  const now = world.now();
  const endsAt = new Date(now.getTime() + INTERACTION_MILLISECONDS);
  const begun = { ...interaction, ...access, id, codeChallenge: CHALLENGE, createdAt: now, endsAt };
  world.browserOf(actor).interaction = { interaction: begun, isStored: false };
}

/** One step of the interaction in this browser, with the session that its cookie is good for. */
function step(world: World, actor: Actor, event: InteractionEvent['type']): InteractionOutcome {
  const browser = world.browserOf(actor);
  const used = useCookie(world, actor);
  const session = used.kind === 'admitted' ? used.session : null;
  const load = () => ({
    ...loadInteraction(signInRows(world, browser.interaction), session?.userId ?? null, world.now()),
    session,
    factorIsAwaited: used.kind === 'awaitsFactor',
  });
  const commit = (change: InteractionCommit): boolean => {
    const after = commitRows(world, change, browser.interaction);
    if (after !== null) browser.interaction = { interaction: after.interaction, isStored: true };
    return after !== null;
  };
  return decided(world, interactionRequest(waysOf(world), event, idOf(world.draw())), load, commit);
}

/** Up to the consent page. @param signsIn the person types the password, if that is asked for. @returns null: it is there. */
export function openConsent(world: World, actor: Actor, access: Access, signsIn: boolean): PersonalAnswer | null {
  begin(world, actor, access);
  const missing = toConsent(world, actor, signsIn);
  if (missing !== null) world.browserOf(actor).interaction = null;
  return missing;
}

function toConsent(world: World, actor: Actor, signsIn: boolean): PersonalAnswer | null {
  let outcome = step(world, actor, 'requested');
  if (outcome.kind === 'signIn' && signsIn) {
    const signedIn = presentPassword(world, actor, 'right');
    if (signedIn.kind === 'refused') return signedIn;
    outcome = step(world, actor, 'signedIn');
  }
  // What the page asks for then.
  if (outcome.kind === 'signIn') outcome = step(world, actor, 'viewed');
  if (outcome.kind === 'signIn') return refused('sign_in_required');
  if (outcome.kind === 'factor') return refused('factor_required');
  return outcome.kind === 'rejected' ? refused(outcome.reason) : null;
}

/** @returns the grant that the approval made. */
export function approve(
  world: World,
  actor: Actor,
  { scope, level }: Approving,
  { resources, signsIn }: { readonly resources: readonly string[]; readonly signsIn: boolean },
): StoredGrant | PersonalAnswer {
  const browser = world.browserOf(actor);
  if (browser.interaction === null) {
    const missing = openConsent(world, actor, { scope, resources, requiredClass: level && classNamed(level) }, signsIn);
    if (missing !== null) return missing;
  }
  const outcome = step(world, actor, 'consented');
  if (outcome.kind === 'rejected') return refused(outcome.reason);
  const id = browser.interaction?.interaction.id;
  const grant = world.rows.grants.find(({ interactionId }) => interactionId === id);
  if (!grant) throw new Error('An approval made no grant.');
  browser.interaction = null;
  return grant;
}

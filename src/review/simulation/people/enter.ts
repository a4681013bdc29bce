/** The account lets a browser in, or says why not. */
import { type Session, signedInRecently } from '../../../model/session.ts';
import type { Actor } from '../scenario.ts';
import { presentPassword } from './password.ts';
import { useCookie } from './sessions.ts';
import { type PersonalAnswer, refused, type World } from './world.ts';

/** Where the scenario does not name the browser of the resource owner, signing in is no step of its own. */
export const signsInAsAsked = ({ name, place }: Actor): boolean => name === 'resource owner' && place === null;

/** @param needsRecentSignIn as the section says. @returns the session; else the refusal. */
export function enter(world: World, actor: Actor, needsRecentSignIn: boolean): Session | PersonalAnswer {
  const entered = look(world, actor, needsRecentSignIn);
  if (isSession(entered) || !signsInAsAsked(actor)) return entered;
  const signedIn = presentPassword(world, actor, 'right');
  return signedIn.kind === 'refused' ? signedIn : look(world, actor, needsRecentSignIn);
}

function look(world: World, actor: Actor, needsRecentSignIn: boolean): Session | PersonalAnswer {
  const used = useCookie(world, actor);
  if (used.kind === 'none') return refused(used.reason);
  if (used.kind === 'awaitsFactor') return refused('second_factor_required');
  const isRecent = signedInRecently(used.session, world.signIn, world.now());
  return needsRecentSignIn && !isRecent ? refused('recent_sign_in_required') : used.session;
}

export const isSession = (entered: Session | PersonalAnswer): entered is Session => 'sid' in entered;

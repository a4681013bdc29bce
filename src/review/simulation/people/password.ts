/** A sign-in with the password. */
import { BY_PASSWORD } from '../../../oauth/authentication-methods.ts';
import type { Actor, Typed } from '../scenario.ts';
import { signIn } from './sessions.ts';
import { hashOfPassword, type PersonalAnswer, refused, type World } from './world.ts';

/** Whether what is typed is the password of the account. */
export function isPassword({ rows, passwordSerial }: World, typed: Typed): boolean {
  const serials = { right: passwordSerial, old: passwordSerial - 1, wrong: 0 };
  return rows.user.disabledAt === null && rows.user.passwordHash === hashOfPassword(serials[typed]);
}

export const presentPassword = (world: World, actor: Actor, typed: Typed): PersonalAnswer =>
  isPassword(world, typed) ? signIn(world, actor, { amr: BY_PASSWORD }) : refused('credentials_mismatch');

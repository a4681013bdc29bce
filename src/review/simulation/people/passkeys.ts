/** Passkeys: added, presented by each who has a copy, removed. */

import { type PasskeyAsked, passkeyRequest, unregistered } from '../../../lifecycles/passkey.ts';
import type { FactorAnswer } from '../../../lifecycles/second-factor.ts';
import { PASSKEYS } from '../../../lifecycles/tables.ts';
import type { Passkey } from '../../../model/factors.ts';
import { byPasskey } from '../../../oauth/authentication-methods.ts';
import type { Actor } from '../scenario.ts';
import { enter, isSession } from './enter.ts';
import { firstRecoveryCodes, removalBy, surroundingsOf, withoutFactorsNoCodes } from './factors.ts';
import { isByPasswordAlone, signIn, strengthen, useCookie } from './sessions.ts';
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

type Key = Extract<PersonalThing, { kind: 'passkey' }>;

/** Bound to one device, so that its signatures count as those of hardware. */
const AMR = byPasskey(false);
/** Of the signature that registers it. */
const FIRST_COUNTER = 1;

function askPasskey(world: World, id: string, asked: PasskeyAsked, fresh?: Passkey): FactorAnswer {
  const load = () => {
    const passkey = world.rows.passkeys.find((stored) => stored.id === id) ?? fresh;
    if (!passkey) throw new Error(`There is no passkey ${id}.`);
    // Everybody in these scenarios has a password, and fewer passkeys than there may be.
    return { now: world.now(), passkey, hasAnotherWay: true, isFull: false, ...surroundingsOf(world, id) };
  };
  return decided(world, passkeyRequest(asked), load, (commit) => {
    world.rows = { ...world.rows, passkeys: put(world.rows.passkeys, afterOf(commit, PASSKEYS)) };
    return true;
  });
}

export function addPasskey(world: World, actor: Actor): PersonalAnswer {
  const session = enter(world, actor, true);
  if (!isSession(session)) return session;
  const serial = world.draw();
  const id = idOf(serial);
  const made = unregistered(
    {
      id,
      userId: session.userId,
      name: 'Passkey',
      credentialId: bytesOf(serial),
      counter: FIRST_COUNTER,
      backupEligible: false,
      transports: [],
      publicKey: bytesOf(serial),
    },
    world.now(),
  );
  const answer = askPasskey(world, id, { type: 'registered', byPasswordAlone: isByPasswordAlone(session) }, made);
  if (answer.kind === 'rejected') return refused(answer.reason);
  strengthen(world, actor, session, { factor: { kind: 'passkey', id }, amr: AMR });
  firstRecoveryCodes(world);
  return gives({ kind: 'passkey', id, copies: new Map() });
}

/** Each copy counts its own signatures. */
export function presentPasskey(world: World, actor: Actor, { id, copies }: Key): PersonalAnswer {
  const counter = (copies.get(actor.name) ?? FIRST_COUNTER) + 1;
  copies.set(actor.name, counter);
  if (world.rows.passkeys.every((stored) => stored.id !== id)) return refused('passkey_unknown');
  const answer = askPasskey(world, id, { type: 'presented', counter });
  if (answer.kind === 'rejected') return refused(answer.reason);
  // After the password it is the second factor of that sign-in.
  const used = useCookie(world, actor);
  if (used.kind === 'awaitsFactor')
    return strengthen(world, actor, used.session, { factor: { kind: 'passkey', id }, amr: AMR });
  return signIn(world, actor, { amr: AMR });
}

export function removePasskey(world: World, actor: Actor, { id }: Key): PersonalAnswer {
  const session = enter(world, actor, true);
  if (!isSession(session)) return session;
  const answer = askPasskey(world, id, removalBy(world, session));
  if (answer.kind === 'rejected') return refused(answer.reason);
  withoutFactorsNoCodes(world);
  return DONE;
}

export function losePasskeys(world: World): void {
  for (const { id, state } of world.rows.passkeys) if (state === 'active') askPasskey(world, id, { type: 'lost' });
}

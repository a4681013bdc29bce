/** Authenticator apps and recovery codes: set up, read, presented, removed. */

import { recoveryCodeRequest } from '../../../lifecycles/recovery-code.ts';
import { type FactorAnswer, type SecondFactorAsked, secondFactorRequest } from '../../../lifecycles/second-factor.ts';
import { RECOVERY_CODES, SECOND_FACTORS } from '../../../lifecycles/tables.ts';
import type { FactorSurroundings, RecoveryCode, SecondFactor } from '../../../model/factors.ts';
import type { Session } from '../../../model/session.ts';
import { BY_CODE } from '../../../oauth/authentication-methods.ts';
import type { Actor } from '../scenario.ts';
import { enter, isSession } from './enter.ts';
import { isByPasswordAlone, strengthen, useCookie } from './sessions.ts';
import {
  afterOf,
  DONE,
  decided,
  demandsFactor,
  gives,
  idOf,
  type PersonalAnswer,
  type PersonalThing,
  put,
  refused,
  userEnded,
  type World,
} from './world.ts';

const STEP_MILLISECONDS = 30_000;
const HOW_MANY_CODES = 10;

const stepAt = (now: Date): number => Math.floor(now.getTime() / STEP_MILLISECONDS);

/** What is loaded with a factor of this id. */
export function surroundingsOf({ rows }: World, id: string): FactorSurroundings {
  const all = [...rows.apps, ...rows.passkeys];
  return { userEnded: userEnded(rows), hasAnother: all.some((other) => other.id !== id && other.state === 'active') };
}

function askApp(world: World, id: string, asked: SecondFactorAsked): FactorAnswer {
  const load = () => {
    const factor = world.rows.apps.find((app) => app.id === id);
    if (!factor) throw new Error(`There is no app ${id}.`);
    return { now: world.now(), factor, ...surroundingsOf(world, id) };
  };
  return decided(world, secondFactorRequest(asked), load, (commit) => {
    world.rows = { ...world.rows, apps: put(world.rows.apps, afterOf(commit, SECOND_FACTORS)) };
    return true;
  });
}

function askRecoveryCode(world: World, id: string, type: 'presented' | 'newCodesRequested'): FactorAnswer {
  const load = () => {
    const code = world.rows.recoveryCodes.find((stored) => stored.id === id);
    if (!code) throw new Error(`There is no recovery code ${id}.`);
    return { now: world.now(), code, userEnded: userEnded(world.rows) };
  };
  return decided(world, recoveryCodeRequest(type), load, (commit) => {
    world.rows = { ...world.rows, recoveryCodes: put(world.rows.recoveryCodes, afterOf(commit, RECOVERY_CODES)) };
    return true;
  });
}

/** With the first factor come recovery codes. @returns the id of the first; null: there are some. */
export function firstRecoveryCodes(world: World): string | null {
  if (world.rows.recoveryCodes.some(({ state }) => state === 'active')) return null;
  const userId = world.rows.user.id;
  const made = Array.from(
    { length: HOW_MANY_CODES },
    (): RecoveryCode => ({ id: idOf(world.draw()), userId, state: 'active', endedAt: null }),
  );
  world.rows = { ...world.rows, recoveryCodes: [...world.rows.recoveryCodes, ...made] };
  return made[0]?.id ?? null;
}

function replaceRecoveryCodes(world: World): void {
  for (const { id, state } of world.rows.recoveryCodes)
    if (state === 'active') askRecoveryCode(world, id, 'newCodesRequested');
}

/** Recovery codes stand in for a factor: without one they are worth nothing. */
export function withoutFactorsNoCodes(world: World): void {
  const { apps, passkeys } = world.rows;
  if ([...apps, ...passkeys].every(({ state }) => state !== 'active')) replaceRecoveryCodes(world);
}

/** In a browser that is signed in, or that awaits the factor which is set up. */
export function setUpApp(world: World, actor: Actor): PersonalAnswer {
  const used = useCookie(world, actor);
  const session = used.kind === 'awaitsFactor' ? used.session : enter(world, actor, true);
  if (!isSession(session)) return session;
  const id = idOf(world.draw());
  const now = world.now();
  const factor: SecondFactor = {
    id,
    userId: session.userId,
    state: 'unconfirmed',
    sealedSecret: 'its secret',
    lastStep: null,
    createdAt: now,
    confirmedAt: null,
    removedAt: null,
  };
  world.rows = { ...world.rows, apps: [...world.rows.apps, factor] };
  const answer = askApp(world, id, {
    type: 'confirmed',
    stepOf: () => stepAt(now),
    byPasswordAlone: isByPasswordAlone(session),
  });
  if (answer.kind === 'rejected') return refused(answer.reason);
  const stronger = strengthen(world, actor, session, { factor: { kind: 'secondFactor', id }, amr: BY_CODE });
  if (stronger.kind === 'refused') return stronger;
  firstRecoveryCodes(world);
  return gives({ kind: 'app', id });
}

/** The app shows it, and no server is asked. */
export const readCode = (world: World, { id }: Extract<PersonalThing, { kind: 'app' }>): PersonalAnswer =>
  gives({ kind: 'appCode', app: id, step: stepAt(world.now()) });

type SomeCode = Extract<PersonalThing, { kind: 'appCode' | 'recoveryCode' }>;

/** In a browser in which the password was right. */
export function presentCode(world: World, actor: Actor, code: SomeCode): PersonalAnswer {
  const used = useCookie(world, actor);
  if (used.kind === 'none') return refused(used.reason);
  const { session } = used;
  const answer = code.kind === 'appCode' ? presentToApps(world, code) : presentRecoveryCode(world, code.id);
  if (answer.kind === 'refused') return answer;
  return strengthen(world, actor, session, { factor: answer.factor, amr: BY_CODE });
}

type Presented =
  | { readonly kind: 'accepted'; readonly factor: Parameters<typeof strengthen>[3]['factor'] }
  | Extract<PersonalAnswer, { readonly kind: 'refused' }>;

const refusedCode = (reason: 'code_reused' | 'code_mismatch'): Presented => ({ kind: 'refused', reason });

/** Every app of the end-user is asked. Nobody is told more than that the code is wrong, or was used. */
function presentToApps(world: World, { app, step }: Extract<SomeCode, { kind: 'appCode' }>): Presented {
  let found: 'code_reused' | 'code_mismatch' = 'code_mismatch';
  for (const { id, state } of world.rows.apps) {
    if (state === 'unconfirmed') continue;
    const answer = askApp(world, id, {
      type: 'presented',
      stepOf: (factor, now) => (factor.id === app && Math.abs(step - stepAt(now)) <= 1 ? step : null),
    });
    if (answer.kind === 'accepted') return { kind: 'accepted', factor: { kind: 'secondFactor', id } };
    if (answer.reason === 'code_reused') found = 'code_reused';
  }
  return refusedCode(found);
}

function presentRecoveryCode(world: World, id: string): Presented {
  const answer = askRecoveryCode(world, id, 'presented');
  if (answer.kind === 'accepted') return { kind: 'accepted', factor: { kind: 'recoveryCode', id } };
  return refusedCode(answer.reason === 'recovery_code_used' ? 'code_reused' : 'code_mismatch');
}

/** @returns the first of the new codes */
export function newRecoveryCodes(world: World, actor: Actor): PersonalAnswer {
  const session = enter(world, actor, true);
  if (!isSession(session)) return session;
  if (isByPasswordAlone(session)) return refused('factor_not_proven');
  replaceRecoveryCodes(world);
  const id = firstRecoveryCodes(world);
  return id === null ? DONE : gives({ kind: 'recoveryCode', id });
}

/** What a removal of a factor is decided by. */
export const removalBy = ({ signIn }: World, session: Session) => ({
  type: 'removalRequested' as const,
  isDemanded: demandsFactor(signIn),
  byPasswordAlone: isByPasswordAlone(session),
});

export function removeApp(world: World, actor: Actor, { id }: Extract<PersonalThing, { kind: 'app' }>): PersonalAnswer {
  const session = enter(world, actor, true);
  if (!isSession(session)) return session;
  const answer = askApp(world, id, removalBy(world, session));
  if (answer.kind === 'rejected') return refused(answer.reason);
  withoutFactorsNoCodes(world);
  return DONE;
}

/** Every app, and the recovery codes. */
export function loseApps(world: World): void {
  for (const { id, state } of world.rows.apps) if (state !== 'removed') askApp(world, id, { type: 'lost' });
  replaceRecoveryCodes(world);
}

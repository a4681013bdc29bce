/** Who does what in a step: the actor, the deed, and what it is about. */

import type { Kinds, Path, Reading, Report } from './reading.ts';
import type { Acting, Action, Actor, Beat, PersonDeed } from './scenario.ts';
import { CODE, PERSON_DEEDS, type StepRecord } from './scenario-file.ts';
import { GIVEN_BY, GIVEN_FOR, GIVEN_WORDS, isPersonal, type Kind, REMOVABLE } from './things.ts';

/** The keys that say what somebody does. */
export const DEED_KEYS = ['does', 'presents', 'revokes', 'reads', 'removes'] as const;

/** What the step gives, where it succeeds; null: nothing that has a name. */
export function givenBy(action: Action): Exclude<Kind, 'code' | 'password'> | null {
  if (action.kind === 'present') return 'tokens';
  if (action.kind !== 'act') return null;
  if (action.act === 'reads') return 'appCode';
  if (action.act === 'removes') return null;
  if (action.act === 'shows') return (action.thing && GIVEN_FOR[action.thing.kind]) ?? null;
  return GIVEN_BY[action.act];
}

/** What each actor may do. */
const MAY: Readonly<Record<NonNullable<StepRecord['who']>, readonly string[]>> = {
  client: ['presents', 'revokes'],
  thief: ['presents', 'revokes', 'reads', 'removes', 'approve', ...PERSON_DEEDS],
  'another client': ['presents', 'revokes'],
  'resource owner': ['presents', 'reads', 'removes', 'approve', 'revoke', ...PERSON_DEEDS],
  operator: [
    'disable the resource owner',
    'enable the resource owner',
    'delete the client',
    'register the client again',
    'recover',
  ],
};

/** Who presents which kinds of things. */
const PRESENTS: Readonly<Partial<Record<NonNullable<StepRecord['who']>, (kind: Kind) => boolean>>> = {
  client: (kind) => !isPersonal(kind),
  'another client': (kind) => !isPersonal(kind),
  'resource owner': isPersonal,
};

export function actOf(step: StepRecord, at: Path, { report, kinds }: Reading): Beat['act'] {
  const { who } = step;
  const deeds = DEED_KEYS.flatMap((key) => {
    const word = step[key];
    return word === undefined ? [] : [key === 'does' ? word : key];
  });
  if (who === undefined) {
    if (deeds.length > 0) report(at, `"${deeds[0]}" by nobody`, '"who" does it');
    return null;
  }
  const may = MAY[who];
  const [deed, second] = deeds;
  if (deed === undefined || second !== undefined || !may.includes(deed)) {
    const found = deed === undefined ? `"${who}" without a deed` : `"${deed}" by "${who}"`;
    report(at, second === undefined ? found : `"${deed}" and "${second}"`, `one of: ${may.join(', ')}`);
    return null;
  }
  const actor: Actor = { name: who, place: step.in ?? null };
  const action = actionOf(step, kinds);
  requireRightKind(step, at, kinds, report);
  const sent = sentWith(action);
  for (const key of Object.keys(step.with ?? {})) {
    if (!sent.includes(key)) report([...at, 'with', key], `"${key}" here`, sent.join(', ') || 'nothing');
  }
  return { actor, action };
}

/** Each thing where it belongs. A name that nobody got is reported elsewhere. */
function requireRightKind({ who, ...step }: StepRecord, at: Path, kinds: Kinds, report: Report): void {
  const kindOf = (key: 'presents' | 'revokes' | 'reads' | 'removes') => kinds.get(step[key] ?? '');
  const wrong = (key: 'presents' | 'revokes' | 'reads' | 'removes', allowed: string) => {
    const kind = kindOf(key);
    const noun = kind && ((GIVEN_WORDS as Readonly<Record<string, string>>)[kind] ?? kind);
    report([...at, key], `"${step[key]}", which is of the kind "${noun}"`, allowed);
  };
  const [presented, revoked, read, removed] = (['presents', 'revokes', 'reads', 'removes'] as const).map(kindOf);
  if (presented && who) {
    if (PRESENTS[who]?.(presented) === false) wrong('presents', 'what this actor has');
    else if (GIVEN_FOR[presented] === undefined) wrong('presents', 'what is presented to the server');
  }
  if (revoked && isPersonal(revoked)) wrong('revokes', 'tokens');
  if (read && read !== 'app') wrong('reads', 'an authenticator app');
  if (removed && !REMOVABLE.includes(removed)) wrong('removes', 'a passkey, an app or a link');
}

/** The keys of `with`. */
function sentWith(action: Action): readonly string[] {
  if (action.kind === 'approve') return ['scope', 'resources', 'level'];
  if (action.kind === 'present')
    return action.credential === CODE ? ['verifier', 'redirectUri', 'resources'] : ['scope', 'resources'];
  if (action.kind !== 'act') return [];
  return action.thing?.kind === 'password' || action.act === 'set a new password' ? ['password'] : [];
}

function actionOf(step: StepRecord, kinds: Kinds): Action {
  const { does, presents, revokes, reads, removes, with: sent = {} } = step;
  const { password = 'right' } = sent;
  const acting = (act: Acting['act'], name: string | null): Acting => {
    const kind = name === null ? undefined : kinds.get(name);
    return { kind: 'act', act, thing: name !== null && kind && isPersonal(kind) ? { kind, name } : null, password };
  };
  if (presents !== undefined) {
    const kind = kinds.get(presents);
    if (kind && isPersonal(kind)) return acting('shows', presents);
    const { verifier = 'right', redirectUri = 'none', scope = null, resources = null } = sent;
    return { kind: 'present', credential: presents, verifier, redirectUri, scope, resources };
  }
  if (reads !== undefined) return acting('reads', reads);
  if (removes !== undefined) return acting('removes', removes);
  if (revokes !== undefined || does === 'revoke') return { kind: 'revoke', credential: revokes ?? null };
  if (does === 'approve' || does === undefined)
    return {
      kind: 'approve',
      scope: sent.scope ?? ['read', 'write'],
      resources: sent.resources ?? ['api'],
      level: sent.level ?? null,
    };
  const deed = PERSON_DEEDS.find((word): word is PersonDeed => word === does);
  return deed === undefined
    ? { kind: 'operate', deed: does as Extract<Action, { kind: 'operate' }>['deed'] }
    : acting(deed, null);
}

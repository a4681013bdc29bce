/** The actor of a step, the action, and its credential. */
import type { Kinds, Path, Reading, Report } from './reading.ts';
import type { Acting, Action, Beat } from './scenario.ts';
import type { StepRecord } from './scenario-file.ts';
import {
  ACTION_KEYS,
  type ActorName,
  BROWSER_ACTIONS,
  CODE,
  factsOf,
  type GivenKind,
  isBrowserAction,
  isPersonal,
  type Kind,
  nounOf,
  OF_THE_CLIENT,
  OPERATOR_ACTIONS,
  type OperatorAction,
  wordsIn,
} from './vocabulary.ts';

/** Given by the step, where it succeeds; null: nothing that has a name. */
export function givenBy(action: Action): GivenKind | null {
  if (action.kind === 'present') return 'tokens';
  if (action.kind !== 'act') return null;
  if (action.act === 'reads') return 'appCode';
  if (action.act === 'removes') return null;
  if (action.act !== 'shows') return BROWSER_ACTIONS[action.act].gives;
  return (action.credential && factsOf(action.credential.kind).gives) ?? null;
}

const IN_A_BROWSER = wordsIn(BROWSER_ACTIONS).filter((word) => word !== OF_THE_CLIENT);
const MAY: Readonly<Record<ActorName, readonly string[]>> = {
  client: ['presents', 'revokes', OF_THE_CLIENT],
  thief: ['presents', 'revokes', 'reads', 'removes', 'approve', ...IN_A_BROWSER],
  'another client': ['presents', 'revokes'],
  'resource owner': ['presents', 'reads', 'removes', 'approve', 'revoke', ...IN_A_BROWSER],
  operator: wordsIn(OPERATOR_ACTIONS),
};

/** A thief presents every kind. */
const PRESENTS: Readonly<Partial<Record<ActorName, (kind: Kind) => boolean>>> = {
  client: (kind) => !isPersonal(kind),
  'another client': (kind) => !isPersonal(kind),
  'resource owner': isPersonal,
};

export function actOf(step: StepRecord, at: Path, { report, kinds }: Reading): Beat['act'] {
  const { who } = step;
  const actions = ACTION_KEYS.flatMap((key) =>
    key === 'does' ? (step.does ?? []) : step[key] === undefined ? [] : key,
  );
  const [action, second] = actions;
  if (who === undefined) {
    if (action !== undefined) report(at, `"${action}" without an actor`, '"who" does it');
    return null;
  }
  const may = MAY[who];
  if (action === undefined || second !== undefined || !may.includes(action)) {
    const found = action === undefined ? `"${who}" without an action` : `"${action}" by "${who}"`;
    report(at, second === undefined ? found : `"${action}" and "${second}"`, `one of: ${may.join(', ')}`);
    return null;
  }
  requireRightKinds(step, who, at, kinds, report);
  const read = actionOf(step, kinds);
  const sent = sentWith(read);
  for (const key of Object.keys(step.with ?? {})) {
    if (!sent.includes(key)) report([...at, 'with', key], `"${key}" here`, sent.join(', ') || 'nothing');
  }
  return { actor: { name: who, place: step.in ?? null }, action: read };
}

type RightKind = readonly [
  key: 'presents' | 'revokes' | 'reads' | 'removes',
  isRight: (kind: Kind, who: ActorName) => boolean,
  allowed: string,
];
/** Each credential where it belongs. The first that a step breaks is reported for its key. */
const RIGHT_KINDS: readonly RightKind[] = [
  ['presents', (kind, who) => PRESENTS[who]?.(kind) !== false, 'a credential of this actor'],
  ['presents', (kind) => factsOf(kind).gives !== undefined, 'a credential for the server'],
  ['revokes', (kind) => !isPersonal(kind), 'tokens'],
  ['reads', (kind) => kind === 'app', 'an authenticator app'],
  ['removes', (kind) => factsOf(kind).isRemovable === true, 'a passkey, an app or a link'],
];

/** Another check reports a name that no step gives. */
function requireRightKinds(step: StepRecord, who: ActorName, at: Path, kinds: Kinds, report: Report): void {
  const broken = RIGHT_KINDS.find(([key, isRight]) => {
    const kind = kinds.get(step[key] ?? '');
    return kind !== undefined && !isRight(kind, who);
  });
  if (broken === undefined) return;
  const [key, , allowed] = broken;
  const kind = kinds.get(step[key] ?? '');
  report([...at, key], `"${step[key]}", which is of the kind "${kind && nounOf(kind)}"`, allowed);
}

/** The keys of `with`. */
function sentWith(action: Action): readonly string[] {
  if (action.kind === 'approve') return ['scope', 'resources', 'level'];
  if (action.kind === 'present')
    return action.credential === CODE ? ['verifier', 'redirectUri', 'key', 'resources'] : ['key', 'scope', 'resources'];
  if (action.kind !== 'act') return [];
  return action.credential?.kind === 'password' || action.act === 'set a new password' ? ['password'] : [];
}

function actionOf(step: StepRecord, kinds: Kinds): Action {
  const { does, presents, revokes, reads, removes, with: sent = {} } = step;
  const acting = (act: Acting['act'], name?: string): Acting => {
    const kind = kinds.get(name ?? '');
    const credential = name !== undefined && kind && isPersonal(kind) ? { kind, name } : null;
    return { kind: 'act', act, credential, password: sent.password ?? 'right' };
  };
  if (presents !== undefined) {
    const kind = kinds.get(presents);
    if (kind && isPersonal(kind)) return acting('shows', presents);
    const { verifier = 'right', redirectUri = 'none', key = null, scope = null, resources = null } = sent;
    return { kind: 'present', credential: presents, verifier, redirectUri, key, scope, resources };
  }
  if (reads !== undefined) return acting('reads', reads);
  if (removes !== undefined) return acting('removes', removes);
  if (revokes !== undefined || does === 'revoke') return { kind: 'revoke', credential: revokes ?? null };
  if (does === undefined || does === 'approve') {
    const { scope = ['read', 'write'], resources = ['api'], level = null } = sent;
    return { kind: 'approve', scope, resources, level };
  }
  return isBrowserAction(does) ? acting(does) : { kind: 'operate', does: does satisfies OperatorAction };
}

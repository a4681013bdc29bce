/**
 * What is presented wrongly, at every moment. A wrong presentation decides on what it loaded and commits nothing, so in which
 * order its steps fall cannot matter: it is enough to ask it once wherever the world can be.
 */
import type { Moment } from '../moment.ts';
import { runAlone } from '../moves.ts';
import type { Walk } from '../walk.ts';
import { OTHER_CLIENT, REDIRECT_URI, RESOURCES, SCOPE } from './initial-state.ts';
import { presentedRightly, RIGHT_CODE, RIGHT_TOKEN } from './requests.ts';
import type { Asked, Credential, Terms } from './terms.ts';

type Wrong = { readonly what: string; readonly asked: (right: Asked) => Asked };

const remembered = new WeakMap<Asked, Map<Wrong, Asked>>();

/** The same request each time, so that what was found out of it once is found again. */
function wronglyPresented(right: Asked, wrong: Wrong): Asked {
  const known = remembered.get(right) ?? new Map<Wrong, Asked>();
  remembered.set(right, known);
  const asked = known.get(wrong) ?? wrong.asked(right);
  known.set(wrong, asked);
  return asked;
}

const code = (change: Partial<typeof RIGHT_CODE>) => (right: Asked) =>
  right.kind === 'code' ? { ...right, said: { ...RIGHT_CODE, ...change } } : right;
const token = (change: Partial<typeof RIGHT_TOKEN>) => (right: Asked) =>
  right.kind === 'token' ? { ...right, said: { ...RIGHT_TOKEN, ...change } } : right;

const WITH_CODE: readonly Wrong[] = [
  { what: 'with another verifier', asked: code({ challengeOfVerifier: 'of another verifier' }) },
  { what: 'with what is no verifier', asked: code({ challengeOfVerifier: null }) },
  { what: 'with another redirect URI', asked: code({ redirectUri: `${REDIRECT_URI}/` }) },
  { what: 'by another client', asked: code({ clientId: OTHER_CLIENT.clientId }) },
];
const WITH_TOKEN: readonly Wrong[] = [{ what: 'by another client', asked: token({ clientId: OTHER_CLIENT.clientId }) }];

/** More than was granted: refused where it would else be exchanged. A used credential is a leak whatever is asked with it. */
const TOO_MUCH_WITH_CODE: readonly Wrong[] = [
  {
    what: 'for a resource that was not granted',
    asked: code({ resources: [...RESOURCES, 'https://elsewhere.example'] }),
  },
];
const TOO_MUCH_WITH_TOKEN: readonly Wrong[] = [
  { what: 'for a scope that was not granted', asked: token({ scope: [...SCOPE, 'admin'] }) },
  { what: 'for a resource that was not granted', asked: token({ resources: ['https://elsewhere.example'] }) },
];

/** The client's ceiling, grant types or policy of today leave nothing of what was granted, or no refresh. */
const NOTHING_IS_LEFT = 'while nothing of what was granted is left to its client';
const WITHHELD_WITH_CODE: readonly Wrong[] = [
  { what: NOTHING_IS_LEFT, asked: (right) => (right.kind === 'code' ? { ...right, today: { scope: [] } } : right) },
];
const WITHHELD_WITH_TOKEN: readonly Wrong[] = [
  { what: NOTHING_IS_LEFT, asked: (right) => (right.kind === 'token' ? { ...right, today: { scope: [] } } : right) },
  {
    what: 'while its client may not refresh',
    asked: (right) => (right.kind === 'token' ? { ...right, today: { mayRefresh: false } } : right),
  },
];

export type Probe = {
  readonly credential: Credential;
  readonly what: string;
  readonly of: 'wrong' | 'tooMuch' | 'withheld';
  /** Tokens would have been issued. */
  readonly issues: boolean;
  /** Something would have been written. */
  readonly writes: boolean;
  readonly broken: string | null;
};

const probed = new WeakMap<Walk<Terms>, WeakMap<Moment<Terms>, readonly Probe[]>>();

/** Every credential that is out, presented in every wrong way. */
export function probesAt(walk: Walk<Terms>, world: Moment<Terms>): readonly Probe[] {
  const ofWalk = probed.get(walk) ?? new WeakMap<Moment<Terms>, readonly Probe[]>();
  probed.set(walk, ofWalk);
  const known = ofWalk.get(world);
  if (known) return known;
  const probes = [
    ...probesOf(walk, world, 'code', WITH_CODE, TOO_MUCH_WITH_CODE, WITHHELD_WITH_CODE),
    ...world.known.tokens.flatMap((_, index) =>
      probesOf(walk, world, index, WITH_TOKEN, TOO_MUCH_WITH_TOKEN, WITHHELD_WITH_TOKEN),
    ),
  ];
  ofWalk.set(world, probes);
  return probes;
}

function probesOf(
  walk: Walk<Terms>,
  world: Moment<Terms>,
  credential: Credential,
  wrong: readonly Wrong[],
  tooMuch: readonly Wrong[],
  withheld: readonly Wrong[],
): Probe[] {
  const right = presentedRightly(world.known, credential);
  const probe = (one: Wrong, of: Probe['of']): Probe => {
    const ran = runAlone(walk, world, wronglyPresented(right, one));
    const commit = ran.kind === 'wants' && ran.next.kind === 'commit' ? ran.next.commit : null;
    const answer = ran.kind === 'answered' && typeof ran.answer === 'object' ? ran.answer : null;
    return {
      credential,
      what: one.what,
      of,
      issues: commit?.kind === 'moveHead' || answer?.kind === 'issued',
      writes: commit !== null,
      broken: ran.kind === 'broken' ? ran.words : null,
    };
  };
  return [
    ...wrong.map((one) => probe(one, 'wrong')),
    ...tooMuch.map((one) => probe(one, 'tooMuch')),
    ...withheld.map((one) => probe(one, 'withheld')),
  ];
}

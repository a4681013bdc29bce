/**
 * The wrong presentations, in every state. A wrong presentation decides on its load and commits nothing, so the order of its steps
 * cannot matter: one request in each state is enough.
 */
import type { AccessToday } from '../../../model/grant.ts';
import { NO_PROOF, type Proof } from '../../../model/proof.ts';
import type { ModelState } from '../../../review/proof/moment.ts';
import { runAlone } from '../../../review/proof/moves.ts';
import type { Walk } from '../../../review/proof/walk.ts';
import {
  type Asked,
  type Credential,
  OTHER_CLIENT,
  REDIRECT_URI,
  RESOURCES,
  SCOPE,
  type Terms,
  THE_KEY,
} from './ports.ts';
import { presentedRightly, RIGHT_CODE, RIGHT_TOKEN } from './requests.ts';

type Wrong = {
  readonly what: string;
  /**
   * `unproven`: without the proof that it needs. A used refresh token ends the chain then. `nonceless`: the right key, in a proof
   * without the nonce.
   */
  readonly of: 'wrong' | 'unproven' | 'nonceless' | 'tooMuch' | 'withheld';
  readonly asked: (right: Asked) => Asked;
};

const remembered = new WeakMap<Asked, Map<Wrong, Asked>>();

/** The same request each time, so that its remembered result is found again. */
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

/** The client's current ceiling, grant types or policy leave less than was granted. */
const today = (change: Partial<AccessToday>) => (right: Asked) =>
  right.kind === 'revocation' ? right : { ...right, today: change };

const NOTHING_IS_LEFT: Wrong = {
  what: 'while the effective scope of its client is empty',
  of: 'withheld',
  asked: today({ scope: [] }),
};
const ELSEWHERE = 'https://elsewhere.example';

/** By a thief, who has no key of the client. */
const UNPROVEN: readonly (readonly [what: string, proof: Proof])[] = [
  ['without a proof', NO_PROOF],
  ['with a proof of another key', { ...NO_PROOF, key: 'the key of a thief' }],
  ['with a proof that is not valid', { ...NO_PROOF, problem: 'invalid' }],
  ['with a proof without the nonce', { ...NO_PROOF, problem: 'nonceMissing' }],
];

const NONCELESS = [
  'with a proof of its key without the nonce',
  { ...NO_PROOF, key: THE_KEY, problem: 'nonceMissing' },
] as const;

/** Too much is refused where it would else be exchanged. A used credential is a leak, with any requested parameters. */
const WITH_CODE: readonly Wrong[] = [
  { what: 'with another verifier', of: 'wrong', asked: code({ challengeOfVerifier: 'of another verifier' }) },
  { what: 'with what is no verifier', of: 'wrong', asked: code({ challengeOfVerifier: null }) },
  { what: 'with another redirect URI', of: 'wrong', asked: code({ redirectUri: `${REDIRECT_URI}/` }) },
  { what: 'by another client', of: 'wrong', asked: code({ clientId: OTHER_CLIENT.clientId }) },
  ...[...UNPROVEN, NONCELESS].map(([what, proof]) => ({ what, of: 'wrong' as const, asked: code({ proof }) })),
  {
    what: 'for a resource that was not granted',
    of: 'tooMuch',
    asked: code({ resources: [...RESOURCES, ELSEWHERE] }),
  },
  NOTHING_IS_LEFT,
];
const WITH_TOKEN: readonly Wrong[] = [
  { what: 'by another client', of: 'wrong', asked: token({ clientId: OTHER_CLIENT.clientId }) },
  ...UNPROVEN.map(([what, proof]) => ({ what, of: 'unproven' as const, asked: token({ proof }) })),
  { what: NONCELESS[0], of: 'nonceless', asked: token({ proof: NONCELESS[1] }) },
  { what: 'for a scope that was not granted', of: 'tooMuch', asked: token({ scope: [...SCOPE, 'admin'] }) },
  { what: 'for a resource that was not granted', of: 'tooMuch', asked: token({ resources: [ELSEWHERE] }) },
  NOTHING_IS_LEFT,
  { what: 'while its client may not refresh', of: 'withheld', asked: today({ mayRefresh: false }) },
];

export type Probe = Pick<Wrong, 'what' | 'of'> & {
  readonly credential: Credential;
  /** Tokens would have been issued. */
  readonly issues: boolean;
  /** Something would have been written. */
  readonly writes: boolean;
  readonly broken: string | null;
};

const probed = new WeakMap<Walk<Terms>, WeakMap<ModelState<Terms>, readonly Probe[]>>();

/** Every credential that is out, presented in every wrong way. */
export function probesAt(walk: Walk<Terms>, ports: ModelState<Terms>): readonly Probe[] {
  const ofWalk = probed.get(walk) ?? new WeakMap<ModelState<Terms>, readonly Probe[]>();
  probed.set(walk, ofWalk);
  const known = ofWalk.get(ports);
  if (known) return known;
  const probes = [
    ...WITH_CODE.map((wrong) => probeOf(walk, ports, 'code', wrong)),
    ...ports.known.tokens.flatMap((_, index) => WITH_TOKEN.map((wrong) => probeOf(walk, ports, index, wrong))),
  ];
  ofWalk.set(ports, probes);
  return probes;
}

function probeOf(walk: Walk<Terms>, ports: ModelState<Terms>, credential: Credential, wrong: Wrong): Probe {
  const right = presentedRightly(ports.known, credential);
  const ran = runAlone(walk, ports, wronglyPresented(right, wrong));
  const commit = ran.kind === 'wants' && ran.next.kind === 'commit' ? ran.next.commit : null;
  const answer = ran.kind === 'answered' && typeof ran.answer === 'object' ? ran.answer : null;
  const { what, of } = wrong;
  return {
    credential,
    what,
    of,
    issues: commit?.kind === 'moveHead' || commit?.kind === 'repeatHead' || answer?.kind === 'issued',
    writes: commit !== null,
    broken: ran.kind === 'broken' ? ran.words : null,
  };
}

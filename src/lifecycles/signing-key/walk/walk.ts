/** The walk of the signing keys: ticks of several nodes, an operator who rotates and revokes, a policy that is edited. */
import { keyTimes, type NewSigningKey, signerAmong } from '../../../model/signing-key.ts';
import { type Asking, defineWalk } from '../../../review/proof/define-walk.ts';
import type { ModelState } from '../../../review/proof/moment.ts';
import { runAlone } from '../../../review/proof/moves.ts';
import { eventsOfTime, signingKeyRequest } from '../lifecycle.ts';
import { INVARIANTS } from './invariants.ts';
import { type Asked, commitKeys, INITIAL_STATES, LIFETIMES, type Terms } from './ports.ts';

const OPERATORS: readonly Asked['type'][] = ['rotationRequested', 'revocationRequested'];

function nameOf({ type, kid, alg, atOnce }: Asked): string {
  const key = kid ?? `a fresh key of ${alg}`;
  if (type === 'rotationRequested') return `the ${atOnce ? 'immediate ' : ''}rotation`;
  return type === 'revocationRequested' ? `the revocation of ${key}` : `the tick about ${key}`;
}

const policyOf = (wanted: Asked['wanted']) => ({ policy: () => ({ algorithms: wanted, lifetimes: LIFETIMES }) });

const asking: Asking<Terms> = {
  requestOf: ({ wanted, ...event }, draw) => signingKeyRequest(policyOf(wanted), event, freshKey(event, draw)),
  name: nameOf,
  begins: (asked) => `${OPERATORS.includes(asked.type) ? 'An operator asks for' : 'A node has'} ${nameOf(asked)}`,
};

/** The bytes of a key do not matter here. */
const freshKey = ({ alg }: Pick<Asked, 'alg'>, draw: number): NewSigningKey => ({
  kid: `fresh key ${draw}`,
  alg,
  publicJwk: {},
  privateJwe: 'sealed',
});

export const signingKeys = defineWalk<Terms>({
  name: 'signingKeys',
  of: 'signing keys',
  machines: ['signingKey'],
  spec: 'OpenID Connect Core §10.1.1',
  bounds: [
    { requests: 2, inFlight: 2, faults: 1 },
    { requests: 3, inFlight: 2, faults: 0 },
    { requests: 1, inFlight: 1, faults: 2 },
  ],
  initialStates: INITIAL_STATES,
  load: ({ keys }, _, now) => ({ now, keys }),
  asking,
  commit: (stored, commit, _, leftOut) => commitKeys(stored, commit, leftOut),
  requests: (modelState, walk) => [
    // A tick asks every key; a tick without an effect is no request.
    ...ticksAt(modelState).filter((asked) => runAlone(walk, modelState, asked).kind !== 'answered'),
    ...operatorAt(modelState),
  ],
  faults: ({ stored, known: { wanted } }) => [
    wanted.includes('RS256')
      ? {
          says: 'The policy names RS256 no longer.',
          stored,
          known: { wanted: wanted.filter((alg) => alg !== 'RS256') },
        }
      : { says: 'The policy names RS256 again.', stored, known: { wanted: ['RS256' as const, ...wanted] } },
  ],
  instants: ({ stored: { keys } }) =>
    keys
      .filter(({ state }) => state !== 'retired')
      .flatMap((key) => {
        const { successorDueAt, signsUntil, publishedUntil } = keyTimes(key, LIFETIMES);
        return [
          successorDueAt,
          signsUntil,
          publishedUntil,
          ...(key.state === 'published' ? [key.maySignAt.getTime()] : []),
        ];
      }),
  invariants: INVARIANTS,
  words: {
    commit: ({ writes }) =>
      writes
        .map((write) => (write.kind === 'insert' ? write.row : { ...write.loaded, ...write.set }))
        .map(({ kid, state }) => `${kid} is ${state}`)
        .join(', '),
    commitNoun: () => 'keys',
    answer: (changes) => (changes.length === 0 ? 'nothing to do' : null),
    sender: 'nodes and operators',
  },
});

function ticksAt({ stored: { keys }, known: { wanted }, now }: ModelState<Terms>): readonly Asked[] {
  return eventsOfTime(policyOf(wanted), { now: new Date(now), keys }).map((event) => ({ ...event, wanted }));
}

function operatorAt({ stored: { keys }, known: { wanted } }: ModelState<Terms>): readonly Asked[] {
  const rotations = wanted.flatMap((alg) => {
    const signer = signerAmong(keys, alg);
    if (!signer) return [];
    return [false, true].map((atOnce): Asked => ({ type: 'rotationRequested', alg, kid: signer.kid, atOnce, wanted }));
  });
  const revocations = keys
    .filter(({ state }) => state !== 'retired')
    .map(({ kid, alg }): Asked => ({ type: 'revocationRequested', alg, kid, atOnce: true, wanted }));
  return [...rotations, ...revocations];
}

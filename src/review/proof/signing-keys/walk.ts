/** The walk of the signing keys: ticks of several nodes, an operator who rotates and revokes, a policy that is edited. */
import { running } from '../../../engine/run.ts';
import { eventsOfTime, signingKeyRequest } from '../../../lifecycles/signing-key/lifecycle.ts';
import { keyTimes, type NewSigningKey, signerAmong } from '../../../model/signing-key.ts';
import type { Moment } from '../moment.ts';
import { runAlone } from '../moves.ts';
import type { Bounds, Walk } from '../walk.ts';
import { INITIAL_STATES, LIFETIMES } from './initial-states.ts';
import { INVARIANTS } from './invariants.ts';
import { commitKeys } from './store.ts';
import type { Asked, Terms } from './terms.ts';
import { WORDS } from './words.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 2, inFlight: 2, faults: 1 },
  { requests: 3, inFlight: 2, faults: 0 },
  { requests: 1, inFlight: 1, faults: 2 },
];

export const signingKeys: Walk<Terms> = {
  name: 'signingKeys',
  of: 'signing keys',
  machines: ['signingKey'],
  bounds: BOUNDS,
  initialStates: INITIAL_STATES,
  running,
  machineOf: (machine) => machine,
  load: ({ keys }, _, now) => ({ now, keys }),
  requestOf: ({ wanted, ...event }, draw) =>
    signingKeyRequest({ policy: () => ({ algorithms: wanted, lifetimes: LIFETIMES }) }, event, freshKey(event, draw)),
  commit: (stored, commit) => commitKeys(stored, commit),
  requests: (moment, walk) => [
    // A tick asks every key; what nothing comes of is no request.
    ...ticksAt(moment).filter((asked) => runAlone(walk, moment, asked).kind !== 'answered'),
    ...operatorAt(moment),
  ],
  whenCommitted: (known) => known,
  whenAnswered: (known) => known,
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
  words: WORDS,
};

/** The bytes of a key do not matter here. */
const freshKey = ({ alg }: Pick<Asked, 'alg'>, draw: number): NewSigningKey => ({
  kid: `fresh key ${draw}`,
  alg,
  publicJwk: {},
  privateJwe: '',
});

export function ticksAt({ stored: { keys }, known: { wanted }, now }: Moment<Terms>): readonly Asked[] {
  const policy = () => ({ algorithms: wanted, lifetimes: LIFETIMES });
  return eventsOfTime({ policy }, { now: new Date(now), keys }).map((event) => ({ ...event, wanted }));
}

function operatorAt({ stored: { keys }, known: { wanted } }: Moment<Terms>): readonly Asked[] {
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

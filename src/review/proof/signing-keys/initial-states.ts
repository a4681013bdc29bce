/** Where every exploration of the signing keys begins: a new server, and each stage of a handover. */
import { keyLifetimes } from '../../../config/key-lifetimes.ts';
import { type SigningAlgorithm, type SigningKeyRow, signingKeyState } from '../../../model/signing-key.ts';
import type { InitialState } from '../walk.ts';
import type { Terms } from './terms.ts';

/** Milliseconds since 1970; any instant would do. */
export const BEGAN_AT = Date.UTC(2030, 0, 1);

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** What the policy says matters to no decision but by when it falls due; the walk goes to each of those instants. */
export const LIFETIMES = keyLifetimes({
  algorithms: ['RS256'],
  publishedBeforeSigningSeconds: DAY_SECONDS,
  signingLifetimeSeconds: 30 * DAY_SECONDS,
  jwksMaxAgeSeconds: HOUR_SECONDS,
});

const ago = (seconds: number | null): Date | null => (seconds === null ? null : new Date(BEGAN_AT - seconds * 1000));

/** Seconds before the initial state. */
type Ages = { readonly published: number; readonly began?: number; readonly stopped?: number };

function keyOf(kid: string, { published, began, stopped }: Ages, alg: SigningAlgorithm = 'RS256'): SigningKeyRow {
  const createdAt = new Date(BEGAN_AT - published * 1000);
  const key = {
    kid,
    alg,
    createdAt,
    maySignAt: new Date(createdAt.getTime() + LIFETIMES.publishedBeforeSigningSeconds * 1000),
    beganSigningAt: ago(began ?? null),
    rotationAskedAt: null,
    stoppedSigningAt: ago(stopped ?? null),
    retiredAt: null,
    retiredReason: null,
    hasPrivateHalf: stopped === undefined,
  };
  return { ...key, state: signingKeyState(key) };
}

const YOUNG = keyOf('the signer', { published: DAY_SECONDS, began: DAY_SECONDS });
const OLD = keyOf('the signer', { published: 40 * DAY_SECONDS, began: 30 * DAY_SECONDS });
const AGEING = keyOf('the signer', { published: 40 * DAY_SECONDS, began: 29 * DAY_SECONDS });

const SITUATIONS: readonly {
  readonly says: string;
  readonly keys: readonly SigningKeyRow[];
  readonly wanted?: readonly SigningAlgorithm[];
}[] = [
  { says: 'There is no key yet', keys: [] },
  { says: 'A key signs', keys: [YOUNG] },
  { says: 'A key signs whose successor is due', keys: [AGEING] },
  { says: 'A key signs, and a successor waits', keys: [keyOf('the successor', { published: HOUR_SECONDS }), AGEING] },
  { says: 'The time of the signer is over', keys: [keyOf('the successor', { published: 2 * DAY_SECONDS }), OLD] },
  {
    says: 'A key signs, and the one before is retiring',
    keys: [YOUNG, keyOf('the key before', { published: 40 * DAY_SECONDS, began: 31 * DAY_SECONDS, stopped: 60 })],
  },
  { says: 'A key waits, and none signs', keys: [keyOf('the successor', { published: HOUR_SECONDS })] },
  {
    says: 'Two algorithms are wanted, and one of them has a key',
    keys: [YOUNG],
    wanted: ['RS256', 'ES256'],
  },
];

export const INITIAL_STATES: readonly InitialState<Terms>[] = SITUATIONS.map(({ says, keys, wanted = ['RS256'] }) => ({
  says: `${says}.`,
  now: BEGAN_AT,
  stored: { keys },
  known: { wanted },
}));

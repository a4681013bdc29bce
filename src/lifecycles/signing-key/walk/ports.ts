/** The model of the signing keys: the table in memory, and each stage of a handover. */
import type { SigningKeyEvent } from '../../../../machines/signing-key/facts.ts';
import { keyLifetimes } from '../../../config/key-lifetimes.ts';
import type { Commit } from '../../../engine/commit.ts';
import { type SigningAlgorithm, type SigningKeyRow, signingKeyState } from '../../../model/signing-key.ts';
import { carryOut, type LeftOut, newestFirst } from '../../../review/proof/carry-out.ts';
import { initialState } from '../../../review/proof/define-walk.ts';
import { after } from '../../../review/proof/instants.ts';
import type { KeyChange, LoadedSigningKeys, SigningKeyTable } from '../lifecycle.ts';

export type Asked = {
  readonly type: SigningKeyEvent['type'];
  readonly alg: SigningAlgorithm;
  /** Null: the fresh key. */
  readonly kid: string | null;
  readonly atOnce: boolean;
  /** The algorithms that the policy of the node names that asks. */
  readonly wanted: readonly SigningAlgorithm[];
};

type Known = {
  /** The algorithms that the policy names today. */
  readonly wanted: readonly SigningAlgorithm[];
};

export type Terms = {
  readonly stored: { readonly keys: SigningKeyTable };
  readonly asked: Asked;
  readonly loaded: LoadedSigningKeys;
  readonly commit: Commit;
  readonly answer: readonly KeyChange[];
  readonly known: Known;
};

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** Only due instants depend on the policy, and the walk goes to each of them, so one policy stands for all. */
export const LIFETIMES = keyLifetimes({
  algorithms: ['RS256'],
  publishedBeforeSigningSeconds: DAY_SECONDS,
  signingLifetimeSeconds: 30 * DAY_SECONDS,
  jwksMaxAgeSeconds: HOUR_SECONDS,
});

const ago = (seconds: number | undefined): Date | null => (seconds === undefined ? null : after(-seconds));

/** Seconds before the initial state. */
type Ages = { readonly published: number; readonly began?: number; readonly stopped?: number };

function keyOf(kid: string, { published, began, stopped }: Ages, alg: SigningAlgorithm = 'RS256'): SigningKeyRow {
  const createdAt = after(-published);
  const key = {
    kid,
    alg,
    createdAt,
    maySignAt: new Date(createdAt.getTime() + LIFETIMES.publishedBeforeSigningSeconds * 1000),
    beganSigningAt: ago(began),
    rotationAskedAt: null,
    stoppedSigningAt: ago(stopped),
    retiredAt: null,
    retiredReason: null,
    privateJwe: stopped === undefined ? 'sealed' : null,
  };
  return { ...key, state: signingKeyState(key) };
}

const YOUNG = keyOf('the signer', { published: DAY_SECONDS, began: DAY_SECONDS });
const OLD = keyOf('the signer', { published: 40 * DAY_SECONDS, began: 30 * DAY_SECONDS });
const AGEING = keyOf('the signer', { published: 40 * DAY_SECONDS, began: 29 * DAY_SECONDS });

const given = (says: string, keys: readonly SigningKeyRow[], wanted: readonly SigningAlgorithm[] = ['RS256']) =>
  initialState<Terms>(says, { keys }, { wanted });

export const INITIAL_STATES = [
  given('There is no key yet', []),
  given('A key signs', [YOUNG]),
  given('A key signs whose successor is due', [AGEING]),
  given('A key signs, and a successor waits', [keyOf('the successor', { published: HOUR_SECONDS }), AGEING]),
  given('The time of the signer has ended', [keyOf('the successor', { published: 2 * DAY_SECONDS }), OLD]),
  given('A key signs, and the one before is retiring', [
    YOUNG,
    keyOf('the key before', { published: 40 * DAY_SECONDS, began: 31 * DAY_SECONDS, stopped: 60 }),
  ]),
  given('A key waits, and none signs', [keyOf('the successor', { published: HOUR_SECONDS })]),
  given('Two algorithms are wanted, and one of them has a key', [YOUNG], ['RS256', 'ES256']),
];

/** @returns null when a fact did not hold: nothing changed. */
export function commitKeys({ keys }: Terms['stored'], commit: Commit, leftOut?: LeftOut): Terms['stored'] | null {
  const after = carryOut({ signingKeys: keys }, commit, leftOut);
  return after && { keys: newestFirst(after.signingKeys, keys.length) };
}

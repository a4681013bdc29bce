/** The walk of factors: codes, signatures and recovery codes of two browsers, while factors are added and removed. */
import { running } from '../../../engine/run.ts';
import { passkeyRegistration, passkeyRequest } from '../../../lifecycles/passkey/lifecycle.ts';
import { recoveryCodeRequest } from '../../../lifecycles/recovery-code/lifecycle.ts';
import { secondFactorRequest } from '../../../lifecycles/second-factor/lifecycle.ts';
import { type ProvenFactor, sessionFactorRequest } from '../../../lifecycles/session/lifecycle.ts';
import { setUpEndsAt } from '../../../model/factors.ts';
import { BY_CODE, BY_PASSWORD, byPasskey, methodsOf } from '../../../oauth/authentication-methods.ts';
import type { LeftOut } from '../carry-out.ts';
import type { Moment } from '../moment.ts';
import { SESSION_LIFETIMES } from '../sign-ins/initial-states.ts';
import type { Action, Bounds, EngineRequest, Walk } from '../walk.ts';
import { INITIAL_STATES, passkey, stepAt } from './initial-states.ts';
import { INVARIANTS } from './invariants.ts';
import { acceptedBy, requestsAt } from './requests.ts';
import {
  commitFactor,
  hasActiveFactor,
  load,
  signedInWithPasskey,
  signedInWithPassword,
  withNewCodes,
} from './store.ts';
import type { Asked, Terms } from './terms.ts';
import { WORDS } from './words.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 3, inFlight: 2, faults: 0 },
  { requests: 2, inFlight: 2, faults: 1 },
];

export const factors: Walk<Terms> = {
  name: 'factors',
  of: 'further factors',
  machines: ['secondFactor', 'recoveryCode', 'passkey'],
  bounds: BOUNDS,
  initialStates: INITIAL_STATES,
  running,
  machineOf: (machine) => machine,
  load,
  requestOf,
  commit: (stored, commit, _, leftOut) => commitFactor(stored, commit, leftOut),
  requests: ({ stored, known }) => requestsAt(stored, known.accepted),
  whenCommitted: (known) => known,
  whenAnswered: (known, asked, answer) => {
    const accepted = answer.kind === 'accepted' ? acceptedBy(asked) : null;
    return accepted ? { accepted: [...known.accepted, accepted] } : known;
  },
  actions: (moment) => actionsAt(moment),
  faults: ({ stored }) =>
    stored.userIsDisabled
      ? []
      : [{ says: 'An administrator disables the end-user.', stored: { ...stored, userIsDisabled: true } }],
  instants: ({ stored }) => stored.apps.filter(({ state }) => state === 'unconfirmed').map(setUpEndsAt),
  invariants: INVARIANTS,
  words: WORDS,
};

/** Sign-ins, and the making of recovery codes. Each is a guarded statement of its own. */
export function actionsAt({ stored, known, now }: Moment<Terms>, leftOut?: LeftOut): readonly Action<Terms>[] {
  const at = new Date(now);
  const { sessions } = stored;
  const byPassword =
    stored.userIsDisabled || !stored.hasPassword || sessions.length > 1 ? null : signedInWithPassword(stored, at);
  const byPasskey = known.accepted
    .filter(({ sid, factor }) => factor.kind === 'passkey' && sessions.every((session) => session.sid !== sid))
    .map(({ sid, factor }) => signedInWithPasskey(stored, { sid, factor, now: at }, leftOut));
  const newCodes = hasActiveFactor(stored) && stored.codes.length > 0 ? withNewCodes(stored, leftOut) : null;
  const action = (says: string) => (after: typeof byPassword) => (after ? [{ says, stored: after }] : []);
  return [
    ...action('Username and password are right, in another browser.')(byPassword),
    ...byPasskey.flatMap(action('A browser is signed in with the passkey.')),
    ...action('New recovery codes are made.')(newCodes),
  ];
}

const WINDOW_STEPS = 1;
const cookieOf = (factor: ProvenFactor, draw: number) => new Uint8Array(32).fill(100 + draw + factor.id.length);

function requestOf(asked: Asked, draw: number): EngineRequest<Terms> {
  return request(asked, draw) as unknown as EngineRequest<Terms>;
}

function request(asked: Asked, draw: number) {
  switch (asked.about) {
    case 'session': {
      const { factor } = asked;
      const by = factor.kind === 'passkey' ? byPasskey(false) : BY_CODE;
      const added = { factor, amr: methodsOf(BY_PASSWORD, by), idHash: cookieOf(factor, draw) };
      return sessionFactorRequest(SESSION_LIFETIMES, added);
    }
    case 'code':
      return recoveryCodeRequest(asked.type);
    case 'passkey':
      if (asked.type === 'registered') return passkeyRegistration({ id: passkey(asked.id).id }, asked.byPasswordAlone);
      return passkeyRequest(withActor(asked));
    case 'app': {
      const step = 'step' in asked ? asked.step : null;
      return secondFactorRequest({
        ...withActor(asked),
        stepOf: (_, now) => (step !== null && Math.abs(step - stepAt(now.getTime())) <= WINDOW_STEPS ? step : null),
      });
    }
  }
}

/** For the ledger. */
const withActor = <One extends { readonly type: string }>(asked: One) =>
  asked.type === 'removalRequestedByAdministrator'
    ? { ...asked, actor: { kind: 'operator', id: 'olga', addressHash: null } as const }
    : asked;

/** The walk of factors: codes, signatures and recovery codes of two browsers, while factors are added and removed. */

import { BY_CODE, BY_PASSWORD, byPasskey, methodsOf } from '../../../oauth/authentication-methods.ts';
import type { LeftOut } from '../../../review/proof/carry-out.ts';
import { askingFor, defineWalk } from '../../../review/proof/define-walk.ts';
import type { ModelState } from '../../../review/proof/moment.ts';
import type { Action } from '../../../review/proof/walk.ts';
import { passkeyRegistration, passkeyRequest } from '../../passkey/lifecycle.ts';
import { recoveryCodeRequest } from '../../recovery-code/lifecycle.ts';
import { type ProvenFactor, sessionFactorRequest } from '../../session/lifecycle.ts';
import { SESSION_LIFETIMES } from '../../session/walk/stored-session.ts';
import { setUpEndsAt } from '../entity.ts';
import { secondFactorRequest } from '../lifecycle.ts';
import { INVARIANTS, writtenBy } from './invariants.ts';
import {
  type Asked,
  commitFactor,
  hasActiveFactor,
  hasPassword,
  INITIAL_STATES,
  isAboutSession,
  isDisabled,
  load,
  passkey,
  type Stored,
  signedInWithPasskey,
  signedInWithPassword,
  stepAt,
  type Terms,
  THIS_STEP,
  withNewCodes,
} from './ports.ts';
import { acceptedBy, requestsAt } from './requests.ts';

export const factors = defineWalk<Terms>({
  name: 'factors',
  of: 'further factors',
  machines: ['secondFactor', 'recoveryCode', 'passkey'],
  spec: 'NIST SP 800-63B-4 §4.3',
  bounds: [
    { requests: 3, inFlight: 2, faults: 0 },
    { requests: 2, inFlight: 2, faults: 1 },
  ],
  initialStates: INITIAL_STATES,
  load,
  commit: (stored, commit, _, leftOut) => commitFactor(stored, commit, leftOut),
  requests: ({ stored, known }) => requestsAt(stored, known.accepted),
  asking: askingFor<Terms>({
    session: {
      name: ({ sid, factor }) => `the sign-in of ${sid} with ${factor.id}`,
      from: senderOf,
      request: ({ factor }, draw) => {
        const by = factor.kind === 'passkey' ? byPasskey(false) : BY_CODE;
        const added = { factor, amr: methodsOf(BY_PASSWORD, by), idHash: cookieOf(factor, draw) };
        return sessionFactorRequest(SESSION_LIFETIMES, added);
      },
    },
    code: {
      name: ({ type, id }) => (type === 'presented' ? id : `the wish for codes in place of ${id}`),
      from: senderOf,
      request: ({ type }) => recoveryCodeRequest(type),
    },
    passkey: {
      name: (asked) => {
        if (asked.type === 'registered') return asked.id;
        if (asked.type !== 'presented') return `the removal of ${asked.id}`;
        return asked.counter === null ? 'a wrong signature' : `the signature ${asked.counter} of ${asked.id}`;
      },
      from: senderOf,
      request: (asked) =>
        asked.type === 'registered'
          ? passkeyRegistration({ id: passkey(asked.id).id }, asked.byPasswordAlone)
          : passkeyRequest(withActor(asked)),
    },
    app: {
      name: (asked) => {
        if (!('step' in asked)) return `the removal of ${asked.id}`;
        if (asked.step === null) return 'a wrong code';
        return asked.step === THIS_STEP ? 'the code of now' : 'the code of the step before';
      },
      from: senderOf,
      request: (asked) => {
        const step = 'step' in asked ? asked.step : null;
        return secondFactorRequest({
          ...withActor(asked),
          stepOf: (_, now) => (step !== null && Math.abs(step - stepAt(now.getTime())) <= WINDOW_STEPS ? step : null),
        });
      },
    },
  }),
  whenAnswered: (known, asked, answer) => {
    const accepted = answer.kind === 'accepted' ? acceptedBy(asked) : null;
    return accepted ? { accepted: [...known.accepted, accepted] } : known;
  },
  actions: (modelState) => actionsAt(modelState),
  faults: ({ stored }) =>
    isDisabled(stored) ? [] : [{ says: 'An administrator disables the end-user.', stored: withUserDisabled(stored) }],
  instants: ({ stored }) => stored.secondFactors.filter(({ state }) => state === 'unconfirmed').map(setUpEndsAt),
  invariants: INVARIANTS,
  words: {
    commit: (commit) => {
      if (isAboutSession(commit)) return 'the browser is signed in';
      const { after } = writtenBy(commit) ?? {};
      return `${after?.id} is ${after?.state}`;
    },
    commitNoun: (commit) => (isAboutSession(commit) ? 'session' : 'factor'),
    sender: 'browsers',
  },
});

function senderOf(asked: Asked): string {
  if ('sid' in asked && asked.sid !== '') return `From ${asked.sid} comes`;
  const isByAdministrator = 'type' in asked && asked.type === 'removalRequestedByAdministrator';
  return `From ${isByAdministrator ? 'an administrator' : 'the end-user'} comes`;
}

const withUserDisabled = (stored: Stored): Stored => {
  const [user] = stored.users;
  return { ...stored, users: [{ ...user, disabledAt: new Date(0) }] };
};

/** Sign-ins, and the making of recovery codes. Each is a guarded statement of its own. */
export function actionsAt({ stored, known, now }: ModelState<Terms>, leftOut?: LeftOut): readonly Action<Terms>[] {
  const at = new Date(now);
  const { sessions } = stored;
  const byPassword =
    isDisabled(stored) || !hasPassword(stored) || sessions.length > 1 ? null : signedInWithPassword(stored, at);
  const byPasskey = known.accepted
    .filter(({ sid, factor }) => factor.kind === 'passkey' && sessions.every((session) => session.sid !== sid))
    .map(({ sid, factor }) => signedInWithPasskey(stored, { sid, factor, now: at }, leftOut));
  const newCodes = hasActiveFactor(stored) && stored.recoveryCodes.length > 0 ? withNewCodes(stored, leftOut) : null;
  const action = (says: string) => (after: typeof byPassword) => (after ? [{ says, stored: after }] : []);
  return [
    ...action('Username and password are right, in another browser.')(byPassword),
    ...byPasskey.flatMap(action('A browser is signed in with the passkey.')),
    ...action('New recovery codes are made.')(newCodes),
  ];
}

const WINDOW_STEPS = 1;
const cookieOf = (factor: ProvenFactor, draw: number) => new Uint8Array(32).fill(100 + draw + factor.id.length);

/** For the ledger. */
const withActor = <One extends { readonly type: string }>(asked: One) =>
  asked.type === 'removalRequestedByAdministrator'
    ? { ...asked, actor: { kind: 'operator', id: 'olga', addressHash: null } as const }
    : asked;

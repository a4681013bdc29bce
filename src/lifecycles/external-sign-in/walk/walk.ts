/** The walk of sign-ins at other places: answers, browsers and thieves, while an end-user is disabled, their sessions end and time passes. */
import type { Bytes } from '../../../model/grant.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { changeOf } from '../../../review/proof/carry-out.ts';
import { askingFor, defineWalk } from '../../../review/proof/define-walk.ts';
import { ALICE } from '../../../review/proof/end-users.ts';
import { after } from '../../../review/proof/instants.ts';
import { identityRemovalRequest } from '../../linked-identity/lifecycle.ts';
import { EXTERNAL_SIGN_INS } from '../entity.ts';
import { type Brought, externalSignInRequest } from '../lifecycle.ts';
import { INVARIANTS } from './invariants.ts';
import {
  ANOTHER_BROWSER,
  type Brings,
  INITIAL_STATES,
  ITS_BROWSER,
  idsFor,
  load,
  NAMESAKE,
  PROVIDER,
  type Stored,
  type Terms,
  THERE,
  USERNAMES,
} from './ports.ts';
import { requestsAt } from './requests.ts';

const BROWSERS = {
  its: { hash: ITS_BROWSER, says: 'the browser that began' },
  another: { hash: ANOTHER_BROWSER, says: 'another browser' },
  none: { hash: 'none', says: 'the application of the team' },
} as const;
const THINGS = { answerReceived: 'an answer', refusalReceived: 'a refusal', browserReturned: 'itself back' };

export const externalSignIns = defineWalk<Terms>({
  name: 'external-sign-ins',
  of: 'sign-ins at other places',
  machines: ['externalSignIn', 'linkedIdentity'],
  spec: 'OpenID Connect Core §5.7',
  bounds: [
    { requests: 4, inFlight: 2, faults: 0 },
    { requests: 3, inFlight: 2, faults: 1 },
  ],
  initialStates: INITIAL_STATES,
  load,
  requests: ({ stored }) => requestsAt(stored),
  asking: askingFor<Terms>({
    signIn: {
      name: ({ type, id }) => `${THINGS[type]} for ${id}`,
      from: ({ browser }) => `${BROWSERS[browser].says} brings`,
      request: (asked) => externalSignInRequest(broughtBy(asked)),
    },
    identity: {
      name: ({ id }) => `the removal of the identity ${id}`,
      from: ({ type }) => `${type === 'removalRequested' ? 'The end-user' : 'An administrator'} asks for`,
      request: ({ type }) => identityRemovalRequest(type),
    },
  }),
  whenAnswered: ({ signedIn }, _, answer) => {
    if (answer?.kind !== 'done' || !('row' in answer)) return { signedIn };
    const { signIn, user } = answer.row;
    return signIn.state === 'used' && user !== null
      ? { signedIn: [...signedIn, { id: signIn.id, userId: user.id }] }
      : { signedIn };
  },
  faults: ({ stored }) => [
    ...stored.users
      .filter(({ disabledAt }) => disabledAt === null)
      .map(({ id }) => ({
        says: `An administrator disables ${id}.`,
        stored: ended(stored, id, { disabledAt: after(0) }),
      })),
    ...stored.users
      .filter(({ id, epoch }) => stored.externalSignIns.some((one) => one.userId === id && one.userEpoch === epoch))
      .map(({ id }) => ({ says: `An administrator ends every session of ${id}.`, stored: ended(stored, id) })),
    ...(stored.users.some(({ username }) => username === NAMESAKE.username)
      ? []
      : [
          {
            says: `An administrator registers an end-user called ${NAMESAKE.username}.`,
            stored: { ...stored, users: [...stored.users, NAMESAKE] },
          },
        ]),
  ],
  instants: ({ stored }) => stored.externalSignIns.map(({ endsAt }) => endsAt.getTime()),
  invariants: INVARIANTS,
  words: {
    commit: (commit) => {
      const signIn = changeOf(commit, EXTERNAL_SIGN_INS);
      return signIn ? `the sign-in is ${signIn.after.state}` : 'the identity is removed';
    },
    commitNoun: (commit) => (changeOf(commit, EXTERNAL_SIGN_INS) ? 'sign-in' : 'removal'),
    sender: 'browsers',
  },
});

const ended = (stored: Stored, userId: string, change: Partial<RegisteredUser> = {}): Stored => ({
  ...stored,
  users: stored.users.map((user) => (user.id === userId ? { ...user, ...change, epoch: user.epoch + 1n } : user)),
});

const sameBytes = (one: Bytes, other: Bytes) => one === other;

function broughtBy({ id, type, browser, isAdmitted, registers }: Brings): Brought {
  const theirs = { amr: ['pwd'], authenticatedAt: after(0) };
  const ofUpstream = {
    identity: { ...THERE, provider: PROVIDER },
    theirs,
    justInTimeUser: registers ? { usernames: USERNAMES, claims: {} } : null,
  };
  return {
    type,
    admission: isAdmitted ? 'admitted' : 'not_admitted',
    sessionUserId: ALICE.id,
    browser: BROWSERS[browser].hash,
    ids: idsFor(id),
    sameBytes,
    actor: { kind: 'upstream', id: PROVIDER, addressHash: null },
    ...(type === 'refusalReceived' && { refusal: 'access_denied', isWithoutUser: true }),
    ...(type === 'answerReceived' && (browser === 'none' ? { theirs } : { isWithoutUser: true })),
    ...(type === 'browserReturned' && isUpstream(id) && ofUpstream),
  };
}

/** As the initial states name them. */
const isUpstream = (id: string): boolean => !id.startsWith('delegated');

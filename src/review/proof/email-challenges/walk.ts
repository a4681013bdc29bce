/** The walk of the links in mails: people who ask for links and press buttons, twice and late, while administrators change the account. */
import { running } from '../../../engine/run.ts';
import {
  type LinkUse,
  sendLinkRequest,
  useLinkRequest,
  withdrawLinkRequest,
} from '../../../lifecycles/email-challenge/lifecycle.ts';
import { commandLine } from '../../../model/actor.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import type { Action, Bounds, EngineRequest, Walk } from '../walk.ts';
import { hashOf, INITIAL_STATES, LIFETIME_SECONDS, secretHashOf } from './initial-states.ts';
import { INVARIANTS } from './invariants.ts';
import { requestsAt } from './requests.ts';
import { commitLinks, hasUser, load, movesOf, USER_ID } from './store.ts';
import type { Asked, Stored, Terms } from './terms.ts';
import { WORDS } from './words.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 2, inFlight: 2, faults: 1 },
  { requests: 3, inFlight: 2, faults: 0 },
];

export const emailChallenges: Walk<Terms> = {
  name: 'emailChallenges',
  of: 'links in mails',
  machines: ['emailChallenge', 'user'],
  bounds: BOUNDS,
  initialStates: INITIAL_STATES,
  running,
  machineOf: (machine) => machine,
  load,
  requestOf: (asked, draw) => requestOf(asked, draw) as EngineRequest<Terms>,
  commit: (stored, commit, _, leftOut) => commitLinks(stored, commit, leftOut),
  requests: ({ stored }) => requestsAt(stored),
  whenCommitted: (known, _, commit) => {
    const used = movesOf(commit)
      .filter(({ state }) => state === 'used')
      .map(({ id }) => id);
    return used.length === 0 ? known : { ...known, used: [...known.used, ...used] };
  },
  whenAnswered: (known) => known,
  actions: ({ stored }) => actionsOf(stored),
  faults: () => [],
  instants: ({ stored: { challenges } }) =>
    challenges.filter(({ state }) => state === 'active').map(({ endsAt }) => endsAt.getTime()),
  invariants: INVARIANTS,
  words: WORDS,
};

const isOffered = { isOffered: () => true };

function requestOf(asked: Asked, draw: number): unknown {
  if (asked.kind === 'withdraw') return withdrawLinkRequest(asked.id, commandLine);
  if (asked.kind === 'send') {
    const { purpose, address } = asked;
    const id = `${purpose} link ${draw}`;
    const userId = purpose === 'sign_up' || purpose === 'invitation' ? null : USER_ID;
    const fresh = {
      id,
      purpose,
      userId,
      address,
      secretHash: secretHashOf(id),
      goesOn: null,
      lifetimeSeconds: LIFETIME_SECONDS,
    };
    // Only a browser in which the password was typed asks for that.
    return sendLinkRequest(isOffered, fresh, { passwordIsProven: purpose === 'lost_factors' });
  }
  const undo = {
    id: `undo link ${draw}`,
    secretHash: secretHashOf(`undo link ${draw}`),
    lifetimeSeconds: LIFETIME_SECONDS,
  };
  return useLinkRequest(isOffered, secretHashOf(asked.id), useOf(asked.id, draw), undo, {
    passwordIsProven: asked.withPassword,
  });
}

/** By the link's name, which says its purpose. */
function useOf(id: string, draw: number): LinkUse {
  const passwordHash = hashOf(`password ${draw}`);
  if (id.includes('reset_password')) return { kind: 'password', passwordHash };
  if (!id.includes('sign_up') && !id.includes('invitation')) return { kind: 'press' };
  return { kind: 'account', id: USER_ID, registration: { username: 'alice', passwordHash, claims: {} } };
}

/** What administrators and the end-user do elsewhere. */
function actionsOf(stored: Stored): readonly Action<Terms>[] {
  const { user } = stored;
  if (user === null || !hasUser(stored) || user.deletedAt !== null) return [];
  const action = (says: string, change: Partial<RegisteredUser>): Action<Terms> => ({
    says,
    stored: { ...stored, user: { ...user, ...change }, version: stored.version + 1 },
  });
  const ends = { epoch: user.epoch + 1n };
  return [
    action('The end-user gets another password.', {
      ...ends,
      passwordHash: hashOf(`another ${user.epoch}`),
      passwordByLinkAt: null,
    }),
    action('An administrator changes the address.', { claims: { email: 'given@example.com', email_verified: true } }),
    ...(user.disabledAt === null
      ? [action('An administrator disables the end-user.', { ...ends, disabledAt: new Date(0) })]
      : [action('An administrator enables the end-user.', { disabledAt: null })]),
    action('An administrator deletes the end-user.', {
      ...ends,
      username: '',
      passwordHash: hashOf(''),
      claims: {},
      passwordByLinkAt: null,
      disabledAt: new Date(0),
      deletedAt: new Date(0),
    }),
  ];
}

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
import type { Bounds, Deed, EngineRequest, Walk } from '../walk.ts';
import { BEGINNINGS, hashOf, LIFETIME_SECONDS, secretHashOf } from './beginnings.ts';
import { INVARIANTS } from './invariants.ts';
import { requestsAt } from './requests.ts';
import { commitLinks, hasUser, load, movesOf, USER_ID } from './store.ts';
import type { Asked, Stored, Terms } from './terms.ts';
import { WORDS } from './words.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 2, inFlight: 2, disturbances: 1 },
  { requests: 3, inFlight: 2, disturbances: 0 },
];

export const emailChallenges: Walk<Terms> = {
  name: 'emailChallenges',
  of: 'links in mails',
  machines: ['emailChallenge', 'user'],
  bounds: BOUNDS,
  beginnings: BEGINNINGS,
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
  deeds: ({ stored }) => deedsOf(stored),
  disturbances: () => [],
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
function deedsOf(stored: Stored): readonly Deed<Terms>[] {
  const { user } = stored;
  if (user === null || !hasUser(stored) || user.deletedAt !== null) return [];
  const deed = (says: string, change: Partial<RegisteredUser>): Deed<Terms> => ({
    says,
    stored: { ...stored, user: { ...user, ...change }, version: stored.version + 1 },
  });
  const ends = { epoch: user.epoch + 1n };
  return [
    deed('The end-user gets another password.', {
      ...ends,
      passwordHash: hashOf(`another ${user.epoch}`),
      passwordByLinkAt: null,
    }),
    deed('An administrator changes the address.', { claims: { email: 'given@example.com', email_verified: true } }),
    ...(user.disabledAt === null
      ? [deed('An administrator disables the end-user.', { ...ends, disabledAt: new Date(0) })]
      : [deed('An administrator enables the end-user.', { disabledAt: null })]),
    deed('An administrator deletes the end-user.', {
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

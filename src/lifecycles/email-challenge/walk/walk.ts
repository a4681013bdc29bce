/** The walk of the links in mails: people who ask for links and press buttons, twice and late, while administrators change the account. */
import { commandLine } from '../../../model/actor.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { askingFor, defineWalk } from '../../../review/proof/define-walk.ts';
import { erased, hashOf } from '../../../review/proof/end-users.ts';
import type { Action } from '../../../review/proof/walk.ts';
import { type LinkUse, sendLinkRequest, useLinkRequest, withdrawLinkRequest } from '../lifecycle.ts';
import { INVARIANTS } from './invariants.ts';
import {
  addedBy,
  commitLinks,
  INITIAL_STATES,
  isBeforeAccount,
  LIFETIME_SECONDS,
  load,
  movesOf,
  type Stored,
  secretHashOf,
  type Terms,
  USER_ID,
  verifies,
} from './ports.ts';
import { requestsAt } from './requests.ts';

export const emailChallenges = defineWalk<Terms>({
  name: 'emailChallenges',
  of: 'links in mails',
  machines: ['emailChallenge', 'user'],
  spec: 'NIST SP 800-63B-4 §4.2',
  bounds: [
    { requests: 2, inFlight: 2, faults: 1 },
    { requests: 3, inFlight: 2, faults: 0 },
  ],
  initialStates: INITIAL_STATES,
  load,
  commit: (stored, commit, _, leftOut) => commitLinks(stored, commit, leftOut),
  requests: ({ stored }) => requestsAt(stored),
  asking: askingFor<Terms>({
    send: {
      name: ({ purpose }) => `a ${purpose} link`,
      from: 'A browser asks for',
      request: ({ purpose, address }, draw) => {
        const userId = isBeforeAccount(purpose) ? null : USER_ID;
        const fresh = { ...secretLink(`${purpose} link ${draw}`), purpose, userId, address, resumption: null };
        // Only a browser in which the password was typed asks for that.
        return sendLinkRequest(isOffered, fresh, { passwordIsProven: purpose === 'lost_factors' });
      },
    },
    use: {
      name: ({ id, withPassword }) => `the button of ${id}${withPassword ? ', signed in by password' : ''}`,
      from: 'A browser presses',
      request: ({ id, withPassword }, draw) =>
        useLinkRequest(isOffered, secretHashOf(id), useOf(id, draw), secretLink(`undo link ${draw}`), {
          passwordIsProven: withPassword,
        }),
    },
    withdraw: {
      name: ({ id }) => `the withdrawal of ${id}`,
      from: 'An administrator asks for',
      request: ({ id }) => withdrawLinkRequest(id, commandLine),
    },
  }),
  whenCommitted: (known, _, commit) => {
    const used = movesOf(commit)
      .filter(({ state }) => state === 'used')
      .map(({ id }) => id);
    return used.length === 0 ? known : { ...known, used: [...known.used, ...used] };
  },
  actions: ({ stored }) => actionsOf(stored),
  instants: ({ stored: { challenges } }) =>
    challenges.filter(({ state }) => state === 'active').map(({ endsAt }) => endsAt.getTime()),
  invariants: INVARIANTS,
  words: {
    commit: (commit) => {
      const added = addedBy(commit);
      return [
        ...(added ? [`${added.id} is sent`] : []),
        ...movesOf(commit).map(({ id, state }) => `${id} is ${state}`),
      ].join(', ');
    },
    commitNoun: () => 'links',
    sender: 'people',
  },
});

const isOffered = { isOffered: () => true };
const secretLink = (id: string) => ({ id, secretHash: secretHashOf(id), lifetimeSeconds: LIFETIME_SECONDS });

/** By the link's name, which says its purpose. */
function useOf(id: string, draw: number): LinkUse {
  const passwordHash = hashOf(`password ${draw}`);
  if (id.includes('reset_password')) return { kind: 'password', passwordHash };
  if (!id.includes('sign_up') && !id.includes('invitation')) return { kind: 'press' };
  return { kind: 'account', id: USER_ID, registration: { username: 'alice', passwordHash, claims: {} } };
}

/** The actions of administrators, and of the end-user in other browsers. */
const actionsOf = (stored: Stored): readonly Action<Terms>[] => [...actionsOnAccount(stored), ...addressTaken(stored)];

/** Of the address that a link would verify, between its load and its commit too. */
function addressTaken(stored: Stored): readonly Action<Terms>[] {
  const { user, challenges, takenAddress } = stored;
  const free = challenges.find(
    (one) => one.state === 'active' && verifies(one) && one.address !== (user?.signInAddress ?? null),
  );
  if (takenAddress !== null || free === undefined) return [];
  return [{ says: 'Another end-user gets the address of a link.', stored: { ...stored, takenAddress: free.address } }];
}

function actionsOnAccount(stored: Stored): readonly Action<Terms>[] {
  const { user } = stored;
  if (user === null || user.deletedAt !== null) return [];
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
    action('An administrator changes the address.', {
      claims: { email: 'given@example.com', email_verified: true },
      signInAddress: 'given@example.com',
    }),
    ...(user.disabledAt === null
      ? [action('An administrator disables the end-user.', { ...ends, disabledAt: new Date(0) })]
      : [action('An administrator enables the end-user.', { disabledAt: null })]),
    action('An administrator deletes the end-user.', erased(user, new Date(0))),
  ];
}

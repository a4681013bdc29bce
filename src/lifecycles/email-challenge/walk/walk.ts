/** The walk of the links in mails: people who ask for links and press buttons, twice and late, while administrators change the account. */
import { commandLine } from '../../../model/actor.ts';
import { NO_PASSWORD, type RegisteredUser } from '../../../model/user.ts';
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
  newPasskey,
  passkeyAddedBy,
  registered,
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
  machines: ['emailChallenge', 'user', 'passkey'],
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
        return sendLinkRequest(POLICY, fresh, { passwordIsProven: purpose === 'lost_factors' });
      },
    },
    use: {
      name: ({ id, withPassword, withPasskey }) =>
        `the button of ${id}${withPassword ? ', signed in by password' : ''}${withPasskey ? ', with a passkey' : ''}`,
      from: 'A browser presses',
      request: ({ id, withPassword, withPasskey = false }, draw) =>
        useLinkRequest(POLICY, secretHashOf(id), useOf(id, draw, withPasskey), secretLink(`undo link ${draw}`), {
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
      const passkey = passkeyAddedBy(commit);
      return [
        ...(added ? [`${added.id} is sent`] : []),
        ...movesOf(commit).map(({ id, state }) => `${id} is ${state}`),
        ...(passkey ? [`${passkey.id} is registered`] : []),
      ].join(', ');
    },
    commitNoun: () => 'links',
    sender: 'people',
  },
});

const POLICY = { isOffered: () => true, passkeyIsOffered: () => true };
const secretLink = (id: string) => ({ id, secretHash: secretHashOf(id), lifetimeSeconds: LIFETIME_SECONDS });

/** By the link's name, which says its purpose. */
function useOf(id: string, draw: number, withPasskey: boolean): LinkUse {
  const passwordHash = hashOf(`password ${draw}`);
  if (id.includes('reset_password')) return { kind: 'password', passwordHash };
  if (!id.includes('sign_up') && !id.includes('invitation')) return { kind: 'press' };
  const account = { kind: 'account', id: USER_ID } as const;
  const chosen = { username: 'alice', claims: {} };
  return withPasskey
    ? {
        ...account,
        registration: { ...chosen, passwordHash: NO_PASSWORD },
        passkey: newPasskey(`passkey ${draw}`, USER_ID),
      }
    : { ...account, registration: { ...chosen, passwordHash }, passkey: null };
}

/** The actions of administrators, and of the end-user in other browsers. */
const actionsOf = (stored: Stored): readonly Action<Terms>[] => [
  ...actionsOnAccount(stored),
  ...addressTaken(stored),
  ...credentialTaken(stored),
];

/** Of the address that a link would verify, between its load and its commit too. */
function addressTaken(stored: Stored): readonly Action<Terms>[] {
  const { user, challenges, takenAddress } = stored;
  const free = challenges.find(
    (one) => one.state === 'active' && verifies(one) && one.address !== (user?.signInAddress ?? null),
  );
  if (takenAddress !== null || free === undefined) return [];
  return [{ says: 'Another end-user gets the address of a link.', stored: { ...stored, takenAddress: free.address } }];
}

/** Of the passkey that a browser brings, between the load and the commit of the link's use too. */
function credentialTaken(stored: Stored): readonly Action<Terms>[] {
  const { challenges, passkeys } = stored;
  const makesAccount = challenges.some(({ userId, state }) => userId === null && state === 'active');
  if (!makesAccount || passkeys.length > 0) return [];
  const taken = registered('the passkey of another', 'another end-user');
  return [{ says: 'Another end-user registers the passkey.', stored: { ...stored, passkeys: [taken] } }];
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

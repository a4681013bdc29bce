/** The walk of codes in mails: the owner's browser, guessers, and thieves of the mailbox, while administrators change the account. */
import type { RegisteredUser } from '../../../model/user.ts';
import { askingFor, defineWalk } from '../../../review/proof/define-walk.ts';
import { erased } from '../../../review/proof/end-users.ts';
import { after } from '../../../review/proof/instants.ts';
import type { Action } from '../../../review/proof/walk.ts';
import { askForCodeRequest, presentCodeRequest, type SignInCodePolicy, sendCodeRequest } from '../lifecycle.ts';
import { INVARIANTS, usedIn } from './invariants.ts';
import {
  BROWSERS,
  codeHashOf,
  INITIAL_STATES,
  LIFETIME_SECONDS,
  load,
  PLACES,
  requestsAt,
  type Stored,
  type Terms,
  WRONG_CODES_ALLOWED,
} from './ports.ts';

const POLICY: SignInCodePolicy = {
  isOffered: true,
  lifetimeSeconds: LIFETIME_SECONDS,
  wrongCodesAllowed: WRONG_CODES_ALLOWED,
};

const TYPED = { right: 'the code of', wrong: 'a wrong code for' } as const;

export const signInCodes = defineWalk<Terms>({
  name: 'sign-in-codes',
  of: 'codes in mails',
  machines: ['signInCode'],
  spec: 'NIST SP 800-63B-4 §3.1.3.2',
  bounds: [
    { requests: 2, inFlight: 2, faults: 1 },
    { requests: 3, inFlight: 2, faults: 0 },
  ],
  initialStates: INITIAL_STATES,
  load,
  requests: ({ stored }) => requestsAt(stored),
  asking: askingFor<Terms>({
    ask: {
      name: 'a code',
      from: 'The browser of the end-user asks for',
      request: (_, draw) => {
        const id = `code ${draw}`;
        const { own: browserHash } = BROWSERS;
        const { own: place } = PLACES;
        return askForCodeRequest({ id, codeHash: codeHashOf(id), sealedAccount: '', browserHash, place }, POLICY);
      },
    },
    send: {
      name: ({ id, userId }) => `${id}, for ${userId ?? 'no account'}`,
      from: 'A node sends',
      request: ({ id }) => sendCodeRequest(id, POLICY),
    },
    present: {
      name: ({ id, typed }) => `${TYPED[typed]} ${id}`,
      from: ({ browser, place }) =>
        `${browser === 'own' ? 'The browser that asked' : 'Another browser'}${place === 'own' ? '' : ', in another sign-in,'} presents`,
      request: ({ id, typed, browser, place }) =>
        presentCodeRequest(
          id,
          {
            hashes: [typed === 'right' ? codeHashOf(id) : codeHashOf('no code')],
            browserHash: BROWSERS[browser],
            place: PLACES[place],
          },
          POLICY,
        ),
    },
  }),
  whenCommitted: (known, _, commit) => {
    const used = usedIn(commit);
    return used ? { ...known, used: [...known.used, used.after.id] } : known;
  },
  whenAnswered: (known, asked, answer) =>
    answer?.kind === 'accepted' && asked.kind === 'present'
      ? { ...known, accepted: [...known.accepted, asked.id] }
      : known,
  actions: ({ stored }) => actionsOf(stored),
  instants: ({ stored: { signInCodes: codes } }) =>
    codes.filter(({ state }) => state === 'requested' || state === 'active').map(({ endsAt }) => endsAt.getTime()),
  invariants: INVARIANTS,
  words: { commitNoun: () => 'the code', sender: 'browsers' },
});

const NEW_ADDRESS = { email: 'new@example.com', email_verified: true };

/** The actions of administrators, and of the end-user in other browsers. */
function actionsOf(stored: Stored): readonly Action<Terms>[] {
  const [user] = stored.users;
  if (user.deletedAt !== null) return [];
  const action = (says: string, change: Partial<RegisteredUser>): Action<Terms> => ({
    says,
    stored: { ...stored, users: [{ ...user, ...change }, stored.users[1]] },
  });
  return [
    action('The sessions of the end-user are ended.', { epoch: user.epoch + 1n }),
    ...(user.claims === NEW_ADDRESS ? [] : [action('The end-user gets another address.', { claims: NEW_ADDRESS })]),
    ...(user.disabledAt === null
      ? [action('An administrator disables the end-user.', { epoch: user.epoch + 1n, disabledAt: after(-1) })]
      : []),
    action('An administrator deletes the end-user.', erased(user, after(-1))),
  ];
}

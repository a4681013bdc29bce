/** Where every exploration of the links begins: each purpose, with a link that was sent. */
import type { EmailChallengePurpose } from '../../../../machines/email-challenge/facts.ts';
import { type EmailChallenge, personOf } from '../../../model/email-challenge.ts';
import type { RegisteredUser, User } from '../../../model/user.ts';
import type { InitialState } from '../walk.ts';
import { USER_ID } from './store.ts';
import type { Terms } from './terms.ts';

/** Milliseconds since 1970; any instant would do. */
export const BEGAN_AT = Date.UTC(2030, 0, 1);

/** What the purpose says about it matters to no decision but by when a link ends; the walk goes there. Seconds. */
export const LIFETIME_SECONDS = 1800;

export const OWN = 'alice@example.com';
export const OTHER = 'alice@new.example';

export const hashOf = (password: string) => password as User['passwordHash'];

const ALICE: RegisteredUser = {
  id: USER_ID,
  username: 'alice',
  passwordHash: hashOf('the password'),
  claims: { email: OWN, email_verified: true },
  epoch: 0n,
  disabledAt: null,
  deletedAt: null,
  importedHash: null,
  passwordByLinkAt: null,
};
/** By somebody who reads the mailbox: after the factor was added. */
const BY_LINK: RegisteredUser = { ...ALICE, passwordByLinkAt: new Date(BEGAN_AT - 120_000) };
const UNVERIFIED: RegisteredUser = { ...ALICE, claims: { email: OWN } };
const DISABLED: RegisteredUser = { ...ALICE, epoch: 1n, disabledAt: new Date(BEGAN_AT - 1000) };

/** The bytes of a secret's hash do not matter here, only that each link has its own. */
export const secretHashOf = (id: string): Uint8Array => Buffer.from(id);

function link(
  purpose: EmailChallengePurpose,
  user: RegisteredUser | null,
  address = OWN,
  secondsAgo = 60,
  newerLinks = 0,
): EmailChallenge {
  const userId = user?.id ?? null;
  const id = newerLinks === 0 ? `the ${purpose} link` : `the older ${purpose} link`;
  return {
    id,
    purpose,
    state: 'active',
    supersededReason: null,
    secretHash: secretHashOf(id),
    person: personOf({ userId, address }),
    userId,
    userEpoch: user === null ? null : 0n,
    address,
    goesOn: null,
    newerLinks,
    createdAt: new Date(BEGAN_AT - secondsAgo * 1000),
    endsAt: new Date(BEGAN_AT + (LIFETIME_SECONDS - secondsAgo) * 1000),
  };
}

const CHANGED: RegisteredUser = { ...ALICE, claims: { email: OTHER, email_verified: true } };

const SITUATIONS: readonly (readonly [string, RegisteredUser | null, readonly EmailChallenge[]])[] = [
  ['An end-user has a link for a new password', ALICE, [link('reset_password', ALICE)]],
  [
    'An end-user has two links for a new password, and eight between them have gone',
    ALICE,
    [link('reset_password', ALICE), link('reset_password', ALICE, OWN, 120, 9)],
  ],
  [
    'An end-user has two links that confirm the address',
    UNVERIFIED,
    [link('verify_address', UNVERIFIED), link('verify_address', UNVERIFIED, OWN, 120, 1)],
  ],
  ['An end-user has a link that confirms the address', UNVERIFIED, [link('verify_address', UNVERIFIED)]],
  ['An end-user has a link to another address', ALICE, [link('change_address', ALICE, OTHER)]],
  [
    'The address was changed, can be changed back, and is about to be changed again',
    CHANGED,
    [link('change_address', CHANGED, 'third@example.com'), link('undo_change', CHANGED, OWN, 120)],
  ],
  ['Somebody has a link for a new account', null, [link('sign_up', null)]],
  ['Somebody is invited', null, [link('invitation', null)]],
  ['An end-user has lost a passkey, and has a link to say so', ALICE, [link('lost_factors', ALICE)]],
  ['A link has set the password of an end-user with a passkey', BY_LINK, []],
  ['An end-user who is disabled has a link from before', DISABLED, [link('reset_password', DISABLED)]],
];

export const INITIAL_STATES: readonly InitialState<Terms>[] = SITUATIONS.map(([says, user, challenges]) => ({
  says: `${says}.`,
  now: BEGAN_AT,
  stored: { user, version: 1, challenges, factorSince: user === null ? null : BEGAN_AT - 3_600_000 },
  known: { used: [], answered: 0 },
}));

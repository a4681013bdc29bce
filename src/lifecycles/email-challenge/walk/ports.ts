/** The model of the links in mails: one end-user, or one address, with every link that was sent. */
import type { EmailChallengePurpose } from '../../../../machines/email-challenge/facts.ts';
import type { Commit, Write } from '../../../engine/commit.ts';
import { addressKey, type RegisteredUser } from '../../../model/user.ts';
import { carryOut, type LeftOut, newestFirst, newestOf, versioned } from '../../../review/proof/carry-out.ts';
import { initialState } from '../../../review/proof/define-walk.ts';
import { ALICE } from '../../../review/proof/end-users.ts';
import { drawnId } from '../../../review/proof/identities.ts';
import { after } from '../../../review/proof/instants.ts';
import { PASSKEYS, type Passkey } from '../../passkey/entity.ts';
import { EMAIL_CHALLENGES, type EmailChallenge, personOf } from '../entity.ts';
import type { LinkRejected, LinkUsed, LoadedEmailChallenge } from '../lifecycle.ts';

export type Asked =
  | { readonly kind: 'send'; readonly purpose: EmailChallengePurpose; readonly address: string }
  /** `id`: of the link whose button is pressed. `withPassword`: in a browser in which the password was typed. `withPasskey`: which comes instead of a new password. */
  | { readonly kind: 'use'; readonly id: string; readonly withPassword?: boolean; readonly withPasskey?: boolean }
  | { readonly kind: 'withdraw'; readonly id: string };

export type Stored = {
  readonly user: RegisteredUser | null;
  /** Each write of the end-user's row makes another version, as in Postgres. */
  readonly version: number;
  /** The end-user has a passkey or an app since then. Milliseconds since 1970; null: none. */
  readonly factorSince: number | null;
  /** Another end-user signs in by this address; null: none does. */
  readonly takenAddress: string | null;
  readonly passkeys: readonly Passkey[];
  /** Newest first. */
  readonly challenges: readonly EmailChallenge[];
};

type Known = {
  /** The links whose use was committed, in the order of that. */
  readonly used: readonly string[];
  /** The number of answers that arrived. */
  readonly answered: number;
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedEmailChallenge;
  readonly commit: Commit;
  readonly answer: { readonly kind: 'sent' } | LinkUsed | LinkRejected | boolean;
  readonly known: Known;
};

export const USER_ID = drawnId();

/** Only the end of a link depends on its lifetime, and the walk goes there, so one lifetime stands for those of all purposes. Seconds. */
export const LIFETIME_SECONDS = 1800;

export const OWN = 'alice@example.com';
export const OTHER = 'alice@new.example';

const OWNER: RegisteredUser = {
  ...ALICE,
  id: USER_ID,
  claims: { email: OWN, email_verified: true },
  signInAddress: OWN,
};
const OTHER_USER: RegisteredUser = { ...ALICE, id: 'another end-user', username: 'bob' };
/** Set by a reader of the mailbox, after the factor was added. */
const BY_LINK: RegisteredUser = { ...OWNER, passwordByLinkAt: after(-120) };
const UNVERIFIED: RegisteredUser = { ...OWNER, claims: { email: OWN }, signInAddress: null };
const DISABLED: RegisteredUser = { ...OWNER, epoch: 1n, disabledAt: after(-1) };

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
    resumption: null,
    newerLinks,
    createdAt: after(-secondsAgo),
    endsAt: after(LIFETIME_SECONDS - secondsAgo),
  };
}

/** Of the passkey that each browser of this walk makes. */
export const CREDENTIAL: Uint8Array = Buffer.from('the credential');
export const newPasskey = (id: string, userId: string) => ({
  id,
  userId,
  name: 'Passkey',
  credentialId: CREDENTIAL,
  publicKey: Buffer.from('a public key'),
  counter: 0,
  backupEligible: false,
  transports: [],
});
export const registered = (id: string, userId: string): Passkey => ({
  ...newPasskey(id, userId),
  state: 'active',
  createdAt: after(-60),
  lastUsedAt: null,
  removedAt: null,
});

const CHANGED: RegisteredUser = { ...OWNER, claims: { email: OTHER, email_verified: true }, signInAddress: OTHER };

const stored = (user: RegisteredUser | null, challenges: readonly EmailChallenge[]): Stored => ({
  user,
  version: 1,
  challenges,
  factorSince: user === null ? null : after(-3600).getTime(),
  takenAddress: null,
  passkeys: [],
});

const given = (says: string, user: RegisteredUser | null, ...challenges: EmailChallenge[]) =>
  initialState<Terms>(says, stored(user, challenges), { used: [], answered: 0 });

/** The address of the link is taken. */
const taken = (says: string, user: RegisteredUser | null, challenge: EmailChallenge) =>
  initialState<Terms>(
    says,
    { ...stored(user, [challenge]), takenAddress: challenge.address },
    { used: [], answered: 0 },
  );

export const INITIAL_STATES = [
  given('An end-user has a link for a new password', OWNER, link('reset_password', OWNER)),
  given(
    'An end-user has two links for a new password, and eight between them have gone',
    OWNER,
    link('reset_password', OWNER),
    link('reset_password', OWNER, OWN, 120, 9),
  ),
  given(
    'An end-user has two links that confirm the address',
    UNVERIFIED,
    link('verify_address', UNVERIFIED),
    link('verify_address', UNVERIFIED, OWN, 120, 1),
  ),
  given('An end-user has a link that confirms the address', UNVERIFIED, link('verify_address', UNVERIFIED)),
  given('An end-user has a link to another address', OWNER, link('change_address', OWNER, OTHER)),
  given(
    'The address was changed, can be changed back, and is about to be changed again',
    CHANGED,
    link('change_address', CHANGED, 'third@example.com'),
    link('undo_change', CHANGED, OWN, 120),
  ),
  given('An address has a link for a new account', null, link('sign_up', null)),
  initialState<Terms>(
    'An address has a link for a new account, and another end-user has the passkey that will come',
    { ...stored(null, [link('sign_up', null)]), passkeys: [registered('the passkey of another', OTHER_USER.id)] },
    { used: [], answered: 0 },
  ),
  given('An address is invited', null, link('invitation', null)),
  given('An end-user has lost a passkey, and has a link to say so', OWNER, link('lost_factors', OWNER)),
  given('A link has set the password of an end-user with a passkey', BY_LINK),
  taken('Another end-user signs in by the address of a link', OWNER, link('change_address', OWNER, OTHER)),
  taken('Another end-user signs in by the address of a link for a new account', null, link('sign_up', null)),
  given('An end-user who is disabled has a link from before', DISABLED, link('reset_password', DISABLED)),
];

// The links in memory, under the same contract as in Postgres (src/storage/email-challenges.ts): all of a commit, or nothing.

export const isBeforeAccount = (purpose: EmailChallengePurpose): boolean =>
  purpose === 'sign_up' || purpose === 'invitation';
/** Its address is the verified one afterwards. */
export const verifies = ({ purpose }: Pick<EmailChallenge, 'purpose'>): boolean =>
  purpose !== 'reset_password' && purpose !== 'lost_factors';
/** The address, where there is no account yet. */
const personAsked = ({ purpose, address }: Extract<Asked, { kind: 'send' }>): string =>
  isBeforeAccount(purpose) ? `address ${addressKey(address)}` : USER_ID;

export function load(stored: Stored, asked: Asked, now: Date): Terms['loaded'] {
  const { user, version, challenges, factorSince, takenAddress, passkeys } = stored;
  const target = asked.kind === 'send' ? undefined : challenges.find(({ id }) => id === asked.id);
  const person = asked.kind === 'send' ? personAsked(asked) : target?.person;
  // With the links that a lost commit may have sent.
  const theirs = challenges.filter(
    (one) => one.person === person && (one === target || asked.kind === 'send' || one.state === 'active'),
  );
  const isTheirs = asked.kind === 'send' ? person === USER_ID : target?.userId === USER_ID;
  const isTaken = asked.kind === 'use' && target !== undefined && verifies(target) && target.address === takenAddress;
  const known = asked.kind === 'use' && asked.withPasskey ? passkeys.find(isCredential) : undefined;
  const identified = {
    addressesIdentify: true,
    addressOf: isTaken ? 'another end-user' : null,
    ...(known && { passkeyState: known.state }),
  };
  // Of the accounts that links make, the walk has one: another would have the same username.
  return isTheirs
    ? {
        ...identified,
        now,
        challenges: theirs,
        user,
        version: user === null ? null : String(version),
        usernameOf: null,
        oldestFactorAt: factorSince === null ? null : new Date(factorSince),
      }
    : {
        ...identified,
        now,
        challenges: theirs,
        user: null,
        version: null,
        usernameOf: user?.id ?? null,
        oldestFactorAt: null,
      };
}

const isCredential = ({ credentialId }: Pick<Passkey, 'credentialId'>): boolean =>
  Buffer.compare(credentialId, CREDENTIAL) === 0;

/** That the commit registers; null: none. */
export const passkeyAddedBy = ({ writes }: Commit): Passkey | null =>
  writes.flatMap((write) =>
    write.table === PASSKEYS.name && write.kind === 'insert' ? [write.row as Passkey] : [],
  )[0] ?? null;

/** Links that the commit changes, or sends. */
const linkWrites = ({ writes }: Commit): readonly Write[] =>
  writes.filter(({ table }) => table === EMAIL_CHALLENGES.name);
export const movesOf = (commit: Commit): readonly Pick<EmailChallenge, 'id' | 'state'>[] =>
  linkWrites(commit).flatMap((write) =>
    write.kind === 'update' ? [{ ...write.loaded, ...write.set } as EmailChallenge] : [],
  );
export const addedBy = (commit: Commit): EmailChallenge | null =>
  linkWrites(commit).flatMap((write) => (write.kind === 'insert' ? [write.row as EmailChallenge] : []))[0] ?? null;

/** @returns null when a fact did not hold: nothing changed. */
export function commitLinks(stored: Stored, commit: Commit, leftOut?: LeftOut): Stored | null {
  const { user, version, challenges, takenAddress, passkeys } = stored;
  const others = takenAddress === null ? [] : versioned({ ...OTHER_USER, signInAddress: takenAddress }, 1);
  const users = [...others, ...versioned(user, version)];
  const after = carryOut({ users, emailChallenges: challenges, passkeys }, commit, leftOut);
  if (after === null) return null;
  const sorted = newestFirst(after.emailChallenges, challenges.length);
  if (after.users === users) return { ...stored, challenges: sorted };
  return {
    ...stored,
    user: newestOf(after.users),
    version: version + 1,
    challenges: sorted,
    passkeys: after.passkeys,
  };
}

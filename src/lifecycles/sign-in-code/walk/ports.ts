/** The model of codes in mails: two end-users, and the codes that browsers asked for. */
import type { Commit } from '../../../engine/commit.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { initialState } from '../../../review/proof/define-walk.ts';
import { ALICE } from '../../../review/proof/end-users.ts';
import { after } from '../../../review/proof/instants.ts';
import { isOpen, type SignInCode } from '../entity.ts';
import type { LoadedSignInCode, SignInCodeRejected } from '../lifecycle.ts';

type Whose = 'own' | 'another';

export type Asked =
  | { readonly kind: 'ask' }
  /** `userId`: of the account that the typed text names. */
  | { readonly kind: 'send'; readonly id: string; readonly userId: string | null }
  | {
      readonly kind: 'present';
      readonly id: string;
      /** A reader of the mail types the right one. */
      readonly typed: 'right' | 'wrong';
      readonly browser: Whose;
      readonly place: Whose;
    };

export type Stored = {
  readonly users: readonly [RegisteredUser, RegisteredUser];
  readonly signInCodes: readonly SignInCode[];
};

type Known = {
  /** The codes whose use was committed, and those whose acceptance was answered. */
  readonly used: readonly string[];
  readonly accepted: readonly string[];
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedSignInCode;
  readonly commit: Commit;
  readonly answer: { readonly kind: 'stored' | 'sent' | 'accepted' } | SignInCodeRejected;
  readonly known: Known;
};

/** Only the end of a code depends on its lifetime, and the walk goes there, so one lifetime stands for all. */
export const LIFETIME_SECONDS = 600;
export const WRONG_CODES_ALLOWED = 1;

const bytes = (text: string): Uint8Array => Buffer.from(text);
export const BROWSERS: Readonly<Record<Whose, Uint8Array>> = {
  own: bytes('the browser that asked'),
  another: bytes('another browser'),
};
export const PLACES: Readonly<Record<Whose, string>> = { own: 'a sign-in', another: 'another sign-in' };
/** The bytes do not matter here, only that each code has its own. */
export const codeHashOf = (id: string): Uint8Array => bytes(`hash of ${id}`);

const ADDRESS = 'alice@example.com';
const OWNER: RegisteredUser = { ...ALICE, claims: { email: ADDRESS, email_verified: true } };
const OTHER: RegisteredUser = {
  ...ALICE,
  id: 'bob',
  username: 'bob',
  claims: { email: 'bob@example.com', email_verified: true },
};

const code = (change: Partial<SignInCode> = {}): SignInCode => {
  const id = change.id ?? 'the code';
  return {
    id,
    codeHash: codeHashOf(id),
    sealedAccount: '',
    browserHash: BROWSERS.own,
    place: PLACES.own,
    state: 'requested',
    wrongCodes: 0,
    userId: null,
    userEpoch: null,
    address: null,
    createdAt: after(-60),
    endsAt: after(LIFETIME_SECONDS - 60),
    ...change,
  };
};
const SENT = { state: 'active', userId: OWNER.id, userEpoch: 0n, address: ADDRESS } as const;

const given = (says: string, ...signInCodes: SignInCode[]) =>
  initialState<Terms>(says, { users: [OWNER, OTHER], signInCodes }, { used: [], accepted: [] });

export const INITIAL_STATES = [
  given('No browser has asked for a code'),
  given('A browser has asked for a code', code()),
  given('An end-user has a code', code(SENT)),
  given('An end-user has a code, and one more wrong code ends it', code({ ...SENT, wrongCodes: 1 })),
  given('A code is about to be spent before it is sent', code({ wrongCodes: 1 })),
  given('A code was used', code({ ...SENT, state: 'used' })),
];

const userOf = ({ users }: Stored, id: string | null): RegisteredUser | null =>
  users.find((user) => user.id === id) ?? null;

/** As the statements load them (src/storage/sign-in-codes.ts). */
export function load(stored: Stored, asked: Asked, now: Date): LoadedSignInCode {
  if (asked.kind === 'ask') return { now, codes: stored.signInCodes.filter(isOpen), user: null };
  const codes = stored.signInCodes.filter(({ id }) => id === asked.id);
  const userId = asked.kind === 'send' ? asked.userId : (codes[0]?.userId ?? null);
  return { now, codes, user: userOf(stored, userId) };
}

export function requestsAt({ signInCodes }: Stored): readonly Asked[] {
  return [
    { kind: 'ask' },
    ...signInCodes.flatMap(({ id }): readonly Asked[] => [
      { kind: 'send', id, userId: OWNER.id },
      { kind: 'send', id, userId: OTHER.id },
      { kind: 'present', id, typed: 'right', browser: 'own', place: 'own' },
      { kind: 'present', id, typed: 'wrong', browser: 'own', place: 'own' },
      { kind: 'present', id, typed: 'right', browser: 'another', place: 'own' },
      { kind: 'present', id, typed: 'right', browser: 'own', place: 'another' },
      { kind: 'present', id, typed: 'wrong', browser: 'another', place: 'own' },
    ]),
  ];
}

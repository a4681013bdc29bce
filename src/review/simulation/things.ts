/** What the steps of a scenario give and present: each kind of thing, which steps give it, and what it is called. */
import type { PERSON_DEEDS } from './scenario-file.ts';

/** What steps of people give, besides the code of an approval. */
export const GIVEN_KINDS = [
  'cookie',
  'app',
  'appCode',
  'passkey',
  'recoveryCode',
  'answer',
  'link',
  'resetMail',
  'changeMail',
  'undoMail',
  'lostMail',
] as const;
export type GivenKind = (typeof GIVEN_KINDS)[number];
/** What people present, read or remove. */
export type PersonalKind = GivenKind | 'password';
export type Kind = PersonalKind | 'code' | 'tokens';

/** As a noun, before its name. */
export const GIVEN_WORDS: Readonly<Record<GivenKind, string>> = {
  cookie: 'cookie',
  app: 'app',
  appCode: 'code',
  passkey: 'passkey',
  recoveryCode: 'recovery code',
  answer: 'answer',
  link: 'link',
  resetMail: 'mail',
  changeMail: 'mail',
  undoMail: 'mail',
  lostMail: 'mail',
};

/** What a deed gives; null: nothing. */
export const GIVEN_BY: Readonly<Record<(typeof PERSON_DEEDS)[number], GivenKind | null>> = {
  'open the consent page': null,
  'set up an authenticator app': 'app',
  'add a passkey': 'passkey',
  'make recovery codes': 'recoveryCode',
  'go elsewhere to sign in': 'answer',
  'go elsewhere to link': 'link',
  'ask for a new password': 'resetMail',
  'ask to change the address': 'changeMail',
  'say that every factor was lost': 'lostMail',
  'set a new password': 'cookie',
  'sign out': null,
  'sign out elsewhere': null,
  'delete the account': null,
};

/** What the presentation of a thing gives; null: nothing. A kind that is not listed is not presented. */
export const GIVEN_FOR: Readonly<Partial<Record<Kind, GivenKind | 'tokens' | null>>> = {
  code: 'tokens',
  tokens: 'tokens',
  password: 'cookie',
  cookie: null,
  appCode: 'cookie',
  recoveryCode: 'cookie',
  passkey: 'cookie',
  answer: 'cookie',
  link: null,
  resetMail: null,
  // The address from before can undo it.
  changeMail: 'undoMail',
  undoMail: null,
  lostMail: null,
};

export const REMOVABLE: readonly Kind[] = ['app', 'passkey', 'link'];

export const isPersonal = (kind: Kind): kind is PersonalKind => kind !== 'code' && kind !== 'tokens';

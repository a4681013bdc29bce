/** The actions of people in a browser, each by its word, and each credential by its kind. */
import type { Acting, Actor, Typed } from '../scenario.ts';
import type { Answer, CredentialOf, PersonalCredential } from '../stage.ts';
import type { BrowserAction } from '../vocabulary.ts';
import { deleteAccount, presentCookie, presentPassword, setPassword, signOut, signOutElsewhere } from './account.ts';
import {
  addPasskey,
  checkTrustBox,
  newCodes,
  presentCode,
  presentPasskey,
  removeApp,
  removePasskey,
  setUpApp,
  trustNoBrowser,
} from './factors.ts';
import { comeBack, goToLink, goToSignIn, removeIdentity } from './federated.ts';
import { askAboutLostFactors, askForChange, askForReset, pressButton } from './links.ts';
import { askForMailedCode, presentMailedCode } from './mailed-codes.ts';
import { DONE, gives, type Person } from './person.ts';

type Does = (person: Person, actor: Actor, typed: Typed) => Promise<Answer>;

/** Those that need the request of the client. */
export type AtTheClient = Readonly<Record<'open the consent page' | 'push a request', Does>> & {
  readonly openRequest: (actor: Actor, request: CredentialOf<'request'>) => Promise<Answer>;
};

const ACTIONS: Readonly<Record<Exclude<BrowserAction, keyof AtTheClient>, Does>> = {
  'set up an authenticator app': setUpApp,
  'add a passkey': addPasskey,
  'make recovery codes': newCodes,
  'go elsewhere to sign in': goToSignIn,
  'go elsewhere to link': goToLink,
  'ask for a code by mail': askForMailedCode,
  'ask for a new password': askForReset,
  'ask to change the address': askForChange,
  'say that every factor was lost': askAboutLostFactors,
  'set a new password': setPassword,
  'trust the browser': checkTrustBox,
  'trust no browser': trustNoBrowser,
  'sign out': signOut,
  'sign out elsewhere': signOutElsewhere,
  'delete the account': deleteAccount,
};

/** @param credential null: the password, or an action without a credential. */
export async function act(
  person: Person,
  actor: Actor,
  { act: does, password }: Acting,
  credential: PersonalCredential | null,
  atTheClient: AtTheClient,
): Promise<Answer> {
  switch (does) {
    case 'shows':
      if (credential === null) return presentPassword(person, actor, password);
      return credential.kind === 'request'
        ? atTheClient.openRequest(actor, credential)
        : show(person, actor, credential);
    case 'reads':
      return credential?.kind === 'app'
        ? gives({ kind: 'appCode', code: credential.app.codeAt(person.server.clock.now()) })
        : DONE;
    case 'removes':
      return credential === null ? DONE : remove(person, actor, credential);
    case 'open the consent page':
    case 'push a request':
      return atTheClient[does](person, actor, password);
    default:
      return ACTIONS[does](person, actor, password);
  }
}

async function show(
  person: Person,
  actor: Actor,
  credential: Exclude<PersonalCredential, CredentialOf<'request'>>,
): Promise<Answer> {
  if ('code' in credential) return presentCode(person, actor, credential);
  switch (credential.kind) {
    case 'cookie':
      return presentCookie(person, actor, credential);
    case 'passkey':
      return presentPasskey(person, actor, credential);
    case 'answer':
    case 'link':
      return comeBack(person, actor, credential);
    case 'mailedCode':
      return presentMailedCode(person, actor, credential);
    case 'app':
      return DONE;
    default:
      return pressButton(person, actor, credential);
  }
}

async function remove(person: Person, actor: Actor, credential: PersonalCredential): Promise<Answer> {
  switch (credential.kind) {
    case 'app':
      return removeApp(person, actor, credential);
    case 'passkey':
      return removePasskey(person, actor, credential);
    case 'link':
      return removeIdentity(person, actor, credential);
    default:
      return DONE;
  }
}

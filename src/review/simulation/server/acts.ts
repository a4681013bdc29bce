/** What a person does in a browser, each by its word. */
import type { Acting, Actor, PersonDeed, Typed } from '../scenario.ts';
import { deleteAccount, presentCookie, presentPassword, setPassword, signOut, signOutElsewhere } from './account.ts';
import {
  addPasskey,
  newRecoveryCodes,
  presentCode,
  presentPasskey,
  removeApp,
  removePasskey,
  setUpApp,
} from './factors.ts';
import { comeBack, goToLink, goToSignIn, removeIdentity, type There } from './federated.ts';
import { askAboutLostFactors, askForChange, askForReset, pressButton } from './links.ts';
import type { Mails } from './mails.ts';
import { DONE, gives, type Person, type Said } from './person.ts';
import type { PersonalThing } from './things.ts';

export type World = {
  readonly person: Person;
  readonly mails: Mails;
  readonly there: There;
  readonly openConsent: (actor: Actor) => Promise<Said>;
};

type Deed = (world: World, actor: Actor, typed: Typed) => Promise<Said>;

const DEEDS: Readonly<Record<PersonDeed, Deed>> = {
  'open the consent page': ({ openConsent }, actor) => openConsent(actor),
  'set up an authenticator app': ({ person }, actor) => setUpApp(person, actor),
  'add a passkey': ({ person }, actor) => addPasskey(person, actor),
  'make recovery codes': ({ person }, actor) => newRecoveryCodes(person, actor),
  'go elsewhere to sign in': ({ person, there }, actor) => goToSignIn(person, there, actor),
  'go elsewhere to link': ({ person, there }, actor) => goToLink(person, there, actor),
  'ask for a new password': ({ person, mails }, actor) => askForReset(person, mails, actor),
  'ask to change the address': ({ person, mails }, actor) => askForChange(person, mails, actor),
  'say that every factor was lost': ({ person, mails }, actor) => askAboutLostFactors(person, mails, actor),
  'set a new password': ({ person }, actor, typed) => setPassword(person, actor, typed),
  'sign out': ({ person }, actor) => signOut(person, actor),
  'sign out elsewhere': ({ person }, actor) => signOutElsewhere(person, actor),
  'delete the account': ({ person }, actor) => deleteAccount(person, actor),
};

/** @param thing null: the deed is about none. */
export async function act(
  world: World,
  actor: Actor,
  { act: does, password }: Acting,
  thing: PersonalThing | null,
): Promise<Said> {
  switch (does) {
    case 'shows':
      return thing === null ? presentPassword(world.person, actor, password) : show(world, actor, thing);
    case 'reads':
      return thing?.kind === 'app'
        ? gives({ kind: 'appCode', code: thing.app.codeAt(world.person.server.clock.now()) })
        : DONE;
    case 'removes':
      return thing === null ? DONE : remove(world, actor, thing);
    default:
      return DEEDS[does](world, actor, password);
  }
}

async function show({ person, mails, there }: World, actor: Actor, thing: PersonalThing): Promise<Said> {
  switch (thing.kind) {
    case 'cookie':
      return presentCookie(person, actor, thing.value);
    case 'appCode':
    case 'recoveryCode':
      return presentCode(person, actor, thing.code);
    case 'passkey':
      return presentPasskey(person, actor, thing);
    case 'answer':
    case 'link':
      return comeBack(person, there, actor, thing);
    case 'resetMail':
    case 'changeMail':
    case 'undoMail':
    case 'lostMail':
      return pressButton(person, mails, actor, thing);
    case 'app':
      return DONE;
  }
}

async function remove({ person, there }: World, actor: Actor, thing: PersonalThing): Promise<Said> {
  switch (thing.kind) {
    case 'app':
      return removeApp(person, actor, thing);
    case 'passkey':
      return removePasskey(person, actor, thing);
    case 'link':
      return removeIdentity(person, there, actor, thing);
    default:
      return DONE;
  }
}

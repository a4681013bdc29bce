/** What a person does in a browser, each by its word. */
import type { Acting, Actor, PersonDeed } from '../scenario.ts';
import { deleteAccount, setPassword, signOut, signOutElsewhere } from './account.ts';
import { openConsent } from './approvals.ts';
import { comeBack, goElsewhere, removeIdentity } from './elsewhere.ts';
import { newRecoveryCodes, presentCode, readCode, removeApp, setUpApp } from './factors.ts';
import { askAboutLostFactors, askForChange, askForReset, pressButton } from './mails.ts';
import { addPasskey, presentPasskey, removePasskey } from './passkeys.ts';
import { presentPassword } from './password.ts';
import { useCookie } from './sessions.ts';
import { DONE, type PersonalAnswer, type PersonalThing, refused, type World } from './world.ts';

type Deed = (world: World, actor: Actor, action: Acting) => PersonalAnswer;

const DEEDS = (access: Parameters<typeof openConsent>[2]): Readonly<Record<PersonDeed, Deed>> => ({
  'open the consent page': (world, actor) => openConsent(world, actor, access, false) ?? DONE,
  'set up an authenticator app': setUpApp,
  'add a passkey': addPasskey,
  'make recovery codes': newRecoveryCodes,
  'go elsewhere to sign in': (world, actor) => goElsewhere(world, actor, 'signIn'),
  'go elsewhere to link': (world, actor) => goElsewhere(world, actor, 'link'),
  'ask for a new password': askForReset,
  'ask to change the address': askForChange,
  'say that every factor was lost': askAboutLostFactors,
  'set a new password': (world, actor, { password }) => setPassword(world, actor, password),
  'sign out': signOut,
  'sign out elsewhere': signOutElsewhere,
  'delete the account': deleteAccount,
});

/** @param access that a consent page is about. @param thing null: the deed is about none. */
export function act(
  world: World,
  actor: Actor,
  action: Acting,
  thing: PersonalThing | null,
  access: Parameters<typeof openConsent>[2],
): PersonalAnswer {
  switch (action.act) {
    case 'shows':
      return thing === null ? presentPassword(world, actor, action.password) : show(world, actor, thing);
    case 'reads':
      return thing?.kind === 'app' ? readCode(world, thing) : DONE;
    case 'removes':
      return thing === null ? DONE : remove(world, actor, thing);
    default:
      return DEEDS(access)[action.act](world, actor, action);
  }
}

function show(world: World, actor: Actor, thing: PersonalThing): PersonalAnswer {
  switch (thing.kind) {
    case 'cookie': {
      world.browserOf(actor).cookie = thing.idHash;
      const used = useCookie(world, actor);
      if (used.kind === 'awaitsFactor') return refused('second_factor_required');
      return used.kind === 'none' ? refused(used.reason) : DONE;
    }
    case 'appCode':
    case 'recoveryCode':
      return presentCode(world, actor, thing);
    case 'passkey':
      return presentPasskey(world, actor, thing);
    case 'answer':
    case 'link':
      return comeBack(world, actor, thing);
    case 'resetMail':
    case 'changeMail':
    case 'undoMail':
    case 'lostMail':
      return pressButton(world, actor, thing);
    case 'app':
      return DONE;
  }
}

function remove(world: World, actor: Actor, thing: PersonalThing): PersonalAnswer {
  switch (thing.kind) {
    case 'app':
      return removeApp(world, actor, thing);
    case 'passkey':
      return removePasskey(world, actor, thing);
    case 'link':
      return removeIdentity(world, actor, thing);
    default:
      return DONE;
  }
}

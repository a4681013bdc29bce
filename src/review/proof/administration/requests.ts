/** What administrators ask for: each change, of whatever is stored, and of what they saw before. */
import { type ClientChange, FIRST_SECRET, secretIdOf } from '../../../lifecycles/client/lifecycle.ts';
import type { AdministeredUserChange } from '../../../lifecycles/user/lifecycle.ts';
import { type Actor, commandLine, configurationFiles } from '../../../model/actor.ts';
import { CONFIDENTIAL, DECLARED, hashOf, IMPORTED, PUBLIC, secretNamed } from './initial-states.ts';
import { TAKEN } from './store.ts';
import type { Asked, AskedOfClient, AskedOfUser, Stored } from './terms.ts';

const changesOfClient = ({ client }: Stored): readonly (readonly [Actor, ClientChange])[] => {
  const [first] = client?.row.client?.secretMacs ?? [];
  return [
    [commandLine, { type: 'registrationRequested', registration: { ...CONFIDENTIAL, clientName: 'Shop, renamed' } }],
    [commandLine, { type: 'registrationRequested', registration: PUBLIC }],
    [configurationFiles, { type: 'registrationRequested', registration: DECLARED }],
    [commandLine, { type: 'secretRequested', secret: secretNamed('another') }],
    [commandLine, { type: 'secretReplacementRequested', secret: secretNamed('the new secret') }],
    [commandLine, { type: 'secretRemovalRequested', secretId: first ? secretIdOf(first) : FIRST_SECRET }],
    [commandLine, { type: 'secretRemovalRequested', secretId: 'a secret that nobody has' }],
    [commandLine, { type: 'deletionRequested' }],
    [configurationFiles, { type: 'deletionRequested' }],
  ];
};

const OTHER_IMPORTED = 'of a third password, hashed elsewhere' as typeof IMPORTED;

const record = (username: string, password: string | null) => ({
  username,
  passwordHash: password === null ? null : hashOf(password),
  claims: { name: 'Alice' },
});

const changesOfUser = ({ user }: Stored): readonly AdministeredUserChange[] => [
  // Who is not registered needs a password; src/registration/register-user.ts asks for it.
  { type: 'registrationRequested', registration: record('alice', user?.row.user ? null : 'the password') },
  { type: 'registrationRequested', registration: record('alicia', user?.row.user ? null : 'the password') },
  { type: 'registrationRequested', registration: record('alice', 'a new password') },
  { type: 'registrationRequested', registration: record(TAKEN, 'the password') },
  // From another system: taken over before, whatever the password is by now; and for the first time.
  {
    type: 'registrationRequested',
    registration: { ...record('alice', 'the password, hashed elsewhere'), importedHash: IMPORTED },
  },
  {
    type: 'registrationRequested',
    registration: { ...record('alice', 'a third password, hashed elsewhere'), importedHash: OTHER_IMPORTED },
  },
  {
    type: 'passwordRehashed',
    checked: hashOf('the password, hashed elsewhere'),
    passwordHash: hashOf('the password'),
  },
  { type: 'passwordChangeRequested', passwordHash: hashOf('a password of their own'), byPasswordAlone: false },
  { type: 'disableRequested' },
  { type: 'enableRequested' },
  { type: 'deletionRequested' },
];

/** A new username, and with it that the end-user may sign in, or may not. */
const bothChangesOfUser = ({ row }: NonNullable<Stored['user']>): readonly AskedOfUser[] =>
  row.user === null
    ? []
    : (['disableRequested', 'enableRequested'] as const).map((type) => ({
        about: 'user',
        actor: commandLine,
        change: { type: 'registrationRequested', registration: record('alicia', null) },
        next: { type },
        expected: null,
      }));

/** Of whatever is stored. */
export function requestsAt(stored: Stored): readonly Asked[] {
  const ofClient = stored.client === null ? [] : changesOfClient(stored);
  const ofUser = stored.user === null ? [] : changesOfUser(stored);
  return [
    ...ofClient.map(([actor, change]): AskedOfClient => ({ about: 'client', actor, change, expected: null })),
    ...ofUser.map((change): AskedOfUser => ({ about: 'user', actor: commandLine, change, expected: null })),
    ...(stored.user === null ? [] : bothChangesOfUser(stored.user)),
  ];
}

/** Of what is stored now, whatever it is when the request arrives. A new hash names the hash that it is for, and nothing else. */
export function expecting(asked: Asked, { client, user }: Stored): readonly Asked[] {
  if (asked.change.type === 'passwordRehashed') return [];
  return [
    asked.about === 'client' ? { ...asked, expected: client?.row ?? null } : { ...asked, expected: user?.row ?? null },
  ];
}

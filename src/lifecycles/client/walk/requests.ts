/** The requests of administrators: each change, of every stored row, and of the version that they saw before. */
import { type Actor, commandLine, configurationFiles } from '../../../model/actor.ts';
import type { RegisteredClient } from '../../../model/client.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { hashOf } from '../../../review/proof/end-users.ts';
import type { AdministeredUserChange } from '../../user/lifecycle.ts';
import { type ClientChange, FIRST_SECRET, secretIdOf } from '../lifecycle.ts';
import {
  type Asked,
  type AskedOfClient,
  type AskedOfUser,
  CONFIDENTIAL,
  DECLARED,
  IMPORTED,
  PUBLIC,
  type Stored,
  secretNamed,
  TAKEN,
  TAKEN_ADDRESS,
} from './ports.ts';

const changesOfClient = (client: RegisteredClient | null): readonly (readonly [Actor, ClientChange])[] => {
  const [first] = client?.secretMacs ?? [];
  return [
    [commandLine, { type: 'registrationRequested', registration: { ...CONFIDENTIAL, clientName: 'Shop, renamed' } }],
    [commandLine, { type: 'registrationRequested', registration: PUBLIC }],
    [configurationFiles, { type: 'registrationRequested', registration: DECLARED }],
    [commandLine, { type: 'secretRequested', secret: secretNamed('another') }],
    [commandLine, { type: 'secretReplacementRequested', secret: secretNamed('the new secret') }],
    [commandLine, { type: 'secretRemovalRequested', secretId: first ? secretIdOf(first) : FIRST_SECRET }],
    [commandLine, { type: 'secretRemovalRequested', secretId: 'a secret that no client has' }],
    [commandLine, { type: 'deletionRequested' }],
    [configurationFiles, { type: 'deletionRequested' }],
  ];
};

const OTHER_IMPORTED = 'of a third password, hashed by another system' as typeof IMPORTED;

const record = (username: string, password: string | null) => ({
  username,
  passwordHash: password === null ? null : hashOf(password),
  claims: { name: 'Alice' },
});

const changesOfUser = (user: RegisteredUser | null): readonly AdministeredUserChange[] => [
  // A user who is not registered needs a password; src/registration/register-user.ts asks for it.
  { type: 'registrationRequested', registration: record('alice', user ? null : 'the password') },
  { type: 'registrationRequested', registration: record('alicia', user ? null : 'the password') },
  { type: 'registrationRequested', registration: record('alice', 'a new password') },
  { type: 'registrationRequested', registration: record(TAKEN, 'the password') },
  {
    type: 'registrationRequested',
    registration: { ...record('alice', 'the password'), claims: { email: TAKEN_ADDRESS, email_verified: true } },
  },
  // An import from another system: of the same hash again, after any change of the password; and of another hash.
  {
    type: 'registrationRequested',
    registration: { ...record('alice', 'the password, hashed by another system'), importedHash: IMPORTED },
  },
  {
    type: 'registrationRequested',
    registration: { ...record('alice', 'a third password, hashed by another system'), importedHash: OTHER_IMPORTED },
  },
  {
    type: 'passwordRehashed',
    checked: hashOf('the password, hashed by another system'),
    passwordHash: hashOf('the password'),
  },
  { type: 'passwordChangeRequested', passwordHash: hashOf('a password of their own'), byPasswordAlone: false },
  { type: 'disableRequested' },
  { type: 'enableRequested' },
  { type: 'deletionRequested' },
];

/** A new username, and with it that the end-user may sign in, or may not. */
const bothChangesOfUser: readonly AskedOfUser[] = (['disableRequested', 'enableRequested'] as const).map((type) => ({
  kind: 'user',
  actor: commandLine,
  change: { type: 'registrationRequested', registration: record('alicia', null) },
  next: { type },
  expected: null,
}));

/** The requests in every stored state. */
export function requestsAt({ row }: Stored): readonly Asked[] {
  if ('client' in row)
    return changesOfClient(row.client).map(
      ([actor, change]): AskedOfClient => ({ kind: 'client', actor, change, expected: null }),
    );
  return [
    ...changesOfUser(row.user).map(
      (change): AskedOfUser => ({ kind: 'user', actor: commandLine, change, expected: null }),
    ),
    ...(row.user === null ? [] : bothChangesOfUser),
  ];
}

/** The requests that expect the row of now, and may find another. A new hash names the hash that it is for, and nothing else. */
export const expecting = (asked: Asked, { row }: Stored): readonly Asked[] =>
  asked.change.type === 'passwordRehashed' ? [] : [{ ...asked, expected: row } as Asked];

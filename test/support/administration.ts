/** Clients and end-users for tests, registered and changed as administrators do it. */
import { configurationFiles, theServer } from '../../src/model/actor.ts';
import type { Client, ClientRegistration } from '../../src/model/client.ts';
import type { Claims, User } from '../../src/model/user.ts';
import { administerClient, administerUser, requireDone } from '../../src/registration/administration.ts';
import type { Drizzle } from '../../src/storage/database.ts';
import { userStore } from '../../src/storage/user-store.ts';
import { findUserForSignIn } from '../../src/storage/users.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { testMacs } from './macs.ts';

/** May change declared clients too. */
const by = (db: Drizzle, declared: boolean) => ({
  db,
  macs: testMacs,
  actor: declared ? configurationFiles : theServer,
});

export async function saveClient(
  db: Drizzle,
  client: ClientRegistration,
  declared = false,
  registeredBy: Client['registeredBy'] = 'operator',
  macs = testMacs,
): Promise<void> {
  // A client of the tests has its secret beside the registration.
  const { secret: _, ...registration }: ClientRegistration & { readonly secret?: unknown } = client;
  const change = { type: 'registrationRequested', registration: { ...registration, declared, registeredBy } } as const;
  requireDone(await administerClient({ ...by(db, true), macs }, client.clientId, { change }));
}

/** @returns false: the client is not found. */
export const deleteClient = async (db: Drizzle, clientId: string): Promise<boolean> =>
  (await administerClient(by(db, true), clientId, { change: { type: 'deletionRequested' } })).kind === 'done';

export type NewUser = Pick<User, 'id' | 'username' | 'passwordHash' | 'claims'>;

/** @returns false: the username is taken. */
export async function insertUser(db: Drizzle, { id, ...registration }: NewUser, macs = testMacs): Promise<boolean> {
  const change = { type: 'registrationRequested', registration } as const;
  return (await administerUser({ ...by(db, false), macs }, { id, change })).kind === 'done';
}

/** The username stays. */
export async function updateUser(
  db: Drizzle,
  id: string,
  record: { readonly claims: Claims; readonly passwordHash: User['passwordHash'] | null },
): Promise<void> {
  const { row } = await userStore(db, databaseClock, testMacs).load(id, null);
  if (row.user === null) throw new Error('The end-user is not found.');
  const registration = { username: row.user.username, ...record };
  requireDone(await administerUser(by(db, false), { id, change: { type: 'registrationRequested', registration } }));
}

/** @returns false: the end-user is not found. */
export const disableUser = (db: Drizzle, username: string) => change(db, username, 'disableRequested');
export const deleteUser = (db: Drizzle, username: string) => change(db, username, 'deletionRequested');
export const enableUser = (db: Drizzle, username: string) => change(db, username, 'enableRequested');

async function change(
  db: Drizzle,
  username: string,
  type: 'disableRequested' | 'enableRequested' | 'deletionRequested',
): Promise<boolean> {
  const user = await findUserForSignIn(db, username);
  return user !== null && (await administerUser(by(db, false), { id: user.id, change: { type } })).kind === 'done';
}

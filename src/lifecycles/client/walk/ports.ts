/** The model of the administration: one client or one end-user, and several administrators. */
import type { Commit } from '../../../engine/commit.ts';
import type { Actor } from '../../../model/actor.ts';
import type { RegisteredClient, SecretMac } from '../../../model/client.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { carryOut, type LeftOut, newestOf, versioned } from '../../../review/proof/carry-out.ts';
import { initialState } from '../../../review/proof/define-walk.ts';
import { ALICE, erased, hashOf } from '../../../review/proof/end-users.ts';
import { drawn, drawnId } from '../../../review/proof/identities.ts';
import { after } from '../../../review/proof/instants.ts';
import type { AdministeredUserChange, LoadedUser, UserChanged, UserRow } from '../../user/lifecycle.ts';
import type { ClientChange, ClientChanged, ClientRow, LoadedClient, SentRegistration } from '../lifecycle.ts';
import { registeredAs, WEB } from './stored-clients.ts';

export type AskedOfClient = {
  readonly kind: 'client';
  readonly actor: Actor;
  readonly change: ClientChange;
  /** The row that the administrator saw before; null: the request accepts any row. */
  readonly expected: ClientRow | null;
};
export type AskedOfUser = {
  readonly kind: 'user';
  readonly actor: Actor;
  readonly change: AdministeredUserChange;
  /** Another change by the same request: both are made, or none. */
  readonly next?: AdministeredUserChange;
  readonly expected: UserRow | null;
};
export type Asked = AskedOfClient | AskedOfUser;

/** One client or one end-user. Each write makes another version, as in Postgres. */
export type Stored = { readonly row: ClientRow | UserRow; readonly version: number };

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedClient | LoadedUser;
  readonly commit: Commit;
  readonly answer: ClientChanged | UserChanged;
  /** Everything that was stored once. */
  readonly known: { readonly stored: readonly (RegisteredClient | RegisteredUser)[] };
};

const CLIENT_ID = drawn('shop');
export const USER_ID = drawnId();
/** The username of another end-user. */
export const TAKEN = 'bob';
/** Another end-user signs in by it. */
export const TAKEN_ADDRESS = 'bob@example.com';

export const secretNamed = (id: string): SecretMac => ({ id, keyId: 'root', mac: id });

export const CONFIDENTIAL: SentRegistration = {
  ...WEB,
  clientId: CLIENT_ID,
  secretMacs: [secretNamed('its secret')],
  declared: false,
};
export const PUBLIC: SentRegistration = { ...CONFIDENTIAL, tokenEndpointAuthMethod: 'none', secretMacs: [] };
export const DECLARED: SentRegistration = { ...CONFIDENTIAL, clientName: 'Shop, from a file', declared: true };

/** The password of a hash: an imported hash and a hash of this server may have the same. */
export const passwordOf = (hash: string | undefined) => hash?.split(',')[0];
export const IMPORTED = 'of the password, hashed by another system' as NonNullable<RegisteredUser['importedHash']>;

const OWNER: RegisteredUser = {
  ...ALICE,
  id: USER_ID,
  passwordHash: hashOf('the password, hashed by another system'),
  importedHash: IMPORTED,
  claims: { name: 'Alice' },
};

const given = (says: string, row: Stored['row']) => initialState<Terms>(says, { row, version: 1 }, { stored: [] });
const givenClient = (says: string, client: RegisteredClient | null) => given(says, { clientId: CLIENT_ID, client });
const givenUser = (says: string, user: RegisteredUser | null) => given(says, { user });

export const INITIAL_STATES = [
  givenClient('No client has the id', null),
  givenClient('A confidential client is registered', registeredAs(CONFIDENTIAL)),
  givenClient('A public client is registered', registeredAs(PUBLIC)),
  givenClient(
    'A client with two secrets is registered',
    registeredAs(CONFIDENTIAL, { secretMacs: ['one', 'two'].map(secretNamed) }),
  ),
  givenClient('A client is declared in configuration', registeredAs(DECLARED)),
  givenClient(
    'The client was deleted',
    registeredAs(CONFIDENTIAL, { secretMacs: [], epoch: 1n, deletedAt: after(-1) }),
  ),
  givenUser('No end-user has the sub', null),
  givenUser('An end-user is enabled', OWNER),
  givenUser('An end-user is disabled', { ...OWNER, epoch: 1n, disabledAt: after(-1) }),
  givenUser('The end-user was deleted', erased(OWNER, after(-1))),
];

// Under the same contract as in Postgres (src/storage/commit.ts).

export const clientOf = ({ row }: Stored): RegisteredClient | null => ('client' in row ? row.client : null);
export const userOf = ({ row }: Stored): RegisteredUser | null => ('user' in row ? row.user : null);
/** The client or the end-user; empty: there is none. */
export const ownersIn = (stored: Stored): readonly (RegisteredClient | RegisteredUser)[] =>
  [clientOf(stored) ?? userOf(stored)].filter((owner) => owner !== null);
/** The version of the row in the store; null: there is no row. */
export const versionIn = (stored: Stored): string | null =>
  (clientOf(stored) ?? userOf(stored)) === null ? null : String(stored.version);

export function load(stored: Stored, { change }: Asked, now: Date): Terms['loaded'] {
  const version = versionIn(stored);
  const { row } = stored;
  if ('client' in row) return { now, row, version };
  const sent =
    change.type === 'registrationRequested' && 'username' in change.registration ? change.registration : null;
  return {
    now,
    row,
    version,
    usernameOf: sent && ownerOf(sent.username, row),
    addressesIdentify: true,
    addressOf: sent?.claims['email'] === TAKEN_ADDRESS ? 'another end-user' : null,
  };
}

function ownerOf(username: string, { user }: UserRow): string | null {
  if (username === TAKEN) return 'another end-user';
  return user?.username === username ? user.id : null;
}

/** The version of the row that a commit replaces; null: there was none. */
export const versionBefore = ({ writes: [write] }: Commit): unknown =>
  write.kind === 'insert' ? null : write.loaded['version'];

/** @returns null when a fact did not hold: nothing changed. */
export function commitAdministration(stored: Stored, commit: Commit, leftOut?: LeftOut): Stored | null {
  const { row, version } = stored;
  const tables = { clients: versioned(clientOf(stored), version), users: versioned(userOf(stored), version) };
  const after = carryOut(tables, commit, leftOut);
  if (after === null) return null;
  const changed = 'client' in row ? { ...row, client: newestOf(after.clients) } : { user: newestOf(after.users) };
  return { row: changed, version: version + 1 };
}

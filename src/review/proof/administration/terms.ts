/** What the walk of the administration speaks of: one client or one end-user, and several administrators. */
import type {
  ClientChange,
  ClientChanged,
  ClientCommit,
  ClientRow,
  LoadedClient,
} from '../../../lifecycles/client/lifecycle.ts';
import type {
  AdministeredUserChange,
  LoadedUser,
  UserChanged,
  UserCommit,
  UserRow,
} from '../../../lifecycles/user/lifecycle.ts';
import type { Actor } from '../../../model/actor.ts';
import type { RegisteredClient } from '../../../model/client.ts';
import type { RegisteredUser } from '../../../model/user.ts';

export type AskedOfClient = {
  readonly about: 'client';
  readonly actor: Actor;
  readonly change: ClientChange;
  /** What the administrator saw before; null: whatever is stored is meant. */
  readonly expected: ClientRow | null;
};
export type AskedOfUser = {
  readonly about: 'user';
  readonly actor: Actor;
  readonly change: AdministeredUserChange;
  /** Another change by the same request: both are made, or none. */
  readonly next?: AdministeredUserChange;
  readonly expected: UserRow | null;
};
export type Asked = AskedOfClient | AskedOfUser;

/** Each write makes another version, as in Postgres. */
export type Versioned<Row> = { readonly row: Row; readonly version: number };

export type Stored = {
  /** Null: this walk is about the other. */
  readonly client: Versioned<ClientRow> | null;
  readonly user: Versioned<UserRow> | null;
};

export type Known = {
  /** Everything that was stored once. */
  readonly stored: readonly (RegisteredClient | RegisteredUser)[];
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedClient | LoadedUser;
  readonly commit: ClientCommit | UserCommit;
  readonly answer: ClientChanged | UserChanged;
  readonly known: Known;
};

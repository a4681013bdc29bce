/** The actor of a change, as its ledger entry names them. */
export type Actor = {
  /**
   * `end_user`: of their own account. `operator`: an end-user with the right to administer. `server`: the demo, which the server keeps
   * by itself. `upstream`: another OpenID Provider, at which an end-user signed in for the first time.
   */
  readonly kind: 'command_line' | 'configuration' | 'server' | 'operator' | 'client' | 'end_user' | 'upstream';
  /** The `sub` of an end-user or operator, the id of a client, or the name of an upstream; null: the others have none. */
  readonly id: string | null;
  /** A keyed hash of the address that the request came from (base64url); null: it came from no network. */
  readonly addressHash: string | null;
};

const here = (kind: 'command_line' | 'configuration' | 'server'): Actor => ({ kind, id: null, addressHash: null });
export const commandLine = here('command_line');
export const configurationFiles = here('configuration');
export const theServer = here('server');

/** Without the address: it could still name the end-user when the account is erased, and no line of the ledger is ever changed. */
export const endUser = (sub: string): Actor => ({ kind: 'end_user', id: sub, addressHash: null });

/** As the ledger writes it: `command_line`, `operator 2f1c…`. */
export const actorName = ({ kind, id }: Pick<Actor, 'kind' | 'id'>): string => (id === null ? kind : `${kind} ${id}`);

/** Actors that are end-users: operators, and end-users in their own account. */
const END_USERS = ['operator', 'end_user'] as const;

/** As the ledger writes the end-user with this id, in either role. */
export const namesOfEndUser = (id: string): readonly string[] => END_USERS.map((kind) => actorName({ kind, id }));

/** The id of the end-user whom the ledger names. Null: another actor, or none. */
export function endUserIn(name: string | null): string | null {
  const [kind, id] = name?.split(' ') ?? [];
  return id !== undefined && END_USERS.some((known) => known === kind) ? id : null;
}

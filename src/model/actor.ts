/** Who asked for a change that is made for others: a line of the ledger says so. */
export type Actor = {
  /** `operator`: an end-user with the right to administer. `server`: the demo, which the server keeps by itself. */
  readonly kind: 'command_line' | 'configuration' | 'server' | 'operator' | 'client';
  /** The `sub` of an operator, or the id of a client; null: the others have none. */
  readonly id: string | null;
  /** A keyed hash of the address that the request came from (base64url); null: it came from no network. */
  readonly addressHash: string | null;
};

const here = (kind: 'command_line' | 'configuration' | 'server'): Actor => ({ kind, id: null, addressHash: null });
export const commandLine = here('command_line');
export const configurationFiles = here('configuration');
export const theServer = here('server');

/** As the ledger writes it: `command_line`, `operator 2f1c…`. */
export const actorName = ({ kind, id }: Actor): string => (id === null ? kind : `${kind} ${id}`);

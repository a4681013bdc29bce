/** The errors of commands, with the same text for a running server and for work within the process. */
import { printable } from '../config/shown.ts';
import { ReportedError } from '../system/reported-error.ts';

/** A command that fails for a known reason; the message says why and what to do. */
export class CommandRefused extends ReportedError {}

/** The check could not run, so it has no result. */
export class NotChecked extends ReportedError {
  readonly status = 3;
}

/** The server is not as a plan would have it. */
export class WouldChange extends ReportedError {
  readonly status = 4;
}

type Kind = 'client' | 'user' | 'grant' | 'session' | 'receiver' | 'delivery' | 'stored secret' | 'trusted browser';

/** @param name as it was typed. */
export const noSuch = (kind: Kind, name: string): CommandRefused =>
  new CommandRefused(`No such ${kind}: "${printable(name)}".`);

const NAMED_BY = { client: 'id', user: 'name' } as const;

/** Another registration is stored, and creating does not replace. */
export const differs = (kind: 'client' | 'user', changed: readonly string[]): CommandRefused =>
  new CommandRefused(
    `A ${kind} with this ${NAMED_BY[kind]} exists, and differs in ${changed.join(kind === 'client' ? ', ' : ' and ')}; nothing was changed. ` +
      `To ${kind === 'client' ? 'replace it' : 'change them'}: statehouse ${kind}s import`,
  );

/** @param file where it is declared. */
export const declaredElsewhere = (clientId: string, file: string): CommandRefused =>
  new CommandRefused(`"${clientId}" is declared in ${file}: change it there. Nothing was changed.`);

export const notInPolicy = (alg: string, wanted: readonly string[]): CommandRefused =>
  new CommandRefused(`signing-keys.yaml does not name ${alg}; it names ${wanted.join(', ')}. Nothing was changed.`);

export const noSuchGrant = (grantId: string): CommandRefused =>
  new CommandRefused(
    `No such grant: ${grantId}. Either it never existed, or it ended so long ago that its row and ledger are gone.`,
  );

/**
 * The failures that a database and the way to it have now and then, by SQLSTATE (PostgreSQL, appendix A), by the driver's code or by
 * that of the operating system. Whatever is not listed is a failure too, and worth a look.
 */
export type ExpectedFailure = {
  /** What is the matter: "The database …". */
  readonly words: string;
  /** The statement may have been committed although it failed. */
  readonly maybeCommitted: boolean;
};

/** The statement was not sent, or Postgres said that it aborted it. */
const never = (words: string): ExpectedFailure => ({ words, maybeCommitted: false });
/** The answer to a statement in flight was lost. */
const perhaps = (words: string): ExpectedFailure => ({ words, maybeCommitted: true });

const LOST = 'lost the connection';

const BY_CODE: Readonly<Record<string, ExpectedFailure>> = {
  '25006': never('is read-only: a failover left this server on a standby'),
  '3D000': never('does not exist'),
  '40001': never('saw a conflict with another statement'),
  '40003': perhaps('does not know whether the statement was completed'),
  '40P01': never('ended a deadlock'),
  '53000': never('is short of resources'),
  '53100': never('has no space left on its disk'),
  '53200': never('is out of memory'),
  '53300': never('has too many connections'),
  '53400': never('reached a limit of its configuration'),
  '55006': never('is in use by something that excludes others'),
  '55P03': never('could not lock a row in time'),
  '57014': never('took longer than its statement_timeout'),
  '57P01': perhaps('ended the connection: it is stopping, or an administrator ended the session'),
  '57P02': perhaps('crashed'),
  '57P03': never('is starting or stopping'),
  '57P04': never('was dropped'),
  '57P05': never('ended an idle session'),
  '58000': never('had an error of its operating system'),
  '58030': never('could not read or write its disk'),

  ECONNREFUSED: never('cannot be reached: nothing listens there'),
  ENOTFOUND: never('cannot be reached: no such host'),
  EAI_AGAIN: never('cannot be reached: its name cannot be resolved'),
  EHOSTUNREACH: never('cannot be reached: no route to the host'),
  ENETUNREACH: never('cannot be reached: no route to its network'),
  EADDRNOTAVAIL: never('cannot be reached: this host has no free port'),
  ENOENT: never('cannot be reached: no such socket'),
  EACCES: never('cannot be reached: its socket may not be used'),
  EMFILE: never('cannot be reached: this process has too many open files'),
  NO_WRITABLE_HOST: never('has no host that can be written to: a failover is under way'),
  CONNECT_TIMEOUT: never('cannot be reached: it does not answer'),

  CONNECTION_CLOSED: perhaps(LOST),
  CONNECTION_ENDED: perhaps(LOST),
  CONNECTION_DESTROYED: perhaps(LOST),
  ECONNRESET: perhaps(LOST),
  ECONNABORTED: perhaps(LOST),
  EPIPE: perhaps(LOST),
  ETIMEDOUT: perhaps(LOST),
  NO_ANSWER: perhaps('did not answer in time'),
};

/** By the first two characters of an SQLSTATE. */
const BY_CLASS: Readonly<Record<string, ExpectedFailure>> = {
  '08': perhaps(LOST),
  '28': never('refuses this server: user, password or host'),
};

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** @returns null for a failure that nobody foresaw. */
export const expectedFailure = (code: string): ExpectedFailure | null =>
  BY_CODE[code] ?? (SQLSTATE.test(code) ? (BY_CLASS[code.slice(0, 2)] ?? null) : null);

/** With an SQLSTATE as an error, Postgres aborted the statement. Of anything else that nobody foresaw, nothing is known. */
export const unforeseenFailure = (code: string): ExpectedFailure =>
  SQLSTATE.test(code)
    ? never('refused a statement for a reason that this server does not expect')
    : perhaps('or its driver failed in a way that this server does not expect');

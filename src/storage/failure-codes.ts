/**
 * The common failures of a database and its network, by SQLSTATE (PostgreSQL, appendix A), by the driver's code or by that of the
 * operating system. Every other code is a failure too, and worth a look.
 */
export type ExpectedFailure = {
  /** The failure, as the end of a sentence: "The database …". */
  readonly words: string;
  /** The statement may have been committed although it failed. */
  readonly maybeCommitted: boolean;
  /** The remedy, as a sentence. */
  readonly advice?: string;
};

/** The statement was not sent, or Postgres said that it aborted it. */
const never = (words: string, advice?: string): ExpectedFailure => ({
  words,
  maybeCommitted: false,
  ...(advice !== undefined && { advice }),
});
/** The answer to a statement in flight was lost. */
const perhaps = (words: string, advice?: string): ExpectedFailure => ({
  words,
  maybeCommitted: true,
  ...(advice !== undefined && { advice }),
});

const LOST = 'lost the connection';

const LOG = 'The log of Postgres says more.';
const AUTHORITY =
  'Name a file with the certificates of its certificate authority in NODE_EXTRA_CA_CERTS, and start again.';
/** Of the connection itself, before anything is sent (Node, "X509 certificate error codes"). */
const untrusted = (words: string, advice = AUTHORITY) => never(`cannot be trusted: its certificate ${words}`, advice);

const BY_CODE: Readonly<Record<string, ExpectedFailure>> = {
  '08P01': perhaps(
    'or a pooler in front of it refused the protocol',
    'Connect to Postgres itself: PgBouncer refuses the settings with which a node connects.',
  ),
  '25006': never(
    'is read-only',
    'A standby (pg_is_in_recovery() is true): name the primary in DATABASE_URL. Else default_transaction_read_only is on: set it off.',
  ),
  '3D000': never('server has no database of this name', 'Make it with createdb, or name another.'),
  '40001': never('saw a conflict with another statement'),
  '40003': perhaps('does not know whether the statement was completed'),
  '40P01': never('ended a deadlock'),
  '53000': never('is short of resources'),
  '53100': never('has no space left on its disk', 'Give it space.'),
  '53200': never('is out of memory', LOG),
  '53300': never(
    'has too many connections',
    'Raise max_connections, or run fewer nodes: each opens up to eleven connections.',
  ),
  '53400': never('reached a limit of its configuration'),
  '55006': never('is in use by something that excludes others'),
  '55P03': never('holds a lock for another program', 'pg_stat_activity and pg_locks of Postgres show which.'),
  '57014': never('took longer than its statement_timeout'),
  '28000': never('refuses the user', 'Look at pg_hba.conf of Postgres too.'),
  '28P01': never(
    'refuses the password',
    'Where it was changed, put the new one into the file of DATABASE_URL_FILE, or restart with the new DATABASE_URL.',
  ),
  '57P01': perhaps('ended the connection: it is stopping, or an administrator ended the session'),
  '57P02': perhaps('crashed'),
  '57P03': never('is starting or stopping'),
  '57P04': never('was dropped'),
  '57P05': never('ended an idle session'),
  '58000': never('had an error of its operating system', LOG),
  '58030': never('could not read or write its disk', LOG),

  SELF_SIGNED_CERT_IN_CHAIN: untrusted('comes from an authority that this server does not know'),
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted('is signed by itself'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted('comes from an authority that this server does not know'),
  UNABLE_TO_GET_ISSUER_CERT: untrusted('comes from an authority that this server does not know'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted('comes from an authority that this server does not know'),
  CERT_UNTRUSTED: untrusted('comes from an authority that this server does not know'),
  INVALID_CA: untrusted('comes from an authority that may not sign certificates'),
  CERT_HAS_EXPIRED: untrusted('has expired', 'Renew the certificate of Postgres.'),
  CERT_NOT_YET_VALID: untrusted('is not valid yet', 'Look at the clocks of both machines.'),
  CERT_REVOKED: untrusted('was revoked', 'Renew the certificate of Postgres.'),
  CERT_REJECTED: untrusted('is rejected'),
  CERT_SIGNATURE_FAILURE: untrusted('has a wrong signature'),
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted(
    'is for another host name',
    'Use a host name of the certificate in DATABASE_URL, or make a certificate for this one.',
  ),
  HOSTNAME_MISMATCH: untrusted('is for another host name', 'Use a host name of the certificate in DATABASE_URL.'),
  EPROTO: never('cannot be reached: TLS failed', 'Look at sslmode in DATABASE_URL, and at ssl in postgresql.conf.'),

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
  NO_CONNECTION: never('has no connection free for this server: earlier statements wait'),
};

/** By the first two characters of an SQLSTATE. */
const BY_CLASS: Readonly<Record<string, ExpectedFailure>> = {
  '08': perhaps(LOST),
  '28': never('refuses this server: user, password or host', 'Look at pg_hba.conf of Postgres too.'),
};

/** Codes of the operating system have no digit. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
export const isSqlState = (code: string): boolean => SQLSTATE.test(code);

const TLS = /^ERR_(SSL|TLS)_/;

/** @returns null for an unforeseen failure. */
export const expectedFailure = (code: string): ExpectedFailure | null => {
  if (SQLSTATE.test(code)) return BY_CODE[code] ?? BY_CLASS[code.slice(0, 2)] ?? null;
  return BY_CODE[code] ?? (TLS.test(code) ? (BY_CODE['EPROTO'] ?? null) : null);
};

/** Each is worth a look, and has words of its own. */
const UNFORESEEN: Readonly<Record<string, ExpectedFailure>> = {
  '42501': never(
    'refused a statement: its user may not do this',
    'As the owner of the tables, run "statehouse migrate --grant-to ROLE" with the user of DATABASE_URL as the role.',
  ),
  '58P01': never('refused a statement: one of its files is missing', LOG),
  '58P02': never('refused a statement: a file is there that should not be', LOG),
  XX001: never('refused a statement: its data is damaged', `${LOG} Restore a backup.`),
  XX002: never('refused a statement: an index of it is damaged', `${LOG} REINDEX may repair it.`),
};

/** With an SQLSTATE as an error, Postgres aborted the statement. Of any other unforeseen failure, nothing is known. */
export const unforeseenFailure = (code: string): ExpectedFailure =>
  UNFORESEEN[code] ??
  (SQLSTATE.test(code)
    ? never(
        'refused a statement for a reason that this server does not expect',
        `${LOG} The code is in its documentation, appendix A.`,
      )
    : perhaps('or its driver failed in a way that this server does not expect'));

/** Of the statement and its values: a defect of this server, not of the database. Their messages can quote a value. */
const ABOUT_STATEMENTS = new Set(['22', '23', '42', 'P0', 'SH']);
export const isAboutAStatement = (code: string): boolean =>
  SQLSTATE.test(code) &&
  ABOUT_STATEMENTS.has(code.slice(0, 2)) &&
  UNFORESEEN[code] === undefined &&
  BY_CODE[code] === undefined;

const MAX_MESSAGE_CHARACTERS = 300;

/** They name user and database as DATABASE_URL has them: where a password is not encoded, a part of it. */
const ABOUT_THE_URL = new Set(['28', '3D']);

/** The code with the message of Postgres or TLS, where that cannot quote a value. Null: neither, but the network. */
export function quotable(code: string, message: unknown): string | null {
  if (!SQLSTATE.test(code) && !isOfTls(code)) return null;
  const quotes = SQLSTATE.test(code) && (isAboutAStatement(code) || ABOUT_THE_URL.has(code.slice(0, 2)));
  const [line = ''] = typeof message === 'string' && !quotes ? message.trim().split('\n') : [];
  const said = line.replace(/\.$/, '').slice(0, MAX_MESSAGE_CHARACTERS);
  return said === '' ? code : `${code}: ${said}`;
}

const isOfTls = (code: string): boolean =>
  code === 'EPROTO' || TLS.test(code) || (BY_CODE[code]?.words.startsWith('cannot be trusted') ?? false);

/** Errors as text for operators: instructions for fixable problems, stack frames for defects of the program. */
import { EnvironmentError } from '../config/environment.ts';
import { ConfigurationError } from '../config/problem.ts';
import { readSecretVariable } from '../config/secret-variable.ts';
import { KeyInDevice } from '../crypto/key-source.ts';
import { RootSecretError } from '../crypto/root-secret.ts';
import { StoreUnavailable, Unavailable } from '../engine/errors.ts';
import { ChangeRefused } from '../registration/administration.ts';
import { ClientIdIsSub } from '../registration/register-client.ts';
import { isSqlState } from '../storage/failure-codes.ts';
import { codeOf, databaseFailure } from '../storage/failures.ts';
import { FolderInUse } from '../storage/folder-lock.ts';
import { hostsIn, readDatabaseUrl } from '../system/database-url.ts';
import { FolderOpenToOthers } from '../system/home-folder.ts';
import { ReportedError } from '../system/reported-error.ts';
import { safeError } from '../system/safe-error.ts';
import { NotChecked, WouldChange } from './failure.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** EX_CONFIG of sysexits.h: a supervisor that restarted the command would try the same PIN again, until the device locks it. */
const FINAL = 78;

export function statusFor(error: unknown): number {
  const cause = causeOf(error);
  if (cause instanceof NotChecked || cause instanceof WouldChange) return cause.status;
  return cause instanceof ReportedError && cause.isFinal ? FINAL : 1;
}

export function wordsFor(error: unknown, env: Env): string {
  const cause = causeOf(error);
  return `${knownWords(cause, env) ?? unknownWords(cause)}\n`;
}

/** The failure of the database or the signing device. An Unavailable around it has only a reason code. */
const causeOf = (error: unknown): unknown =>
  error instanceof Unavailable && error.cause instanceof Error ? error.cause : error;

/** Errors with a message for operators and without secrets. */
const OURS = [
  ReportedError,
  EnvironmentError,
  ConfigurationError,
  RootSecretError,
  KeyInDevice,
  ClientIdIsSub,
  ChangeRefused,
  FolderOpenToOthers,
] as const;

function knownWords(error: unknown, env: Env): string | null {
  if (OURS.some((own) => error instanceof own)) return (error as Error).message;
  if (error instanceof FolderInUse) {
    return [
      error.message,
      'Only one process at a time can use it. Stop the server and run this again,',
      'or set DATABASE_URL to a Postgres server, which any number of processes can use.',
    ].join('\n');
  }
  const url = databaseUrlOf(env);
  const code = codeOf(error) ?? '';
  const isOfStore = error instanceof StoreUnavailable || (url !== null && !FILE_WORDS.has(code)) || isSqlState(code);
  const failure = isOfStore ? databaseFailure(error) : null;
  if (failure !== null) return `${failure.message}${url === null ? '' : ` Check DATABASE_URL: ${databaseIn(url)}.`}`;
  if (code === 'ERR_INVALID_URL') return `${INVALID_URL} Check DATABASE_URL: ${databaseIn(url)}.`;
  return FILE_WORDS.get(code) ?? null;
}

const INVALID_URL = 'A character in it must be percent-encoded: in a password, "#" is %23, "/" is %2F, "@" is %40.';

const FILE_WORDS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'The folder .statehouse cannot be written here: permission denied (EACCES).'],
  ['EPERM', 'The folder .statehouse cannot be written here: not permitted (EPERM).'],
  ['EROFS', 'The folder .statehouse cannot be written here: the file system is read-only (EROFS).'],
  ['ENOSPC', 'The disk is full (ENOSPC).'],
  ['EADDRINUSE', 'Another program listens on this port: set PORT to another port, or stop that program (EADDRINUSE).'],
]);

/** Null for an invalid variable: the error at hand matters more. */
function databaseUrlOf(env: Env): string | null {
  const read = readSecretVariable(env, 'DATABASE_URL');
  return 'value' in read ? read.value : null;
}

/** Host and database; never user and password. */
function databaseIn(url: string | null): string {
  const read = readDatabaseUrl(url?.trim() ?? '');
  if (url === null || !URL.canParse(read.url)) return 'it is not a URL';
  const { host, pathname } = new URL(read.url);
  const hosts = read.candidates === null ? `host ${host || 'localhost'}` : `hosts ${hostsIn(url.trim())}`;
  return `${hosts}, database ${pathname.slice(1) || 'of the user'}`;
}

/** A driver's message may contain stored values, so only type, code and stack frames are printed. */
function unknownWords(error: unknown): string {
  const { type, code, message, stack } = safeError(error);
  const head = `Unexpected ${type}${code === undefined ? '' : ` (${code})`}${message === undefined ? '' : `: ${message}`}`;
  return stack === undefined ? head : `${head}\n${stack.replaceAll(/^/gm, '    ')}`;
}

/**
 * The file that the running server leaves beside its lock for the commands of the same folder. It has the address of the server, and
 * the secret with which commands get an access token. The file is valid as long as the process that wrote it holds the folder.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ReportedError } from '../system/reported-error.ts';
import { folderHolder, type Owner } from './folder-lock.ts';

export type ServerCredential = {
  /** Where it listens: `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly issuer: string;
  readonly secret: string;
};

type Written = ServerCredential & Owner;

const pathIn = (folder: string): string => join(folder, 'running-server');

/** The credential is there, and this user must not use it. */
export class CredentialRefused extends ReportedError {}

/** Replaces the file of an earlier server. For the process that holds the folder. */
export function writeServerCredential(folder: string, { origin, issuer, secret }: ServerCredential): void {
  const holder = folderHolder(folder);
  if (holder === null) throw new Error('Only the process that holds the folder may write the credential.');
  const path = pathIn(folder);
  const draft = `${path}.${holder.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, JSON.stringify({ ...holder, origin, issuer, secret }), { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}

export const removeServerCredential = (folder: string): void => rmSync(pathIn(folder), { force: true });

/**
 * @returns null when the process that holds the folder has left none: it is another command, or a server that is starting.
 * @throws CredentialRefused
 */
export function readServerCredential(folder: string, holder: Owner): ServerCredential | null {
  const path = pathIn(folder);
  const written = read(folder, path);
  if (written === null || written.pid !== holder.pid || written.startedAt !== holder.startedAt) return null;
  const { origin, issuer, secret } = written;
  return { origin, issuer, secret };
}

function read(folder: string, path: string): Written | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'EACCES' || code === 'EPERM') throw new CredentialRefused(UNREADABLE(path));
    if (code === 'ELOOP') throw new CredentialRefused(`${path} is a link, which no server makes. ${NOT_USED}`);
    throw error;
  }
  try {
    requireOwn(folder, path, file);
    return parsed(readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

/** A file of another user would lead passwords to a server of theirs. */
function requireOwn(folder: string, path: string, file: number): void {
  const own = process.getuid?.();
  // Windows has neither.
  if (own === undefined) return;
  const { uid, mode } = fstatSync(file);
  if (uid !== own && !(own === 0 && uid === ownerAround(folder)))
    throw new CredentialRefused(`${path} belongs to another user of this machine. ${NOT_USED}`);
  if ((mode & 0o077) !== 0) throw new CredentialRefused(`${path} is open to other users of this machine. ${NOT_USED}`);
}

/** Root may act for the user that has the working folder, and not for the user that has put `.statehouse` into a folder for all, such as /tmp. */
const ownerAround = (folder: string): number => statSync(dirname(folder)).uid;

function parsed(text: string): Written | null {
  try {
    return JSON.parse(text) as Written;
  } catch {
    return null;
  }
}

const UNREADABLE = (path: string): string =>
  `A server runs here, and only the user that runs it may read ${path}: run the command as that user.`;
const NOT_USED = 'It was not used, and nothing was changed.';

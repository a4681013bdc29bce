/**
 * Finds the server that a command speaks to: the server that the environment names, or the server that holds the embedded database
 * of this folder. With DATABASE_URL, commands go to the database, which any number of processes can use.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_LINE_CLIENT } from '../../config/command-line-client.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../config/management-resource.ts';
import { secretVariable } from '../../config/secret-variable.ts';
import { printable } from '../../config/shown.ts';
import { jsonIn } from '../../oauth/sent-text.ts';
import { pathUnder, urlUnder } from '../../oauth/urls.ts';
import { folderHolder } from '../../storage/folder-lock.ts';
import { readServerCredential, type ServerCredential } from '../../storage/server-credential.ts';
import { homeFolder } from '../../system/home-folder.ts';
import { CommandRefused } from '../failure.ts';
import { systemOutput } from '../output.ts';
import { type ManagementApi, managementApi } from './api.ts';
import { answerOf, type Connection, overHttp } from './over-http.ts';
import type { Waiting } from './throttled.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Fetch = typeof globalThis.fetch;
const WAITING: Waiting = { sleep: (milliseconds) => sleep(milliseconds), notify: systemOutput.complain };

/** @returns null: there is none. @throws CommandRefused, CredentialRefused */
export async function runningServer(
  env: Env,
  fetch: Fetch = globalThis.fetch,
  waiting: Waiting = WAITING,
): Promise<ManagementApi | null> {
  const named = namedServer(env, fetch, waiting);
  if (named !== null) return apiOver(named);
  if (env['DATABASE_URL']?.trim() || env['DATABASE_URL_FILE']?.trim()) return null;
  const home = homeFolder();
  const holder = folderHolder(home);
  const credential = holder && readServerCredential(home, holder);
  return credential && commandsOf(credential, fetch, waiting);
}

/** The way of commands to the server of the embedded database. */
export const commandsOf = (credential: ServerCredential, fetch: Fetch, waiting = WAITING): ManagementApi =>
  apiOver(serverHere(credential, fetch, waiting));

const apiOver = (connection: Connection): ManagementApi => managementApi(overHttp(connection), connection.names);

/** @throws CommandRefused for half of it, and for an address that would give the token away. */
function namedServer(env: Env, fetch: Fetch, waiting: Waiting): Connection | null {
  const [url, token] = [env['STATEHOUSE_URL']?.trim(), secretVariable(env, 'STATEHOUSE_TOKEN')?.trim()];
  if (!url && !token) return null;
  if (!url)
    throw new CommandRefused('STATEHOUSE_TOKEN is set, and STATEHOUSE_URL is not: set the issuer URL of the server.');
  if (!token) {
    throw new CommandRefused(
      'STATEHOUSE_URL is set, and STATEHOUSE_TOKEN is not: set an access token for the management API of that server.',
    );
  }
  const wrong = whatIsWrongWith(url);
  if (wrong !== null) throw new CommandRefused(`STATEHOUSE_URL: ${wrong}`);
  // A header cannot hold anything else, and no access token has anything else in it (RFC 6750 §2.1).
  if (!/^[\w.~+/-]+=*$/.test(token))
    throw new CommandRefused('STATEHOUSE_TOKEN: Expected an access token, found other characters.');
  return {
    fetch,
    base: url,
    names: { server: `The server at ${url}`, credential: 'STATEHOUSE_TOKEN' },
    token: async () => token,
    waiting,
  };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function whatIsWrongWith(text: string): string | null {
  const expected = 'Expected the issuer URL of a server';
  // It may have a password in it, so it is not repeated before that is known.
  if (!URL.canParse(text)) return `${expected}, found what is not a URL.`;
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) return `${expected}, found a user or a password in it.`;
  if (/[?#]/.test(text)) return `${expected}, found a query or a fragment in it.`;
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return null;
  return `${expected} with https (http only for localhost, 127.0.0.1 and [::1]), found "${printable(text)}".`;
}

/** It gets an access token as every client does (OAuth 2.1 §4.2), at the address where it listens. */
function serverHere({ origin, issuer, secret }: ServerCredential, fetch: Fetch, waiting: Waiting): Connection {
  const names = { server: `The server that runs here (${origin})`, credential: 'the credential in .statehouse/' };
  const token = async () => {
    const { status, text } = await answerOf(
      { fetch, names },
      new URL(`${origin}${pathUnder(issuer, '/oauth/token')}`),
      {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${COMMAND_LINE_CLIENT}:${secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          scope: MANAGEMENT_SCOPE_NAMES.join(' '),
          resource: urlUnder(issuer, '/management/v1'),
        }).toString(),
      },
    );
    const issued = status === 200 ? tokenIn(text) : null;
    if (issued !== null) return issued;
    throw new CommandRefused(
      `${names.server} issues no access token to commands (status ${status}). Nothing was changed. ` +
        'Starting it again gives it a new credential for them; with the server stopped, commands go to the database.',
    );
  };
  return { fetch, base: `${origin}${pathUnder(issuer, '')}`, names, token, waiting };
}

function tokenIn(text: string): string | null {
  const { access_token: token } = (jsonIn(text) ?? {}) as { access_token?: unknown };
  return typeof token === 'string' ? token : null;
}

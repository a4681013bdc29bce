/**
 * Signing in to the console: an authorization code with PKCE, as for every client (OAuth 2.1 §4.1). `state` carries the
 * data that the console needs when the browser returns, sealed for the browser that began.
 */

import { CONSOLE_CLIENT_ID } from '../config/own-clients.ts';
import { sha256 } from '../crypto/digest.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { IV_BYTES, openText, sealText } from '../crypto/sealed-text.ts';
import type { Document } from '../management/client/documents.ts';
import { parseParameters } from '../oauth/parameters.ts';
import { pathUnder } from '../oauth/urls.ts';
import { consoleRedirectUri, consoleSecret } from './client.ts';
import { managementApi } from './management-api.ts';
import type { Send } from './send.ts';

export type SignInDeps = {
  readonly issuer: string;
  readonly keys: RootKeys;
  readonly random: Random;
  readonly send: Send;
  /** The identifier of the management API, and the names of its scopes. */
  readonly resource: () => { readonly identifier: string; readonly scope: readonly string[] };
  /** The maximum age of a recent sign-in. */
  readonly recentSignInSeconds: () => number;
};

/** The console drops a longer path, and shows the first page instead. */
const MAX_PATH_CHARACTERS = 1500;

type Begun = { readonly verifier: string; readonly to: string };

/**
 * @param browser the hash of the cookie that binds forms to their browser.
 * @param to a path of the console, shown afterwards.
 * @param recent whether the user has to sign in again unless the sign-in is recent.
 * @returns the path of the authorization request.
 */
export function signInPath(
  { issuer, keys, random, resource, recentSignInSeconds }: SignInDeps,
  {
    browser,
    to,
    another = false,
    recent = false,
  }: { readonly browser: Buffer; readonly to: string; readonly another?: boolean; readonly recent?: boolean },
): string {
  const verifier = random.bytes(32).toString('base64url');
  const kept: Begun = { verifier, to: to.length > MAX_PATH_CHARACTERS ? pathUnder(issuer, '/console') : to };
  const { identifier, scope } = resource();
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: CONSOLE_CLIENT_ID,
    redirect_uri: consoleRedirectUri(issuer),
    resource: identifier,
    scope: scope.join(' '),
    state: sealText(keys, 'console', stateName(browser), JSON.stringify(kept), random.bytes(IV_BYTES)),
    code_challenge: sha256(verifier).toString('base64url'),
    code_challenge_method: 'S256',
    ...(another && { prompt: 'login' }),
    ...(recent && { max_age: String(recentSignInSeconds()) }),
  });
  return `${pathUnder(issuer, '/oauth/authorize')}?${request}`;
}

const stateName = (browser: Buffer) => `state ${browser.toString('hex')}`;

export type SignedIn = {
  readonly kind: 'signedIn';
  readonly accessToken: string;
  readonly lifetimeSeconds: number;
  readonly me: Me;
  readonly to: string;
};
export type SignInFailed = {
  readonly kind: 'failed';
  /** `not_begun_here`: no request of this browser. `refused`: an error of the authorization endpoint. */
  readonly reason: 'not_begun_here' | 'refused' | 'no_token' | 'no_role' | 'api_unavailable';
  /** The error in the response. Null: none. */
  readonly error: string | null;
};

/** The signed-in user, from the management API. */
export type Me = Document<'GET', '/'>['me'];

/** @param query the authorization response. */
export async function finishSignIn(
  deps: SignInDeps,
  { browser, query, address }: { readonly browser: Buffer | null; readonly query: string; readonly address: string },
): Promise<SignedIn | SignInFailed> {
  const { parameters } = parseParameters(query, ['state', 'code', 'error', 'iss']);
  const state = parameters.get('state');
  const begun = browser === null || state === null ? null : openText(deps.keys, 'console', stateName(browser), state);
  // RFC 9207 §2.4: the console rejects another server's response.
  if (begun === null || parameters.get('iss') !== deps.issuer) return failed('not_begun_here');
  const { verifier, to } = JSON.parse(begun) as Begun;
  const code = parameters.get('code');
  if (code === null) return failed('refused', parameters.get('error'));
  const token = await exchange(deps, code, verifier, address);
  if (token === null) return failed('no_token');
  const me = await managementApi(deps, { token: token.accessToken, address }).get<{ readonly me: Me }>('');
  const hasRole = me.ok && me.value.me.user_id !== undefined && me.value.me.scopes.length > 0;
  if (hasRole) return { kind: 'signedIn', ...token, me: me.value.me, to };
  // The console keeps no token that grants no access.
  await revoke(deps, token.accessToken, address);
  const isUnavailable = !me.ok && me.problem.status !== 401 && me.problem.status !== 403;
  return failed(isUnavailable ? 'api_unavailable' : 'no_role');
}

const failed = (reason: SignInFailed['reason'], error: string | null = null): SignInFailed => ({
  kind: 'failed',
  reason,
  error,
});

async function exchange(deps: SignInDeps, code: string, verifier: string, address: string) {
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
  const { status, text } = await asClient(deps, '/oauth/token', { ...fields, ...redirectUri(deps) }, address);
  if (status !== 200) return null;
  const { access_token: accessToken, expires_in: lifetimeSeconds } = JSON.parse(text) as Readonly<{
    access_token: string;
    expires_in: number;
  }>;
  return { accessToken, lifetimeSeconds };
}

const redirectUri = ({ issuer }: SignInDeps) => ({ redirect_uri: consoleRedirectUri(issuer) });

/** RFC 7009: ends the grant of the token too. */
export const revoke = (deps: SignInDeps, token: string, address: string) =>
  asClient(deps, '/oauth/revoke', { token }, address);

function asClient(deps: SignInDeps, path: string, fields: Readonly<Record<string, string>>, address: string) {
  const credentials = Buffer.from(`${CONSOLE_CLIENT_ID}:${consoleSecret(deps.keys)}`).toString('base64');
  return deps.send({
    method: 'POST',
    path: pathUnder(deps.issuer, path),
    address,
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
}

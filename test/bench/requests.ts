/** The requests of the client and of the end-user's browser. */
import type { Reply, Send, Sent } from './http.ts';
import { CHALLENGE, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, SCOPE, VERIFIER } from './setting.ts';

export type Fields = Readonly<Record<string, string>>;

const basic = (secret: string) => `Basic ${Buffer.from(`${CLIENT_ID}:${secret}`).toString('base64')}`;

/** To an endpoint where the client authenticates. */
export const clientRequest = (url: string, form: Fields, secret = CLIENT_SECRET): Sent => ({
  url,
  form,
  authorization: basic(secret),
});

export const clientCredentialsFields = { grant_type: 'client_credentials', scope: SCOPE.join(' ') };

export const exchangeFields = (code: string, verifier = VERIFIER) => ({
  grant_type: 'authorization_code',
  code,
  code_verifier: verifier,
  redirect_uri: REDIRECT_URI,
});

export const refreshFields = (refreshToken: string) => ({ grant_type: 'refresh_token', refresh_token: refreshToken });

/** The authorization request (OAuth 2.1 §4.1.1). */
export function authorizeUrl(endpoint: string, change: Fields = {}): string {
  const fields = {
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    scope: SCOPE.join(' '),
    state: 'the-state-of-the-client',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...change,
  };
  return `${endpoint}?${new URLSearchParams(fields)}`;
}

/** @returns the parameters of the redirect to the client; null: another redirect, or none. */
export function authorizationResponse({ headers: { location } }: Reply): URLSearchParams | null {
  return location?.startsWith(`${REDIRECT_URI}?`) ? new URL(location).searchParams : null;
}

/** @throws Error when the answer brings no code. */
export function codeOf(reply: Reply): string {
  const code = authorizationResponse(reply)?.get('code');
  if (!code) throw new Error(`No code: ${reply.status} ${reply.headers.location ?? ''} ${reply.text.slice(0, 500)}`);
  return code;
}

export type Tokens = { readonly access_token: string; readonly refresh_token: string };

/** @throws Error when the answer is none with tokens. */
export async function tokensFor(send: Send, url: string, form: Fields): Promise<Tokens> {
  return JSON.parse(expected(await send(clientRequest(url, form)), 200).text) as Tokens;
}

/** @throws Error: another status is never counted as done. */
export function expected(reply: Reply, status: number): Reply {
  if (reply.status !== status) throw new Error(`${reply.status} instead of ${status}: ${reply.text.slice(0, 500)}`);
  return reply;
}

/**
 * OpenID Connect RP-Initiated Logout 1.0 §2 and §3: the client that asks, the session, and the redirect URI. The server
 * accepts `logout_hint` and `ui_locales` and does not read them: the session is known, and the pages are in one
 * language.
 */
import type { IdTokenHint } from '../crypto/id-token-hint.ts';
import type { Client } from '../model/client.ts';
import type { ParameterReading } from '../oauth/parameters.ts';
import { withParameters } from '../oauth/redirect-uri.ts';

export const LOGOUT_PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const;
type Reading = ParameterReading<(typeof LOGOUT_PARAMETERS)[number]>;

/** Shown on a page. The server ends no session and does not redirect. */
export type RefusedLogout = {
  readonly kind: 'refused';
  readonly reason:
    | 'malformed_request'
    | 'id_token_hint_unknown'
    | 'client_mismatch'
    | 'client_unknown'
    | 'client_missing'
    | 'post_logout_redirect_uri_mismatch';
  readonly clientId: string | null;
  /** For the log: the malformed parameter, or the registered URIs and the URI in the request. */
  readonly detail?: string;
  readonly registered?: readonly string[];
  readonly received?: string;
};

export type LogoutRequest = {
  readonly kind: 'request';
  readonly hint: IdTokenHint | null;
  /** Null: the request names none, or names a deleted one that it does not need. */
  readonly client: Client | null;
  /** Registered by that client, character by character. Null: the server does not redirect. */
  readonly redirectUri: string | null;
  /** Returns to the client unchanged. */
  readonly state: string | null;
};

export async function readLogoutRequest(
  { problem, parameters }: Reading,
  readHint: (token: string) => Promise<IdTokenHint | null>,
  findClient: (clientId: string) => Promise<Client | null>,
): Promise<LogoutRequest | RefusedLogout> {
  const named = parameters.get('client_id');
  const refused = (reason: RefusedLogout['reason'], facts: Partial<RefusedLogout> = {}): RefusedLogout => ({
    kind: 'refused',
    reason,
    clientId: named,
    ...facts,
  });
  if (problem)
    return refused('malformed_request', { detail: `${problem.parameter ?? 'the request'} ${problem.detail}` });

  // §2: "When an id_token_hint parameter is present, the OP MUST validate that it was the issuer of the ID Token."
  const token = parameters.get('id_token_hint');
  const hint = token === null ? null : await readHint(token);
  if (token !== null && hint === null) return refused('id_token_hint_unknown');

  // §2: "When both client_id and id_token_hint are present, the OP MUST verify that the Client Identifier matches the one
  // used when issuing the ID Token."
  if (named !== null && hint !== null && named !== hint.aud) return refused('client_mismatch', { clientId: hint.aud });
  const clientId = hint?.aud ?? named;
  const client = clientId === null ? null : await findClient(clientId);
  const redirectUri = parameters.get('post_logout_redirect_uri');
  if (clientId !== null && client === null && (hint === null || redirectUri !== null)) {
    return refused('client_unknown', { clientId });
  }

  // §3: "The OP MUST NOT perform post-logout redirection if the post_logout_redirect_uri value supplied does not exactly
  // match one of the previously registered post_logout_redirect_uris values."
  if (redirectUri !== null) {
    if (client === null) return refused('client_missing');
    const registered = client.postLogoutRedirectUris;
    if (!registered.includes(redirectUri)) {
      return refused('post_logout_redirect_uri_mismatch', { clientId, registered, received: redirectUri });
    }
  }
  return { kind: 'request', hint, client, redirectUri, state: parameters.get('state') };
}

/** §3: "If included in the logout request, the OP passes this value back to the RP using the state parameter". */
export function afterLogout({ redirectUri, state }: LogoutRequest): string | null {
  if (redirectUri === null) return null;
  return state === null ? redirectUri : withParameters(redirectUri, { state });
}

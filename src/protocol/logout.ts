/**
 * OpenID Connect RP-Initiated Logout 1.0: ends the session of this browser. The server asks the end-user first, unless
 * the request itself shows that the end-user wants it. Grants stay active: they end by revocation, or on the
 * permissions page.
 */
import { readIdTokenHint } from '../crypto/id-token-hint.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import type { Client } from '../model/client.ts';
import { type Session, subOfSession } from '../model/session.ts';
import { asQuery, type ParameterReading, parseParameters } from '../oauth/parameters.ts';
import { type CookieHash, endSession, findAnySession, type SessionDeps } from './browser-session.ts';
import { type FormCheck, formPurpose } from './form-purpose.ts';
import {
  afterLogout,
  LOGOUT_PARAMETERS,
  type LogoutRequest,
  type RefusedLogout,
  readLogoutRequest,
} from './logout-request.ts';

export type LogoutDeps = SessionDeps & {
  readonly issuer: string;
  readonly keyRing: KeyRing;
  readonly findClient: (clientId: string) => Promise<Client | null>;
};

/** `clientId`: of the requesting client, where the request names one. */
export type LogoutOutcome =
  | RefusedLogout
  /** `next`: the URL of the redirect. Null: none. */
  | {
      readonly kind: 'signedOut';
      readonly clientId: string | null;
      readonly userId: string;
      readonly next: string | null;
    }
  | { readonly kind: 'notSignedIn'; readonly clientId: string | null; readonly next: string | null }
  | {
      readonly kind: 'ask';
      readonly formPurpose: string;
      readonly username: string;
      /** The request without its hint, which the form sends again. */
      readonly request: Pick<LogoutRequest, 'client' | 'redirectUri' | 'state'>;
    };

export type LogoutDecisionOutcome =
  | Exclude<LogoutOutcome, { kind: 'ask' }>
  | { readonly kind: 'formRefused' }
  | {
      readonly kind: 'staysSignedIn';
      readonly clientId: string | null;
      readonly userId: string;
      readonly username: string;
      /** The requesting client, where the browser returns to it. */
      readonly back: { readonly name: string; readonly href: string } | null;
    };

/** @param encoded the query. @throws StoreUnavailable */
export async function handleLogoutRequest(
  deps: LogoutDeps,
  encoded: string,
  cookie: CookieHash | null,
): Promise<LogoutOutcome> {
  const request = await readRequest(deps, parseParameters(encoded, LOGOUT_PARAMETERS));
  if (request.kind === 'refused') return request;
  const session = await signedInHere(deps, cookie);
  if (session === null) return notSignedIn(request);
  // §2: the end-user MUST be asked "if an id_token_hint was not provided or if the supplied ID Token does not belong to the
  // current OP session". This one does, so no other site can have sent the browser here with it.
  if (request.hint?.sid === session.sid && request.hint.sub === subOfSession(session)) {
    return signOut(deps, request, session, cookie);
  }
  const { client, redirectUri, state } = request;
  return {
    kind: 'ask',
    formPurpose: formPurpose.logout(session.sid),
    username: session.username,
    request: { client, redirectUri, state },
  };
}

/**
 * A browser sends no SameSite=Lax cookie with a POST from the client's site, so the session is unknown, and the browser
 * has to repeat the request by GET. @param encoded the form body. @throws StoreUnavailable
 */
export async function handleLogoutRequestByPost(
  deps: LogoutDeps,
  encoded: string,
): Promise<RefusedLogout | { readonly kind: 'repeatByGet'; readonly query: string }> {
  const reading = parseParameters(encoded, LOGOUT_PARAMETERS);
  const request = await readRequest(deps, reading);
  if (request.kind === 'refused') return request;
  return { kind: 'repeatByGet', query: asQuery(reading.parameters, LOGOUT_PARAMETERS) };
}

/** @param form `encoded` contains the `decision` and the logout request. @throws StoreUnavailable */
export async function decideLogout(
  deps: LogoutDeps,
  form: { readonly encoded: string; readonly cookie: CookieHash | null; readonly isOurForm: FormCheck },
): Promise<LogoutDecisionOutcome> {
  const reading = parseParameters(form.encoded, [...FORM_PARAMETERS, ...LOGOUT_PARAMETERS]);
  const request = await readRequest(deps, reading);
  if (request.kind === 'refused') return request;
  const session = await signedInHere(deps, form.cookie);
  // As after a double click: the session has already ended.
  if (session === null) return notSignedIn(request);
  const decision = reading.parameters.get('decision');
  if (!form.isOurForm(formPurpose.logout(session.sid))) return { kind: 'formRefused' };
  switch (decision) {
    case 'approve':
      return signOut(deps, request, session, form.cookie);
    case 'deny':
      return staysSignedIn(request, session);
    default:
      return { kind: 'formRefused' };
  }
}

/** No question about a sign-in that awaits its second factor: no end-user is signed in, and it ends. */
async function signedInHere(deps: LogoutDeps, cookie: CookieHash | null): Promise<Session | null> {
  const { session, awaiting } = await findAnySession(deps, cookie);
  if (!awaiting) return session;
  await endSession(deps, cookie);
  return null;
}

/** src/http reads `csrf`. A repeated `csrf` makes the whole request malformed. */
const FORM_PARAMETERS = ['csrf', 'decision'] as const;

const readRequest = (
  deps: LogoutDeps,
  reading: ParameterReading<(typeof LOGOUT_PARAMETERS)[number]>,
): Promise<LogoutRequest | RefusedLogout> =>
  readLogoutRequest(reading, (token) => readIdTokenHint(deps.keyRing, deps.issuer, token), deps.findClient);

const clientIdOf = ({ client }: LogoutRequest) => client?.clientId ?? null;

/** RFC 9700 §4.11.2: without a signed-in user, a client that no operator vetted could send any browser to its site. */
const notSignedIn = (request: LogoutRequest) => {
  const isVetted = request.client?.registeredBy === 'operator';
  return { kind: 'notSignedIn', clientId: clientIdOf(request), next: isVetted ? afterLogout(request) : null } as const;
};

async function signOut(deps: LogoutDeps, request: LogoutRequest, { userId }: Session, cookie: CookieHash | null) {
  await endSession(deps, cookie);
  return { kind: 'signedOut', clientId: clientIdOf(request), userId, next: afterLogout(request) } as const;
}

function staysSignedIn(request: LogoutRequest, { userId, username }: Session) {
  const href = afterLogout(request);
  const back = request.client && href !== null ? { name: request.client.clientName, href } : null;
  return { kind: 'staysSignedIn', clientId: clientIdOf(request), userId, username, back } as const;
}

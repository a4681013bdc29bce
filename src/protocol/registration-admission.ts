/** The rate, the initial access token and the software statement of a client that registers itself (RFC 7591 §2.3, §3). */
import type { DynamicRegistration } from '../../policies/registration-schema.ts';
import { sameSecretBytes, sha256 } from '../crypto/digest.ts';
import { readSoftwareStatement } from '../crypto/software-statement.ts';
import { firstWaitOf, waitOf } from '../model/networks.ts';
import { readBearer } from '../oauth/bearer.ts';
import type { RequestCounter } from '../system/rate-limit.ts';
import { type ClientSignatureDeps, checkClientSignature } from './client-signature.ts';

/** Of registrations, by address. */
export type RegistrationRateDeps = { readonly registrationCounts: RequestCounter };
export type StatementDeps = ClientSignatureDeps & { readonly now: () => Date };

export type RegistrationSender = {
  readonly authorization: string | undefined;
  /** The throttle key of the sender. */
  readonly address: () => string;
};

/** RFC 7591 §3.2.2, RFC 6750 §3.1. */
type ErrorCode =
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'invalid_software_statement'
  | 'unapproved_software_statement'
  | 'invalid_token'
  | 'access_denied'
  | 'temporarily_unavailable';

export type RegistrationRefused = {
  readonly kind: 'refused';
  readonly status: 400 | 401 | 403 | 429 | 503;
  readonly error: ErrorCode;
  readonly reason: string;
  readonly description: string;
  readonly retryAfterSeconds?: number;
};

export const refuse = (
  status: RegistrationRefused['status'],
  error: ErrorCode,
  reason: string,
  description: string,
): RegistrationRefused => ({ kind: 'refused', status, error, reason, description });

export const invalidToken = (reason: string, description: string) => refuse(401, 'invalid_token', reason, description);

/** @returns null: the rate of the address is not exceeded. */
export function tooManyRegistrations(
  { registrationCounts }: RegistrationRateDeps,
  { address }: RegistrationSender,
  { registrationsPerHour }: DynamicRegistration,
): RegistrationRefused | null {
  const wait = firstWaitOf(address(), (key, times) =>
    waitOf(registrationCounts.count(key, registrationsPerHour * times)),
  );
  const description = 'Too many registrations came from this address. Try again later.';
  return refusedFor(wait, 'too_many_registrations_of_address', description);
}

/**
 * A change writes a row and an entry of the ledger, as a registration does. Called after its token was right, so no other client can use up
 * the changes of a client. @returns null: the rate of the client is not exceeded.
 */
export function tooManyChanges(
  { registrationCounts }: RegistrationRateDeps,
  clientId: string,
  { registrationsPerHour }: DynamicRegistration,
): RegistrationRefused | null {
  const wait = waitOf(registrationCounts.count(`changes ${clientId}`, registrationsPerHour));
  const description = 'The client has changed its registration too often. Try again later.';
  return refusedFor(wait, 'too_many_changes_of_client', description);
}

const refusedFor = (retryAfterSeconds: number | null, reason: string, description: string) =>
  retryAfterSeconds === null
    ? null
    : { ...refuse(429, 'temporarily_unavailable', reason, description), retryAfterSeconds };

type InitialAccess = { readonly kind: 'admitted'; readonly name: string | null };

/** RFC 7591 §3. With another access, a token that came is not looked at. */
export function initialAccess(
  { access, initialAccessTokens = [] }: DynamicRegistration,
  { authorization }: RegistrationSender,
): InitialAccess | RegistrationRefused {
  if (access !== 'initialAccessToken') return { kind: 'admitted', name: null };
  const bearer = readBearer(authorization, null);
  if (bearer.kind !== 'token')
    return invalidToken('initial_access_token_missing', 'Send an initial access token as a Bearer token.');
  const presented = sha256(bearer.token);
  const matching = initialAccessTokens.filter((one) => sameSecretBytes(Buffer.from(one.sha256, 'hex'), presented));
  const [found] = matching;
  return found === undefined
    ? invalidToken('initial_access_token_wrong', 'The initial access token is not valid.')
    : { kind: 'admitted', name: found.name };
}

type Stated = { readonly kind: 'stated'; readonly sent: unknown; readonly echoed: Readonly<Record<string, unknown>> };

/** RFC 7591 §3.1.1: "values conveyed in the software statement MUST take precedence over those conveyed using plain JSON elements". */
export async function withStatement(
  deps: StatementDeps,
  { access, trustedIssuers = [] }: DynamicRegistration,
  sent: unknown,
): Promise<Stated | RegistrationRefused> {
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
  const { software_statement: text = null, ...members } = isObject ? (sent as Record<string, unknown>) : {};
  if (text === null) {
    if (access === 'softwareStatement')
      return refuse(
        400,
        'unapproved_software_statement',
        'software_statement_missing',
        'software_statement: expected a statement of an issuer that this server trusts.',
      );
    return { kind: 'stated', sent, echoed: {} };
  }
  // RFC 7591 §2: a server that does not support the member ignores it.
  if (trustedIssuers.length === 0) return { kind: 'stated', sent: members, echoed: {} };
  const invalid = (reason: string, description: string) =>
    refuse(400, 'invalid_software_statement', reason, `software_statement: ${description}`);
  const statement = typeof text === 'string' ? readSoftwareStatement(text) : null;
  if (statement === null)
    return invalid('software_statement_malformed', 'expected a JWT with an iss, signed with an asymmetric algorithm.');
  const trusted = trustedIssuers.find(({ issuer }) => issuer === statement.issuer);
  if (trusted === undefined)
    return refuse(
      400,
      'unapproved_software_statement',
      'software_statement_issuer',
      'software_statement: this server does not trust its issuer.',
    );
  const keys = { jwks: trusted.jwks ?? null, jwksUri: trusted.jwksUri ?? null, registeredBy: 'operator' } as const;
  const problem = await checkClientSignature(deps, keys, null, statement, 'platform');
  if (problem === 'keys_unavailable')
    return refuse(
      503,
      'temporarily_unavailable',
      'software_statement_keys_unavailable',
      'software_statement: the keys of its issuer cannot be fetched at the moment.',
    );
  if (problem !== null)
    return invalid(`software_statement_${problem}`, 'its signature is not one of a key of its issuer.');
  if (!statement.isInTime(deps.now()))
    return invalid('software_statement_times', 'it has expired, or is from the future.');
  return { kind: 'stated', sent: { ...members, ...statement.metadata }, echoed: { software_statement: text } };
}

/**
 * A client that registers itself (RFC 7591 §3) and manages its registration (RFC 7592 §2). The machine decides; this file reads the
 * credentials, the software statement and the metadata before.
 */
import type { ClientRegistrationRejectReason } from '../../machines/client-registration/facts.ts';
import type { DynamicRegistration } from '../../policies/registration-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import { makeClientSecret, matchesStoredSecret, storedSecretMac } from '../crypto/client-secret.ts';
import { sameSecretBytes, sha256 } from '../crypto/digest.ts';
import type { Random } from '../crypto/random.ts';
import { makeRegistrationToken, matcherOf } from '../crypto/registration-token.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import { readSoftwareStatement } from '../crypto/software-statement.ts';
import type { SentRegistration } from '../lifecycles/client/lifecycle.ts';
import {
  askClientRegistration,
  authorizeRegistered,
  type ClientRegistrationPorts,
  changeRegistration,
  deleteRegistration,
  readRegistration,
  registerItself,
  type SelfRegistrationRules,
} from '../lifecycles/client-registration/lifecycle.ts';
import { type Client, hasSecret, type RegisteredClient } from '../model/client.ts';
import { networksOf } from '../model/networks.ts';
import { readBearer } from '../oauth/bearer.ts';
import { isMeantAsUrl } from '../oauth/client-id-url.ts';
import { urlUnder } from '../oauth/urls.ts';
import type { RequestCounter } from '../system/rate-limit.ts';
import { type ClientSignatureDeps, checkClientSignature } from './client-signature.ts';

type Metadata = Readonly<Record<string, unknown>>;

/** Reads and writes metadata. A module that no start loads, since most servers register no client this way. */
export type RegisteredMetadata = {
  readonly readSelfRegistration: (
    sent: unknown,
    clientId: string,
    rules: DynamicRegistration,
    configuration: Configuration,
  ) =>
    | { readonly ok: true; readonly registration: SentRegistration }
    | {
        readonly ok: false;
        readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
        readonly problem: string;
      };
  readonly registeredMetadata: (client: RegisteredClient) => Metadata;
};

export type ClientRegistrationDeps = ClientRegistrationPorts &
  ClientSignatureDeps & {
    readonly issuer: string;
    readonly configuration: () => Configuration;
    readonly keys: RootKeys;
    readonly random: Random;
    readonly now: () => Date;
    readonly metadata: () => Promise<RegisteredMetadata>;
    /** Of registrations, by address. */
    readonly registrationCounts: RequestCounter;
  };

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

export type RegistrationOutcome =
  | {
      readonly kind: 'registered' | 'shown';
      readonly clientId: string;
      /** The name of the initial access token. Null: none was presented. */
      readonly by?: string | null;
      readonly body: Metadata;
    }
  | { readonly kind: 'deleted'; readonly clientId: string }
  /** As if the endpoint did not exist. */
  | { readonly kind: 'off' }
  | RegistrationRefused;

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3600;

const refuse = (
  status: RegistrationRefused['status'],
  error: ErrorCode,
  reason: string,
  description: string,
): RegistrationRefused => ({ kind: 'refused', status, error, reason, description });

const invalidToken = (reason: string, description: string) => refuse(401, 'invalid_token', reason, description);

/** RFC 7592 §2.1: one answer for an unknown client, a deleted one and a wrong token. */
const NOT_YOURS = 'The registration access token is not valid for this client.';

const REJECTED: Readonly<Record<ClientRegistrationRejectReason, (reason: string) => RegistrationRefused>> = {
  registration_off: (reason) => refuse(403, 'access_denied', reason, 'This server accepts no registrations any more.'),
  too_many_registrations: (reason) => ({
    ...refuse(503, 'temporarily_unavailable', reason, 'This server accepts no further registrations at the moment.'),
    retryAfterSeconds: HOUR_SECONDS,
  }),
  registration_unknown: (reason) => invalidToken(reason, NOT_YOURS),
  registration_ended: (reason) => invalidToken(reason, NOT_YOURS),
  registration_token_wrong: (reason) => invalidToken(reason, NOT_YOURS),
  registration_adopted: (reason) =>
    refuse(403, 'access_denied', reason, 'An operator of this server administers the client now.'),
  registration_weakens_authentication: (reason) =>
    refuse(
      400,
      'invalid_client_metadata',
      reason,
      'token_endpoint_auth_method: expected one as strong as before; a client keeps its secret, or its key.',
    ),
};

const rulesOf = (rules: DynamicRegistration | undefined): SelfRegistrationRules =>
  rules === undefined ? null : { mostStored: rules.maxRegistrations, unusedSeconds: rules.unusedDays * DAY_SECONDS };

/** POST (RFC 7591 §3.1). @param sent the parsed body. @throws StoreUnavailable, Unavailable */
export async function registerSelf(
  deps: ClientRegistrationDeps,
  sender: RegistrationSender,
  sent: unknown,
): Promise<RegistrationOutcome> {
  const configuration = deps.configuration();
  const { dynamicRegistration: rules } = configuration.registration;
  if (rules === undefined) return { kind: 'off' };
  const tooMany = tooManyFrom(deps, sender, rules);
  if (tooMany !== null) return tooMany;
  const initial = initialAccess(rules, sender);
  if (initial.kind === 'refused') return initial;
  const stated = await withStatement(deps, rules, sent);
  if (stated.kind === 'refused') return stated;
  const { readSelfRegistration, registeredMetadata } = await deps.metadata();
  const clientId = deps.random.bytes(16).toString('base64url');
  const reading = readSelfRegistration(stated.sent, clientId, rules, configuration);
  if (!reading.ok) return refuse(400, reading.error, reading.error, reading.problem);
  const { registration, secret } = withSecret(deps, reading.registration, []);
  const { token, tokenHash } = makeRegistrationToken(deps.random);
  const answer = await askClientRegistration(deps, clientId, registerItself(rulesOf(rules), registration, tokenHash));
  if (answer.kind === 'rejected') return REJECTED[answer.reason](answer.reason);
  const { client, registration: stored } = answer;
  if (client === null || stored === null) throw new Error('a registration that was not rejected left no client');
  return {
    kind: 'registered',
    clientId,
    by: initial.name,
    body: {
      ...registeredMetadata(client),
      client_id_issued_at: Math.floor(stored.createdAt.getTime() / 1000),
      ...secretIn(secret),
      ...managedBy(deps, clientId, token),
      ...stated.echoed,
    },
  };
}

/** GET (RFC 7592 §2.1). @throws StoreUnavailable, Unavailable */
export async function showSelf(
  deps: ClientRegistrationDeps,
  sender: RegistrationSender,
  clientId: string,
): Promise<RegistrationOutcome> {
  const token = presentedToken(sender);
  if (typeof token !== 'string') return token;
  const answer = await askClientRegistration(deps, clientId, readRegistration(matcherOf(token)));
  if (answer.kind === 'rejected') return REJECTED[answer.reason](answer.reason);
  return shown(deps, clientId, token, answer, {});
}

/** PUT (RFC 7592 §2.2). @param sent the parsed body. @throws StoreUnavailable, Unavailable */
export async function changeSelf(
  deps: ClientRegistrationDeps,
  sender: RegistrationSender,
  clientId: string,
  sent: unknown,
): Promise<RegistrationOutcome> {
  const token = presentedToken(sender);
  if (typeof token !== 'string') return token;
  const isPresented = matcherOf(token);
  // Before anything about the metadata: only the client itself gets an answer about them.
  const before = await askClientRegistration(deps, clientId, readRegistration(isPresented));
  if (before.kind === 'rejected') return REJECTED[before.reason](before.reason);
  const configuration = deps.configuration();
  const { dynamicRegistration: rules } = configuration.registration;
  if (rules === undefined) return REJECTED.registration_off('registration_off');
  const wrong = whatIsNotReplaced(deps, before.client, sent);
  if (wrong !== null) return refuse(400, 'invalid_client_metadata', 'not_replaceable', wrong);
  const stated = await withStatement(deps, rules, sent);
  if (stated.kind === 'refused') return stated;
  const { readSelfRegistration } = await deps.metadata();
  const reading = readSelfRegistration(stated.sent, clientId, rules, configuration);
  if (!reading.ok) return refuse(400, reading.error, reading.error, reading.problem);
  let secret: RawSecret | null = null;
  const fresh = makeClientSecret(deps.random);
  const answer = await askClientRegistration(
    deps,
    clientId,
    changeRegistration(rulesOf(rules), isPresented, (client) => {
      const made = withSecret(deps, reading.registration, client?.secretMacs ?? [], fresh);
      secret = made.secret;
      return made.registration;
    }),
  );
  if (answer.kind === 'rejected') return REJECTED[answer.reason](answer.reason);
  return shown(deps, clientId, token, answer, { ...secretIn(secret), ...stated.echoed });
}

/** DELETE (RFC 7592 §2.3). @throws StoreUnavailable, Unavailable */
export async function deleteSelf(
  deps: ClientRegistrationDeps,
  sender: RegistrationSender,
  clientId: string,
): Promise<RegistrationOutcome> {
  const token = presentedToken(sender);
  if (typeof token !== 'string') return token;
  const answer = await askClientRegistration(deps, clientId, deleteRegistration(matcherOf(token)));
  return answer.kind === 'rejected' ? REJECTED[answer.reason](answer.reason) : { kind: 'deleted', clientId };
}

/** An end-user signed in to a client: one that registered itself stays longer. @throws StoreUnavailable, Unavailable */
export async function keepRegistered(
  deps: Pick<ClientRegistrationDeps, 'configuration' | 'clientRegistrations' | 'sleep'>,
  { clientId, registeredBy }: Pick<Client, 'clientId' | 'registeredBy'>,
): Promise<void> {
  const { dynamicRegistration: rules } = deps.configuration().registration;
  if (registeredBy === 'operator' || isMeantAsUrl(clientId) || rules === undefined) return;
  await askClientRegistration(deps, clientId, authorizeRegistered(rulesOf(rules)));
}

function tooManyFrom(
  { registrationCounts }: ClientRegistrationDeps,
  { address }: RegistrationSender,
  { registrationsPerHour }: DynamicRegistration,
): RegistrationRefused | null {
  for (const { key, times } of networksOf(address())) {
    const { isBeyond, resetSeconds } = registrationCounts.count(key, registrationsPerHour * times);
    if (isBeyond) {
      const description = 'Too many registrations came from this address. Try again later.';
      return {
        ...refuse(429, 'temporarily_unavailable', 'too_many_registrations_of_address', description),
        retryAfterSeconds: resetSeconds,
      };
    }
  }
  return null;
}

type InitialAccess = { readonly kind: 'admitted'; readonly name: string | null };

/** RFC 7591 §3. With another access, a token that came is not looked at. */
function initialAccess(
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

function presentedToken({ authorization }: RegistrationSender): string | RegistrationRefused {
  const bearer = readBearer(authorization, null);
  return bearer.kind === 'token' && bearer.scheme === 'bearer'
    ? bearer.token
    : invalidToken('registration_token_missing', 'Send the registration access token as a Bearer token.');
}

type Stated = { readonly kind: 'stated'; readonly sent: unknown; readonly echoed: Metadata };

/** RFC 7591 §3.1.1: "values conveyed in the software statement MUST take precedence over those conveyed using plain JSON elements". */
async function withStatement(
  deps: ClientRegistrationDeps,
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
  const keys = { jwks: trusted.jwks ?? null, jwksUri: trusted.jwksUri ?? null };
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

/** RFC 7592 §2.2: the members that a client sends back as it has them. @returns the rule that one breaks. Null: none. */
function whatIsNotReplaced(
  { keys }: ClientRegistrationDeps,
  client: RegisteredClient | null,
  sent: unknown,
): string | null {
  if (typeof sent !== 'object' || sent === null || client === null) return null;
  const members = sent as Readonly<Record<string, unknown>>;
  const forbidden = FORBIDDEN.find((name) => Object.hasOwn(members, name));
  if (forbidden !== undefined) return `${forbidden}: expected no such member in a change (RFC 7592 §2.2).`;
  if (members['client_id'] !== client.clientId) return 'client_id: expected the client_id of this registration.';
  const { client_secret: secret = null } = members;
  if (secret === null) return null;
  const isTheirs = typeof secret === 'string' && matchesStoredSecret(keys, client.secretMacs, rawSecret(secret));
  return isTheirs ? null : 'client_secret: expected the current secret of the client; the server makes each secret.';
}

/** RFC 7592 §2.2: the request "MUST NOT include" them. */
const FORBIDDEN = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
] as const;

/** @param kept the stored secrets. @param fresh for a client that needs a secret and has none. */
function withSecret(
  { keys, random }: ClientRegistrationDeps,
  registration: SentRegistration,
  kept: Client['secretMacs'],
  fresh: RawSecret | null = null,
): { readonly registration: SentRegistration; readonly secret: RawSecret | null } {
  if (!hasSecret(registration)) return { registration: { ...registration, secretMacs: [] }, secret: null };
  if (kept.length > 0) return { registration: { ...registration, secretMacs: kept }, secret: null };
  const secret = fresh ?? makeClientSecret(random);
  return { registration: { ...registration, secretMacs: [storedSecretMac(keys, secret)] }, secret };
}

/** RFC 7591 §3.2.1: `client_secret_expires_at` is REQUIRED if a secret is issued; 0: it does not expire. */
const secretIn = (secret: RawSecret | null): Metadata =>
  secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 };

const managedBy = ({ issuer }: ClientRegistrationDeps, clientId: string, token: string): Metadata => ({
  registration_client_uri: urlUnder(issuer, `/oauth/register/${encodeURIComponent(clientId)}`),
  registration_access_token: token,
});

/** RFC 7592 §3. The secret is stored as a keyed hash, so only the response that makes one has it. */
async function shown(
  deps: ClientRegistrationDeps,
  clientId: string,
  token: string,
  {
    client,
    registration,
  }: { readonly client: RegisteredClient | null; readonly registration: { readonly createdAt: Date } | null },
  more: Metadata,
): Promise<RegistrationOutcome> {
  const { registeredMetadata } = await deps.metadata();
  if (client === null || registration === null) throw new Error('a shown registration has no client');
  const body = {
    ...registeredMetadata(client),
    client_id_issued_at: Math.floor(registration.createdAt.getTime() / 1000),
    ...managedBy(deps, clientId, token),
    ...more,
  };
  return { kind: 'shown', clientId, body };
}

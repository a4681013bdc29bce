/**
 * A client that registers itself (RFC 7591 §3) and manages its registration (RFC 7592 §2). The machine decides; this file reads the
 * token and the metadata before.
 */
import type { ClientRegistrationRejectReason } from '../../machines/client-registration/facts.ts';
import type { DynamicRegistration } from '../../policies/registration-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import { makeClientSecret, matchesStoredSecret, storedSecretMac } from '../crypto/client-secret.ts';
import type { Random } from '../crypto/random.ts';
import { makeRegistrationToken, matcherOf } from '../crypto/registration-token.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
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
import { type Client, hasSecret, introductionOf, type RegisteredClient } from '../model/client.ts';
import { readBearer } from '../oauth/bearer.ts';
import { urlUnder } from '../oauth/urls.ts';
import {
  initialAccess,
  invalidToken,
  type RegistrationRateDeps,
  type RegistrationRefused,
  type RegistrationSender,
  refuse,
  type StatementDeps,
  tooManyChanges,
  tooManyRegistrations,
  withStatement,
} from './registration-admission.ts';

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
  RegistrationRateDeps &
  StatementDeps & {
    readonly issuer: string;
    readonly configuration: () => Configuration;
    readonly keys: RootKeys;
    readonly random: Random;
    readonly metadata: () => Promise<RegisteredMetadata>;
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
  const tooMany = tooManyRegistrations(deps, sender, rules);
  if (tooMany !== null) return tooMany;
  const initial = initialAccess(rules, sender);
  if (initial.kind === 'refused') return initial;
  const stated = await withStatement(deps, rules, sent);
  if (stated.kind === 'refused') return stated;
  const { readSelfRegistration } = await deps.metadata();
  const clientId = deps.random.bytes(16).toString('base64url');
  const reading = readSelfRegistration(stated.sent, clientId, rules, configuration);
  if (!reading.ok) return refuse(400, reading.error, reading.error, reading.problem);
  const { registration, secret } = withSecret(deps, reading.registration, []);
  const { token, tokenHash } = makeRegistrationToken(deps.random);
  const answer = await askClientRegistration(deps, clientId, registerItself(rulesOf(rules), registration, tokenHash));
  if (answer.kind === 'rejected') return REJECTED[answer.reason](answer.reason);
  const body = await bodyOf(deps, clientId, token, answer, { ...secretIn(secret), ...stated.echoed });
  return { kind: 'registered', clientId, by: initial.name, body };
}

/** GET (RFC 7592 §2.1). @throws StoreUnavailable, Unavailable */
export async function showSelf(
  deps: ClientRegistrationDeps,
  sender: RegistrationSender,
  clientId: string,
): Promise<RegistrationOutcome> {
  const token = presentedToken(sender, clientId);
  if (typeof token !== 'string') return token;
  const answer = await askClientRegistration(deps, clientId, readRegistration(matcherOf(token)));
  if (answer.kind === 'rejected') return REJECTED[answer.reason](answer.reason);
  return { kind: 'shown', clientId, body: await bodyOf(deps, clientId, token, answer, {}) };
}

/** PUT (RFC 7592 §2.2). @param sent the parsed body. @throws StoreUnavailable, Unavailable */
export async function changeSelf(
  deps: ClientRegistrationDeps,
  sender: RegistrationSender,
  clientId: string,
  sent: unknown,
): Promise<RegistrationOutcome> {
  const token = presentedToken(sender, clientId);
  if (typeof token !== 'string') return token;
  const isPresented = matcherOf(token);
  // Before anything about the metadata: only the client itself gets an answer about them.
  const before = await askClientRegistration(deps, clientId, readRegistration(isPresented));
  if (before.kind === 'rejected') return REJECTED[before.reason](before.reason);
  const configuration = deps.configuration();
  const { dynamicRegistration: rules } = configuration.registration;
  if (rules === undefined) return REJECTED.registration_off('registration_off');
  const tooMany = tooManyChanges(deps, clientId, rules);
  if (tooMany !== null) return tooMany;
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
  const body = await bodyOf(deps, clientId, token, answer, { ...secretIn(secret), ...stated.echoed });
  return { kind: 'shown', clientId, body };
}

/** DELETE (RFC 7592 §2.3). @throws StoreUnavailable, Unavailable */
export async function deleteSelf(
  deps: ClientRegistrationDeps,
  sender: RegistrationSender,
  clientId: string,
): Promise<RegistrationOutcome> {
  const token = presentedToken(sender, clientId);
  if (typeof token !== 'string') return token;
  const answer = await askClientRegistration(deps, clientId, deleteRegistration(matcherOf(token)));
  return answer.kind === 'rejected' ? REJECTED[answer.reason](answer.reason) : { kind: 'deleted', clientId };
}

/** An end-user signed in to a client: one that registered itself stays longer. @throws StoreUnavailable, Unavailable */
export async function keepRegistered(
  deps: Pick<ClientRegistrationDeps, 'configuration' | 'clientRegistrations' | 'sleep'>,
  client: Pick<Client, 'clientId' | 'registeredBy'>,
): Promise<void> {
  const { dynamicRegistration: rules } = deps.configuration().registration;
  if (introductionOf(client) !== 'dynamicRegistration' || rules === undefined) return;
  await askClientRegistration(deps, client.clientId, authorizeRegistered(rulesOf(rules)));
}

function presentedToken({ authorization }: RegistrationSender, clientId: string): string | RegistrationRefused {
  const bearer = readBearer(authorization, null);
  if (bearer.kind !== 'token' || bearer.scheme !== 'bearer')
    return invalidToken('registration_token_missing', 'Send the registration access token as a Bearer token.');
  // No client has such an id, and Postgres rejects it in text.
  return clientId.includes('\0') ? REJECTED.registration_unknown('registration_unknown') : bearer.token;
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
async function bodyOf(
  deps: ClientRegistrationDeps,
  clientId: string,
  token: string,
  {
    client,
    registration,
  }: { readonly client: RegisteredClient | null; readonly registration: { readonly createdAt: Date } | null },
  more: Metadata,
): Promise<Metadata> {
  const { registeredMetadata } = await deps.metadata();
  if (client === null || registration === null) throw new Error('a registration that was not rejected has no client');
  return {
    ...registeredMetadata(client),
    client_id_issued_at: Math.floor(registration.createdAt.getTime() / 1000),
    ...managedBy(deps, clientId, token),
    ...more,
  };
}

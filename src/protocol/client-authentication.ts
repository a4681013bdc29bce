/** Client authentication: reading the credentials and checking them (RFC 6749 §2.3, §3.2.1; OAuth 2.1 §2.4). */
import { type ClientAssertion, readClientAssertion } from '../crypto/client-assertion.ts';
import { matchesStoredSecret, storedSecretMac } from '../crypto/client-secret.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import { readWorkloadToken, type WorkloadToken } from '../crypto/workload-token.ts';
import { instrument } from '../engine/observe.ts';
import { hasSecret, type TokenClient } from '../model/client.ts';
import type { Presenter } from '../model/ledger.ts';
import { parseBasic } from '../oauth/basic-auth.ts';
import { isOneOf, TLS_METHODS } from '../oauth/client-methods.ts';
import { JWT_BEARER, JWT_SPIFFE, type Parameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { urlUnder } from '../oauth/urls.ts';
import { checkAssertion } from './client-assertion.ts';
import { checkCertificate, type SentCertificate } from './client-certificate.ts';
import { type CLIENT_PARAMETERS, type Refused, refuse, type TokenDeps } from './grant-type.ts';
import { checkWorkloadToken } from './workload-token.ts';

/** The client's identification in a request, beside the parameters of the form. */
export type ClientSender = {
  /** The Authorization header. Absent: not sent. */
  readonly authorization: string | undefined;
  /** The DPoP header: HTTP joins several by a comma. Absent: not sent. */
  readonly dpop: string | undefined;
  /** The TLS client certificate. Absent: the server takes none. */
  readonly certificate?: SentCertificate | undefined;
  /** The throttle key of the sender. Addresses that count as one sender share it. */
  readonly address: () => string;
  /** Called only when a used credential comes again. */
  readonly presenter: () => Presenter;
};

export type ClientCredentials = {
  readonly clientId: string;
  readonly secret: RawSecret | null;
  /** Absent: the client did not send one. */
  readonly assertion?: ClientAssertion;
  /** Absent: the client did not send one. */
  readonly workloadToken?: WorkloadToken;
  readonly certificate?: SentCertificate | undefined;
  readonly address: () => string;
};

type ClientParameters = Parameters<(typeof CLIENT_PARAMETERS)[number]>;

/** @returns the credentials: two readings of them where a Basic header is ambiguous (src/oauth/basic-auth.ts). */
export function readClientCredentials(
  { issuer }: Pick<TokenDeps, 'issuer'>,
  { authorization, certificate, address }: Pick<ClientSender, 'authorization' | 'certificate' | 'address'>,
  parameters: ClientParameters,
): readonly ClientCredentials[] | Refused {
  const clientId = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  const assertion = parameters.get('client_assertion');
  if (assertion !== null || parameters.get('client_assertion_type') !== null) {
    // RFC 6749 §2.3, as below.
    if (authorization !== undefined) return refuse('two_client_authentications');
    if (secret !== null) return refuse('two_client_authentications', 'client_secret');
    return credentialsByAssertion(issuer, assertion, parameters, address);
  }
  if (authorization === undefined) {
    if (clientId === null)
      return secret === null ? refuse('client_authentication_missing') : refuse('missing_parameter', 'client_id');
    return [{ clientId, secret: secret === null ? null : rawSecret(secret), certificate, address }];
  }
  // RFC 6749 §2.3: the client MUST NOT use more than one authentication method in each request.
  if (secret !== null) return refuse('two_client_authentications', 'client_secret');
  const readings = parseBasic(authorization);
  if (readings === null) return refuse('malformed_client_authentication');
  const matching = clientId === null ? readings : readings.filter((one) => one.clientId === clientId);
  if (matching.length === 0) return refuse('two_client_authentications', 'client_id');
  return matching.map((one) => ({ clientId: one.clientId, secret: rawSecret(one.clientSecret), address }));
}

function credentialsByAssertion(
  issuer: string,
  text: string | null,
  parameters: ClientParameters,
  address: () => string,
): readonly ClientCredentials[] | Refused {
  if (text === null) return refuse('missing_parameter', 'client_assertion');
  const type = parameters.get('client_assertion_type');
  const sent = parameters.get('client_id');
  const byWorkload = (clientId: string, kind: 'any' | 'jwt-svid') => {
    const workloadToken = readWorkloadToken(text, issuer, kind);
    return workloadToken.kind === 'read'
      ? [{ clientId, secret: null, workloadToken, address }]
      : refuse(workloadToken.kind);
  };
  if (type === JWT_SPIFFE)
    return sent === null ? refuse('missing_parameter', 'client_id') : byWorkload(sent, 'jwt-svid');
  if (type !== JWT_BEARER) return refuse('client_assertion_type_unknown');
  const assertion = readClientAssertion(text, { issuer, tokenEndpoint: urlUnder(issuer, '/oauth/token') });
  // An assertion has its client as iss and sub. A platform writes itself and the workload, so no JWT is both.
  if (assertion.kind === 'client_assertion_issuer' && sent !== null) return byWorkload(sent, 'any');
  if (assertion.kind !== 'read') return refuse(assertion.kind);
  // RFC 7521 §4.2: client_id is not needed, and "MUST identify the same client" as the assertion.
  const clientId = sent ?? assertion.clientId;
  if (clientId !== assertion.clientId) return refuse('two_client_authentications', 'client_id');
  return [{ clientId, secret: null, assertion, address }];
}

/** @returns the loaded rows, with the authenticated client. */
export async function authenticateClient<Client extends TokenClient, Read extends { readonly client: Client | null }>(
  deps: TokenDeps,
  readings: readonly ClientCredentials[],
  load: (clientId: string) => Promise<Read>,
): Promise<(Read & { readonly client: NonNullable<Read['client']> }) | Refused> {
  let reason: TokenReason = 'client_unknown';
  let claimed: TokenClient | null = null;
  for (const credentials of readings) {
    const throttled = throttle(deps, credentials);
    if (throttled) return throttled;
    const loaded = await instrument('load', 'client', () => load(credentials.clientId));
    // Checked again, for guesses that were loaded together: from here to the count the code awaits nothing.
    const throttledMeanwhile = throttle(deps, credentials);
    if (throttledMeanwhile) return throttledMeanwhile;
    const { client } = loaded;
    const { assertion, workloadToken, certificate } = credentials;
    const refused =
      assertion !== undefined
        ? await checkAssertion(deps, assertion)
        : workloadToken !== undefined
          ? await checkWorkloadToken(deps, credentials.clientId, workloadToken)
          : isByCertificate(credentials, client)
            ? await checkCertificate(deps, credentials.clientId, certificate)
            : checkCredentials(deps.keys, credentials, client);
    if (refused === null && client) {
      await renewSecretMac(deps, credentials, client);
      return { ...loaded, client };
    }
    // Also for an id that no client has: the answer must not reveal which ids exist.
    if (credentials.secret !== null) deps.clientThrottle.count(credentials, credentials.secret);
    reason = refused ?? reason;
    claimed = client ?? claimed;
  }
  return claimed === null ? refuse(reason) : { ...refuse(reason), claimedClientId: claimed.clientId };
}

function throttle({ clientThrottle }: TokenDeps, credentials: ClientCredentials): Refused | null {
  const retryAfterSeconds = credentials.secret === null ? null : clientThrottle.waitSeconds(credentials);
  return retryAfterSeconds === null ? null : { ...refuse('client_throttled'), retryAfterSeconds };
}

/** Also of an unknown client that sends one: the answer to a certificate must not reveal which ids exist. */
function isByCertificate({ secret, certificate }: ClientCredentials, client: TokenClient | null): boolean {
  if (secret !== null) return false;
  if (client === null || client.deletedAt !== null) return (certificate?.() ?? null) !== null;
  return isOneOf(TLS_METHODS, client.tokenEndpointAuthMethod);
}

/** @returns the reason why the client is not authenticated. Null: it is authenticated. */
function checkCredentials(
  keys: RootKeys,
  { secret }: ClientCredentials,
  client: TokenClient | null,
): TokenReason | null {
  // An unknown client costs the same work, so the time does not reveal which ids exist.
  const matches = secret !== null && matchesStoredSecret(keys, client?.secretMacs ?? noClientsMacs(keys), secret);
  if (!client || client.deletedAt !== null) return 'client_unknown';
  if (client.tokenEndpointAuthMethod === 'none') return secret === null ? null : 'client_has_no_secret';
  if (secret === null) return 'client_authentication_missing';
  // OpenID Connect Registration §2: the registered method alone.
  if (!hasSecret(client)) return 'client_has_no_secret';
  return matches ? null : 'client_secret_mismatch';
}

let noClient: { keys: RootKeys; macs: TokenClient['secretMacs'] } | null = null;
function noClientsMacs(keys: RootKeys): TokenClient['secretMacs'] {
  if (noClient?.keys !== keys) noClient = { keys, macs: [storedSecretMac(keys, rawSecret('no client'))] };
  return noClient.macs;
}

/** After a rotation of the root secret, stores the MAC of the right secret again, under the current root secret. */
async function renewSecretMac(deps: TokenDeps, { secret }: ClientCredentials, client: TokenClient): Promise<void> {
  if (secret === null) return;
  const old = client.secretMacs.find(
    (one) => one.keyId !== deps.keys.first.id && matchesStoredSecret(deps.keys, [one], secret),
  );
  if (!old) return;
  // The secret keeps its name, by which an administrator removes it.
  const fresh = { ...old, ...storedSecretMac(deps.keys, secret) };
  await deps.renewSecretMac(
    client,
    client.secretMacs.map((one) => (one === old ? fresh : one)),
  );
}

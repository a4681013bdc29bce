/**
 * Reads the metadata of a client that introduces itself: by a document, or by a registration. The client gets no more than registration.yaml
 * allows. No sentence about it has anything that the client sent.
 */
import type { IntroducedAccess } from '../../policies/registration-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import type { RecordProblem } from '../config/problem.ts';
import type { SentRegistration } from '../lifecycles/client/lifecycle.ts';
import type { ClientMetadata } from '../model/client.ts';
import { leadsToThisDevice } from '../oauth/redirect-uri.ts';
import { parseScope } from '../oauth/scope.ts';
import { metadataOf, readClientRecord } from './client-metadata.ts';
import { reviewClient } from './client-review.ts';

export type IntroducedReading =
  /** Without secrets. */
  | { readonly ok: true; readonly registration: SentRegistration }
  /** `key`: the member that breaks the rule. */
  | { readonly ok: false; readonly key: string | null; readonly problem: string };

const MAX_REDIRECT_URIS = 20;

/** The members that count. Others are ignored: a stranger names no pages, no images (CIMD §8.8, RFC 7591 §5) and no policy. */
export const COUNTING = [
  'client_name',
  'application_type',
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'jwks',
  'jwks_uri',
  'redirect_uris',
  'grant_types',
  'id_token_signed_response_alg',
  'dpop_bound_access_tokens',
  'require_pushed_authorization_requests',
] as const;
/** An end-user is present at each grant of such a client. */
const GRANT_TYPES: ReadonlySet<unknown> = new Set(['authorization_code', 'refresh_token']);

const broken = (key: string | null, problem: string): IntroducedReading => ({ ok: false, key, problem });

export type Introduced = {
  readonly clientId: string;
  /** Of the methods that such a client may have. */
  readonly method: string;
  readonly access: IntroducedAccess;
  /** The hosts that stand beside its name, and what stands there where these do not fit. */
  readonly hosts: (metadata: ClientMetadata) => readonly string[];
  readonly otherwise: string;
};

export function readIntroducedClient(
  sent: Readonly<Record<string, unknown>>,
  { clientId, method, access, hosts, otherwise }: Introduced,
  configuration: Configuration,
): IntroducedReading {
  const { grant_types: grantTypes, redirect_uris: uris } = sent;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    return broken('redirect_uris', `redirect_uris is not a list of 1 to ${MAX_REDIRECT_URIS} URIs.`);
  if (grantTypes !== undefined && !Array.isArray(grantTypes))
    return broken('grant_types', 'grant_types is not a list.');
  const usable = grantTypes?.filter((one) => GRANT_TYPES.has(one)) ?? ['authorization_code'];
  if (!usable.includes('authorization_code')) return broken('grant_types', 'grant_types lacks authorization_code.');
  const scope = scopeOf(sent['scope'], access);
  if (scope === null)
    return broken('scope', 'scope is not a list of scope tokens, or has none that this server allows.');

  const reading = readClientRecord({
    ...Object.fromEntries(COUNTING.flatMap((name) => (Object.hasOwn(sent, name) ? [[name, sent[name]]] : []))),
    application_type: sent['application_type'] ?? typeOf(uris),
    token_endpoint_auth_method: method,
    grant_types: usable,
    client_id: clientId,
    scope: scope.join(' '),
    policy: access.policy,
  });
  if (!reading.ok) return firstOf(reading.problems);
  const metadata = metadataOf(reading.value);
  const { errors } = reviewClient(metadata, configuration);
  if (errors.length > 0) return firstOf(errors);
  const clientName = nameWithHosts(metadata.clientName, hosts(metadata), otherwise);
  const registration = {
    ...metadata,
    clientId,
    clientName,
    secretMacs: [],
    declared: false,
    registeredBy: 'self',
  } as const;
  return { ok: true, registration };
}

/** As long as the name of any client. */
const MAX_NAME_CHARACTERS = 200;

/** CIMD §8.5: wherever the name stands that the client gave itself, its hosts stand beside it. @param otherwise where they do not fit. */
function nameWithHosts(name: string | null, hosts: readonly string[], otherwise: string): string {
  const beside = ` (${hosts.join(', ')})`;
  const full = name?.endsWith(beside) ? name : `${name}${beside}`;
  return name === null || full.length > MAX_NAME_CHARACTERS ? otherwise : full;
}

/** Of the named scope, the part that the rules allow. Null: none. */
function scopeOf(named: unknown, { scopes }: IntroducedAccess): readonly string[] | null {
  if (named === undefined) return scopes;
  const asked = typeof named === 'string' ? parseScope(named) : null;
  const allowed = scopes.filter((one) => asked?.includes(one));
  return allowed.length === 0 ? null : allowed;
}

/** Where the client does not say it: an app on a device has no https address of its own. */
const typeOf = (uris: readonly unknown[]): 'native' | 'web' =>
  uris.some((uri) => typeof uri === 'string' && URL.canParse(uri) && leadsToThisDevice(uri)) ? 'native' : 'web';

/** The member, and the expected value. The found value stays out. */
function firstOf([first]: readonly RecordProblem[]): IntroducedReading {
  if (first === undefined) return broken(null, 'The metadata are not valid.');
  const { key, allowed } = first;
  return broken(key, `${key ?? 'The metadata'}: expected ${allowed}.`);
}

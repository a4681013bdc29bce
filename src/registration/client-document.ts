/**
 * Reads the document of a client as a registration (draft-ietf-oauth-client-id-metadata-document §4). The client gets no more than
 * registration.yaml allows, whatever the document says. No sentence about a document has anything of its content.
 */
import type { MetadataDocuments } from '../../policies/registration-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import type { RecordProblem } from '../config/problem.ts';
import type { SentRegistration } from '../lifecycles/client/lifecycle.ts';
import { leadsToThisDevice } from '../oauth/redirect-uri.ts';
import { parseScope } from '../oauth/scope.ts';
import { metadataOf, readClientRecord } from './client-metadata.ts';
import { reviewClient } from './client-review.ts';
import { isJsonObject, withoutNulls } from './record-problem.ts';

export type DocumentReading =
  | { readonly ok: true; readonly registration: SentRegistration }
  | { readonly ok: false; readonly problem: string };

const MAX_REDIRECT_URIS = 20;

/** The fields that count. Others are ignored: a stranger names no pages, no images (CIMD §8.8) and no policy. */
const COUNTING = [
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
const METHODS: ReadonlySet<unknown> = new Set(['none', 'private_key_jwt']);
/** An end-user is present at each grant of such a client. */
const GRANT_TYPES: ReadonlySet<unknown> = new Set(['authorization_code', 'refresh_token']);

const broken = (problem: string): DocumentReading => ({ ok: false, problem });

export function readClientDocument(
  url: string,
  text: string,
  rules: MetadataDocuments,
  configuration: Configuration,
): DocumentReading {
  const parsed = parsedJson(text);
  if (!isJsonObject(parsed)) return broken('The document is not a JSON object.');
  const document = withoutNulls(parsed);
  // CIMD §4: compared as strings, without normalization.
  if (document['client_id'] !== url) return broken('The client_id in the document is not the URL of the document.');
  // CIMD §4.1.
  if ('client_secret' in parsed || 'client_secret_expires_at' in parsed)
    return broken('The document has a client_secret or client_secret_expires_at.');
  const { token_endpoint_auth_method: method = 'none', grant_types: grantTypes, redirect_uris: uris } = document;
  if (!METHODS.has(method)) return broken('token_endpoint_auth_method is neither none nor private_key_jwt.');
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    return broken(`redirect_uris is not a list of 1 to ${MAX_REDIRECT_URIS} URIs.`);
  if (grantTypes !== undefined && !Array.isArray(grantTypes)) return broken('grant_types is not a list.');
  const usable = grantTypes?.filter((one) => GRANT_TYPES.has(one)) ?? ['authorization_code'];
  if (!usable.includes('authorization_code')) return broken('grant_types lacks authorization_code.');
  const scope = scopeOf(document['scope'], rules);
  if (scope === null) return broken('scope is not a list of scope tokens, or has none that this server allows.');

  const reading = readClientRecord({
    ...Object.fromEntries(COUNTING.flatMap((name) => (name in document ? [[name, document[name]]] : []))),
    application_type: document['application_type'] ?? typeOf(uris),
    token_endpoint_auth_method: method,
    grant_types: usable,
    client_id: url,
    scope: scope.join(' '),
    policy: rules.policy,
  });
  if (!reading.ok) return broken(sentence(reading.problems));
  const metadata = metadataOf(reading.value);
  const { errors } = reviewClient(metadata, configuration);
  if (errors.length > 0) return broken(sentence(errors));
  const registration: SentRegistration = {
    ...metadata,
    clientId: url,
    clientName: nameOf(metadata.clientName, new URL(url).host),
    secretMacs: [],
    declared: false,
    registeredBy: 'self',
  };
  return { ok: true, registration };
}

/** As long as the name of any client. */
const MAX_NAME_CHARACTERS = 200;

/** CIMD §8.5: wherever the name stands that the client gave itself, its host stands beside it. */
function nameOf(name: string | null, host: string): string {
  const full = `${name} (${host})`;
  return name === null || full.length > MAX_NAME_CHARACTERS ? host : full;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of the scope in the document, the part that the rules allow. Null: none. */
function scopeOf(named: unknown, { scopes }: MetadataDocuments): readonly string[] | null {
  if (named === undefined) return scopes;
  const asked = typeof named === 'string' ? parseScope(named) : null;
  const allowed = scopes.filter((one) => asked?.includes(one));
  return allowed.length === 0 ? null : allowed;
}

/** Where the document does not say it: an app on a device has no https address of its own. */
const typeOf = (uris: readonly unknown[]): 'native' | 'web' =>
  uris.some((uri) => typeof uri === 'string' && URL.canParse(uri) && leadsToThisDevice(uri)) ? 'native' : 'web';

/** The field, and the expected value. The found value stays out. */
function sentence([first]: readonly RecordProblem[]): string {
  if (first === undefined) return 'The document is not valid.';
  const { key, allowed } = first;
  return `${key ?? 'The document'}: expected ${allowed}.`;
}

/** Reads the metadata that a client registers for itself (RFC 7591 §2), and writes them as the response (RFC 7591 §3.2.1). */
import type { DynamicRegistration } from '../../policies/registration-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import type { SentRegistration } from '../lifecycles/client/lifecycle.ts';
import type { ClientMetadata, RegisteredClient } from '../model/client.ts';
import { toNames } from './client-metadata.ts';
import { COUNTING, readIntroducedClient } from './introduced-client.ts';
import { isJsonObject, withoutNulls } from './record-problem.ts';

export type SelfRegistrationReading =
  | { readonly ok: true; readonly registration: SentRegistration }
  | {
      readonly ok: false;
      readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
      readonly problem: string;
    };

/** RFC 7591 §2: "If unspecified or omitted, the default is client_secret_basic". */
const DEFAULT_METHOD = 'client_secret_basic';
/** A client without one of these gets the default, which the response names (RFC 7591 §2). */
const METHODS: readonly string[] = ['none', DEFAULT_METHOD, 'client_secret_post', 'private_key_jwt'];

const broken = (key: string | null, problem: string): SelfRegistrationReading => ({
  ok: false,
  error: key?.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata',
  problem,
});

/** @param sent the parsed body. @returns a registration without secrets. */
export function readSelfRegistration(
  sent: unknown,
  clientId: string,
  rules: DynamicRegistration,
  configuration: Configuration,
): SelfRegistrationReading {
  if (!isJsonObject(sent)) return broken(null, 'The body is not a JSON object.');
  const members = withoutNulls(sent);
  const { token_endpoint_auth_method: named = DEFAULT_METHOD, response_types: responseTypes } = members;
  if (typeof named !== 'string')
    return broken('token_endpoint_auth_method', 'token_endpoint_auth_method is not a string.');
  if (responseTypes !== undefined && !(Array.isArray(responseTypes) && responseTypes.includes('code')))
    return broken('response_types', 'response_types is not a list with code.');
  const method = METHODS.includes(named) ? named : DEFAULT_METHOD;
  const introduced = { clientId, method, access: rules, hosts: hostsOf, otherwise: clientId };
  const reading = readIntroducedClient(members, introduced, configuration);
  return reading.ok ? reading : broken(reading.key, reading.problem);
}

/** Where the browser goes: a host, or the scheme of an app. */
const hostsOf = ({ redirectUris }: ClientMetadata): readonly string[] => [
  ...new Set(
    redirectUris.map((uri) => {
      const { protocol, host, hostname } = new URL(uri);
      if (protocol === 'https:') return host;
      return protocol === 'http:' ? hostname : protocol;
    }),
  ),
];

/** RFC 7591 §3.2.1: "the authorization server MUST return all registered metadata about this client". */
export function registeredMetadata(client: RegisteredClient): Readonly<Record<string, unknown>> {
  const names = toNames(client);
  return {
    client_id: client.clientId,
    client_name: client.clientName,
    ...Object.fromEntries([...COUNTING, 'scope'].flatMap((name) => (name in names ? [[name, names[name]]] : []))),
    response_types: ['code'],
  };
}

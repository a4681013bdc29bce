/** The request object of an authorization request (RFC 9101), by value: from a browser, or pushed. */
import { demandsOf } from '../../policies/profiles.ts';
import type { Configuration } from '../config/configuration.ts';
import { profileOf } from '../config/own-clients.ts';
import {
  type RequestObjectProblem,
  type RequestObjectTimeProblem,
  readRequestObject,
  whatIsWrongWithTimes,
} from '../crypto/request-object.ts';
import type { Client } from '../model/client.ts';
import { type ClientSignatureDeps, type ClientSignatureProblem, checkClientSignature } from './client-signature.ts';

export type RequestObjectDeps = ClientSignatureDeps & {
  readonly issuer: string;
  readonly configuration: () => Configuration;
};

export type RequestObjectReason =
  | RequestObjectProblem
  | RequestObjectTimeProblem
  | `request_object_${ClientSignatureProblem}`
  | 'request_object_beside_uri';

/** Shown on a page, never redirected: nothing that the object says counts. */
export type RequestObjectRefused = {
  readonly kind: 'requestObjectRefused';
  readonly clientId: string;
  readonly reason: RequestObjectReason;
};

/** RFC 9101 §6.3: of the parameters beside the object, only `client_id` counts. @returns the parameters in it, as a form. */
export async function openRequestObject(
  deps: RequestObjectDeps,
  text: string,
  client: Client,
  now: Date,
): Promise<{ readonly kind: 'opened'; readonly encoded: string } | RequestObjectRefused> {
  const { clientId } = client;
  const refused = (reason: RequestObjectReason) => ({ kind: 'requestObjectRefused', clientId, reason }) as const;
  const reading = readRequestObject(text, deps.issuer, clientId);
  if (reading.kind !== 'read') return refused(reading.kind);
  const problem = await checkClientSignature(deps, client, client.requestObjectSigningAlg, reading);
  if (problem !== null) return refused(`request_object_${problem}`);
  const { signed } = demandsOf(profileOf(deps.configuration(), client));
  const wrong = whatIsWrongWithTimes(reading, now, signed);
  return wrong === null ? { kind: 'opened', encoded: reading.encoded } : refused(wrong);
}

/** RFC 9101 §10.5: of the client, and of its profile. */
export const mustSign = (configuration: Configuration, client: Client): boolean =>
  client.requireSignedRequestObject || demandsOf(profileOf(configuration, client)).signed;

/** For the developer of the client, who reads them on the page or in the response. */
export const REQUEST_OBJECT_WORDS: Readonly<Record<RequestObjectReason, string>> = {
  request_object_malformed: 'request is not a signed JWT in compact serialization, with a JSON object inside',
  request_object_type: 'the typ of the request object is neither oauth-authz-req+jwt nor JWT',
  request_object_algorithm: 'the algorithm of the request object is not supported',
  request_object_issuer: 'the iss of the request object is not the client_id',
  request_object_audience: 'the aud of the request object is not the issuer of this server',
  request_object_client: 'the client_id in the request object is not the one beside it',
  request_object_subject:
    'the sub of the request object is the client_id, as in a client assertion (RFC 9101 section 10.8)',
  request_object_nested: 'a request object has neither request nor request_uri',
  request_object_times: 'exp is required in a request object, and exp, nbf and iat are numbers of seconds',
  request_object_parameter: 'a parameter in the request object is neither a text nor a number',
  request_object_expired: 'the request object has expired',
  request_object_from_future: 'the request object counts only later: compare the clocks',
  request_object_lives_too_long: 'a request object lives for at most 60 minutes',
  request_object_without_nbf: 'nbf is required in a request object of this client',
  request_object_other_algorithm: 'the client may not sign request objects with this algorithm',
  request_object_keys_unavailable: 'the keys of the client could not be fetched',
  request_object_key_unknown: 'no key of the client fits the request object',
  request_object_key_not_named: 'the client has several keys, and the request object does not name one by kid',
  request_object_mismatch: 'the signature of the request object is wrong',
  request_object_beside_uri: 'request and request_uri exclude each other',
};

/**
 * A request object (RFC 9101 §4): a JWT whose claims are the parameters of an authorization request. This file reads one, and
 * compares its times; client-signature.ts checks its signature.
 */
import { isFromFuture, type SignedByClient, type SignedTimes, signatureNamedBy, timesIn } from './client-signature.ts';
import { readCompactJws } from './compact-jws.ts';

export type RequestObject = SignedByClient &
  SignedTimes & {
    readonly kind: 'read';
    /** The parameters, as a form. */
    readonly encoded: string;
  };

export type RequestObjectProblem =
  | 'request_object_malformed'
  | 'request_object_type'
  | 'request_object_algorithm'
  | 'request_object_issuer'
  | 'request_object_audience'
  | 'request_object_client'
  | 'request_object_subject'
  | 'request_object_nested'
  | 'request_object_times'
  | 'request_object_parameter';

export type RequestObjectReading = RequestObject | { readonly kind: RequestObjectProblem };

/** RFC 9101 §10.8: explicit typing. Older libraries write the plain type or none. */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'jwt', 'oauth-authz-req+jwt'];
/** RFC 9101 §4: claims of the JWT itself. `sub` stands apart. */
const OF_THE_JWT: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sub']);

/**
 * Everything that the text says by itself, without the key and the clock.
 * @param clientId the `client_id` beside the object.
 */
export function readRequestObject(text: string, issuer: string, clientId: string): RequestObjectReading {
  const jws = readCompactJws(text);
  const claims = jws?.claims() ?? null;
  if (jws === null || claims === null) return problem('malformed');
  if (!TYPES.includes(jws.header['typ'])) return problem('type');
  const signature = signatureNamedBy(jws.header);
  if (typeof signature === 'string') return problem(signature);
  const { iss, aud, sub } = claims;
  // RFC 9101 §5: the client_id beside the object "MUST match" the one inside. §10.8: its own `sub` would make it a client assertion.
  if (claims['client_id'] !== clientId) return problem('client');
  if (sub === clientId) return problem('subject');
  if (iss !== clientId) return problem('issuer');
  // RFC 9101 §4: "The value of aud should be the value of the authorization server (AS) issuer".
  if (!(Array.isArray(aud) ? aud : [aud]).includes(issuer)) return problem('audience');
  // RFC 9101 §4: "request and request_uri parameters MUST NOT be included in Request Objects".
  if (claims['request'] !== undefined || claims['request_uri'] !== undefined) return problem('nested');
  const times = timesIn(claims);
  if (times === null) return problem('times');
  const encoded = asForm(claims);
  if (encoded === null) return problem('parameter');
  return { kind: 'read', ...signature, ...times, encoded, jws };
}

const problem = (what: RequestObjectProblem extends `request_object_${infer What}` ? What : never) =>
  ({ kind: `request_object_${what}` }) as const;

/** RFC 9101 §4: the parameters are members of the JWT, texts and numbers as JSON has them. Objects are for extensions, and unread. */
function asForm(claims: Readonly<Record<string, unknown>>): string | null {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(claims)) {
    if (OF_THE_JWT.has(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string' || typeof one === 'number') form.append(name, String(one));
      else if (READ_AS_TEXT.has(name)) return null;
    }
  }
  return form.toString();
}

/** A client that writes anything else into one of these means a value that this server would lose. */
const READ_AS_TEXT: ReadonlySet<string> = new Set([
  'response_type',
  'redirect_uri',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'response_mode',
  'dpop_jkt',
  'prompt',
  'max_age',
  'acr_values',
  'login_hint',
  'id_token_hint',
]);

/** FAPI 2.0 Message Signing §5.3.1: for nbf in the past, and for exp after it. */
const LONGEST_SECONDS = 3600;

export type RequestObjectTimeProblem =
  | 'request_object_expired'
  | 'request_object_from_future'
  | 'request_object_lives_too_long'
  | 'request_object_without_nbf';

/**
 * @param demandsNbf FAPI 2.0 Message Signing §5.3.1.
 * @returns null: the object counts now.
 */
export function whatIsWrongWithTimes(
  times: SignedTimes,
  now: Date,
  demandsNbf: boolean,
): RequestObjectTimeProblem | null {
  const { exp, nbf, iat } = times;
  const seconds = now.getTime() / 1000;
  if (demandsNbf && nbf === null) return 'request_object_without_nbf';
  if (exp <= seconds) return 'request_object_expired';
  if (isFromFuture(times, seconds)) return 'request_object_from_future';
  const begins = nbf ?? iat ?? seconds;
  return exp - begins > LONGEST_SECONDS ? 'request_object_lives_too_long' : null;
}

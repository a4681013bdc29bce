/**
 * A client assertion (RFC 7523 §3): a JWT by which a client shows that it has a private key. This file reads one;
 * client-signature.ts checks its signature. The times of a JWT and its single use are for its machine (machines/used-jti).
 */
import { type SignedByClient, type SignedTimes, signatureNamedBy, timesIn } from './client-signature.ts';
import { readCompactJws } from './compact-jws.ts';

export type ClientAssertion = SignedByClient &
  SignedTimes & {
    readonly kind: 'read';
    /** Its `iss` and `sub`, so far without proof. */
    readonly clientId: string;
    readonly jti: string;
    /** Its `aud` is the token endpoint, and not the issuer: only some policies accept it. */
    readonly isForTokenEndpoint: boolean;
  };

export type ClientAssertionProblem =
  | 'client_assertion_malformed'
  | 'client_assertion_algorithm'
  | 'client_assertion_issuer'
  | 'client_assertion_audience'
  | 'client_assertion_times'
  | 'client_assertion_without_jti';

export type ClientAssertionReading = ClientAssertion | { readonly kind: ClientAssertionProblem };

/**
 * RFC 8725 §3.11: no other JWT that the client signs, such as a DPoP proof or a request object, passes for an assertion.
 * Most libraries write no `typ` or the plain one.
 */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'jwt', 'client-authentication+jwt'];
const MAX_JTI_CHARACTERS = 512;

/** The audiences by which a client can name this server. */
export type OwnAudiences = { readonly issuer: string; readonly tokenEndpoint: string };

/** Everything that the text says by itself, without the client and the clock. */
export function readClientAssertion(text: string, { issuer, tokenEndpoint }: OwnAudiences): ClientAssertionReading {
  const jws = readCompactJws(text);
  const claims = jws?.claims() ?? null;
  if (jws === null || claims === null || !TYPES.includes(jws.header['typ'])) return problem('malformed');
  const signature = signatureNamedBy(jws.header);
  if (typeof signature === 'string') return problem(signature);
  const { iss, sub, aud, jti } = claims;
  // RFC 7523 §3 (1) and (2) B: "the subject MUST be the "client_id" of the OAuth client". OpenID Connect Core §9: so is the issuer.
  if (typeof iss !== 'string' || iss === '' || iss !== sub || iss.includes('\0')) return problem('issuer');
  // RFC 7523 §3 (3). FAPI 2.0 §5.3.2.1: the issuer "as a string in the aud claim", so that no other server can use the assertion here.
  const isForTokenEndpoint = aud === tokenEndpoint;
  if (aud !== issuer && !isForTokenEndpoint) return problem('audience');
  const times = timesIn(claims);
  if (times === null) return problem('times');
  // OpenID Connect Core §9: REQUIRED.
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_CHARACTERS)
    return { kind: 'client_assertion_without_jti' };
  return { kind: 'read', clientId: iss, jti, isForTokenEndpoint, ...signature, ...times, jws };
}

const problem = (what: 'malformed' | 'algorithm' | 'issuer' | 'audience' | 'times') =>
  ({ kind: `client_assertion_${what}` }) as const;

/**
 * The token that a platform gives to a workload: a service account token of Kubernetes, or a JWT-SVID of SPIFFE. This file reads
 * one and compares its times; client-signature.ts checks its signature. It has no single use: the platform gives the workload
 * the same token until it renews it (docs/decisions/0115).
 */
import { isFromFuture, type SignedByClient, type SignedTimes, signatureNamedBy, timesIn } from './client-signature.ts';
import { readCompactJws } from './compact-jws.ts';

export type WorkloadToken = SignedByClient &
  SignedTimes & {
    readonly kind: 'read';
    /** Its `iss` and `sub`, so far without proof. Null: a JWT-SVID may have no `iss`. */
    readonly issuer: string | null;
    readonly subject: string;
  };

export type WorkloadTokenReading =
  | WorkloadToken
  | {
      readonly kind:
        | 'client_assertion_malformed'
        | 'client_assertion_algorithm'
        | 'client_assertion_times'
        | 'workload_token_subject'
        | 'workload_token_audience';
    };

/** RFC 8725 §3.11: no access token, DPoP proof or request object. Kubernetes writes no `typ`; JWT-SVID §2.3 has two. */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'jwt', 'JOSE'];

export const isSpiffeId = (subject: string): boolean => subject.startsWith('spiffe://');

/**
 * Everything that the text says by itself, without the client and the clock.
 * @param issuer of this server.
 */
export function readWorkloadToken(text: string, issuer: string, kind: 'any' | 'jwt-svid'): WorkloadTokenReading {
  const jws = readCompactJws(text);
  const claims = jws?.claims() ?? null;
  if (jws === null || claims === null || !TYPES.includes(jws.header['typ']))
    return { kind: 'client_assertion_malformed' };
  const { iss = null, sub, aud } = claims;
  if (iss !== null && typeof iss !== 'string') return { kind: 'client_assertion_malformed' };
  const signature = signatureNamedBy(jws.header);
  if (typeof signature === 'string') return { kind: `client_assertion_${signature}` };
  if (typeof sub !== 'string' || sub === '' || (kind === 'jwt-svid' && !isSpiffeId(sub)))
    return { kind: 'workload_token_subject' };
  // RFC 7523 §3 (3). With a second audience, another server that gets the token could use it here. Platforms write a list of one.
  if (!isAlone(aud, issuer)) return { kind: 'workload_token_audience' };
  const times = timesIn(claims);
  if (times === null) return { kind: 'client_assertion_times' };
  return { kind: 'read', issuer: iss, subject: sub, ...signature, ...times, jws };
}

const isAlone = (aud: unknown, issuer: string): boolean =>
  Array.isArray(aud) ? aud.length === 1 && aud[0] === issuer : aud === issuer;

/** The longest that a thief of a token has it. Kubernetes gives an hour by default, SPIRE five minutes. */
const LONGEST_SECONDS = 86_400;

export type WorkloadTokenTimeProblem =
  | 'client_assertion_expired'
  | 'client_assertion_from_future'
  | 'workload_token_lives_too_long';

/** @returns null: the token counts now. */
export function whatIsWrongWithWorkloadTimes(times: SignedTimes, now: Date): WorkloadTokenTimeProblem | null {
  const seconds = now.getTime() / 1000;
  if (times.exp <= seconds) return 'client_assertion_expired';
  if (times.exp - seconds > LONGEST_SECONDS) return 'workload_token_lives_too_long';
  return isFromFuture(times, seconds) ? 'client_assertion_from_future' : null;
}

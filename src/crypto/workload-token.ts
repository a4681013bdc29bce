/**
 * The token that a platform gives to a workload: a service account token of Kubernetes, or a JWT-SVID of SPIFFE. This file reads
 * one and compares its times; client-signature.ts checks its signature. It has no single use: the platform gives the workload
 * the same token until it renews it (docs/decisions/0115).
 */
import { isClientAlgorithm, isInstant, isInstantOrAbsent, type SignedByClient } from './client-signature.ts';
import { readCompactJws } from './compact-jws.ts';

export type WorkloadToken = SignedByClient & {
  readonly kind: 'read';
  /** Its `iss` and `sub`, so far without proof. Null: a JWT-SVID may have no `iss`. */
  readonly issuer: string | null;
  readonly subject: string;
  /** Seconds since 1970. Null: absent. */
  readonly exp: number;
  readonly nbf: number | null;
  readonly iat: number | null;
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
  const { alg, kid } = jws.header;
  const { iss = null, sub, aud, exp, nbf, iat } = claims;
  if ((kid !== undefined && typeof kid !== 'string') || (iss !== null && typeof iss !== 'string'))
    return { kind: 'client_assertion_malformed' };
  // RFC 7523 §3 (8) and RFC 8725 §3.1: `none` and every MAC are in no list.
  if (!isClientAlgorithm(alg)) return { kind: 'client_assertion_algorithm' };
  if (typeof sub !== 'string' || sub === '' || (kind === 'jwt-svid' && !isSpiffeId(sub)))
    return { kind: 'workload_token_subject' };
  // RFC 7523 §3 (3). With a second audience, another server that gets the token could use it here. Platforms write a list of one.
  if (!isAlone(aud, issuer)) return { kind: 'workload_token_audience' };
  // RFC 7523 §3 (4) to (6).
  if (!isInstant(exp) || !isInstantOrAbsent(nbf) || !isInstantOrAbsent(iat)) return { kind: 'client_assertion_times' };
  return {
    ...{ kind: 'read', issuer: iss, subject: sub, alg, kid: kid ?? null },
    ...{ exp, nbf: nbf ?? null, iat: iat ?? null, jws },
  };
}

const isAlone = (aud: unknown, issuer: string): boolean =>
  Array.isArray(aud) ? aud.length === 1 && aud[0] === issuer : aud === issuer;

/** The longest that a thief of a token has it. Kubernetes gives an hour by default, SPIRE five minutes. */
const LONGEST_SECONDS = 86_400;
/** As for client assertions (machines/used-jti). */
const FUTURE_SECONDS = 60;

export type WorkloadTokenTimeProblem =
  | 'client_assertion_expired'
  | 'client_assertion_from_future'
  | 'workload_token_lives_too_long';

/** @returns null: the token counts now. */
export function whatIsWrongWithWorkloadTimes(
  { exp, nbf, iat }: Pick<WorkloadToken, 'exp' | 'nbf' | 'iat'>,
  now: Date,
): WorkloadTokenTimeProblem | null {
  const seconds = now.getTime() / 1000;
  if (exp <= seconds) return 'client_assertion_expired';
  if (exp - seconds > LONGEST_SECONDS) return 'workload_token_lives_too_long';
  return [nbf, iat].some((one) => one !== null && one - seconds > FUTURE_SECONDS)
    ? 'client_assertion_from_future'
    : null;
}

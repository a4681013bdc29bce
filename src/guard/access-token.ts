/** The check of an access token (RFC 9068 §4, RFC 8725), with jose. */
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import type { KeySource } from './keys.ts';
import type { AccessTokenClaims, RefusalReason } from './outcome.ts';

export type TokenReading =
  | { readonly kind: 'valid'; readonly claims: AccessTokenClaims }
  | { readonly kind: 'invalid'; readonly reason: RefusalReason }
  | { readonly kind: 'unavailable'; readonly detail: string; readonly retryAfterSeconds: number };

export type TokenRules = {
  readonly issuer: string;
  readonly resource: string;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** RFC 7515 §4.1.9: a token may omit `application/`, and media types are compared without regard to case. */
const AT_JWT = /^(?:application\/)?at\+jwt$/i;

const invalid = (reason: RefusalReason): TokenReading => ({ kind: 'invalid', reason });

/** Never rejects because of the token's content. */
export async function readAccessToken(rules: TokenRules, keys: KeySource, token: string): Promise<TokenReading> {
  const header = headerOf(token);
  if (header === null) return invalid('token_malformed');
  // RFC 7515 §4.1.11: a critical extension that the reader does not understand makes a JWS invalid. The guard knows
  // none.
  if (Object.hasOwn(header, 'crit')) return invalid('critical_header');
  const { alg, kid, typ } = header;
  if (typeof alg !== 'string' || !rules.algorithms.includes(alg)) return invalid('other_algorithm');
  if (typeof typ !== 'string' || !AT_JWT.test(typ)) return invalid('other_typ');
  if (typeof kid !== 'string') return invalid('unknown_key');
  const found = await keys.find({ alg, kid });
  if (found.kind === 'unavailable') return found;
  if (found.kind === 'unknown') return invalid('unknown_key');
  try {
    const { payload } = await jwtVerify(token, found.key, {
      algorithms: [...rules.algorithms],
      issuer: rules.issuer,
      audience: rules.resource,
      requiredClaims: ['exp', 'iat'],
      clockTolerance: rules.clockToleranceSeconds,
      currentDate: new Date(rules.now()),
    });
    return claimsIn(payload, rules);
  } catch (error) {
    return invalid(reasonOf(error));
  }
}

function headerOf(token: string): Readonly<Record<string, unknown>> | null {
  try {
    return decodeProtectedHeader(token) as Record<string, unknown>;
  } catch {
    return null;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0;

/** RFC 9068 §2.2: the required claims, with their types. `iss`, `aud` and `exp` were compared before. */
const SHAPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  sub: isText,
  client_id: isText,
  jti: isText,
  exp: Number.isFinite,
  iat: Number.isFinite,
  aud: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  scope: (value) => value === undefined || typeof value === 'string',
};

function claimsIn(payload: JWTPayload, { now, clockToleranceSeconds }: TokenRules): TokenReading {
  const isComplete = Object.entries(SHAPE).every(([name, is]) => is(payload[name]));
  if (!isComplete) return invalid('claim_missing');
  // jose checks `iat` only where a maximum age is given.
  if (Number(payload.iat) > now() / 1000 + clockToleranceSeconds) return invalid('not_yet_valid');
  return { kind: 'valid', claims: payload as AccessTokenClaims };
}

const BY_CODE: Readonly<Record<string, RefusalReason>> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'wrong_signature',
  ERR_JOSE_ALG_NOT_ALLOWED: 'other_algorithm',
};
const BY_CLAIM: Readonly<Record<string, RefusalReason>> = {
  iss: 'other_issuer',
  aud: 'other_audience',
  nbf: 'not_yet_valid',
};

/** jose throws no other errors here: the keys are present, and every other error is the token's. */
function reasonOf(error: unknown): RefusalReason {
  const { code, claim, reason } = Object(error) as { code?: unknown; claim?: unknown; reason?: unknown };
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
    return reason === 'missing' ? 'claim_missing' : (BY_CLAIM[String(claim)] ?? 'claim_missing');
  }
  return BY_CODE[String(code)] ?? 'token_malformed';
}

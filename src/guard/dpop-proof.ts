/**
 * The check of a DPoP proof (RFC 9449 §4.3), with jose. It is pure: the caller has the time, compares the thumbprint and
 * the nonce, and lets each proof pass once. The guard uses it, and so does the server: it has one home.
 */
import { base64url, calculateJwkThumbprint, importJWK, type JWK, type JWTPayload, jwtVerify } from 'jose';

export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'PS256'] as const;
export type ProofAlgorithm = (typeof PROOF_ALGORITHMS)[number];

/** RFC 9449 §11.1: a proof is accepted for a brief time alone. */
export const PROOF_SECONDS = 60;
/** The clock of the sender may differ by this. */
export const PROOF_SKEW_SECONDS = 10;

export type ProofExpected = {
  readonly method: string;
  /** The URL of the request. Its query and fragment do not count. */
  readonly url: string;
  /** Another URL of the same endpoint. Absent: none. */
  readonly alias?: string;
  /** The presented access token. Null: the request presents none, as at the token endpoint. */
  readonly accessToken: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
};

export type Proof = {
  readonly kind: 'valid';
  /** RFC 7638: the SHA-256 thumbprint of the key that signed. */
  readonly jkt: string;
  /** The server's nonce, as the proof repeats it. Null: none. */
  readonly nonce: string | null;
  /** Names this proof alone: the hash of its key and its `jti`. */
  readonly id: string;
  /** Milliseconds since 1970: nothing accepts the proof any more. */
  readonly endsAt: number;
};

/** For the log. The sender learns only that the proof is not valid. */
export type ProofProblem =
  | 'several_proofs'
  | 'proof_too_long'
  | 'proof_malformed'
  | 'proof_other_typ'
  | 'proof_critical_header'
  | 'proof_other_algorithm'
  | 'proof_key_malformed'
  | 'proof_has_private_key'
  | 'proof_wrong_signature'
  | 'proof_claim_malformed'
  | 'proof_too_old'
  | 'proof_not_yet_valid'
  | 'proof_for_other_method'
  | 'proof_for_other_url'
  | 'proof_for_other_token';

export type ProofReading = Proof | { readonly kind: 'invalid'; readonly problem: ProofProblem };

const MAX_PROOF_CHARACTERS = 8192;
/** An RSA key of 4096 bits takes 750 characters. */
const MAX_HEADER_CHARACTERS = 2048;
const MAX_CLAIM_CHARACTERS = 2048;
const MAX_JTI_CHARACTERS = 256;

/** Never rejects because of the content. @param sent the value of the header: HTTP joins several by a comma. */
export async function readProof(sent: string, expected: ProofExpected): Promise<ProofReading> {
  // §4.3: not more than one header. No JWT has a comma.
  if (sent.includes(',')) return invalid('several_proofs');
  if (sent.length > MAX_PROOF_CHARACTERS) return invalid('proof_too_long');
  const [encodedHeader = ''] = COMPACT.exec(sent)?.slice(1) ?? [];
  if ((encodedHeader.length * 3) / 4 > MAX_HEADER_CHARACTERS) return invalid('proof_too_long');
  const header = objectIn(encodedHeader);
  if (header === null) return invalid('proof_malformed');
  if (header['typ'] !== 'dpop+jwt') return invalid('proof_other_typ');
  if (Object.hasOwn(header, 'crit')) return invalid('proof_critical_header');
  const algorithm = PROOF_ALGORITHMS.find((one) => one === header['alg']);
  if (algorithm === undefined) return invalid('proof_other_algorithm');
  const key = publicKeyOf(header['jwk'], algorithm);
  if (typeof key === 'string') return invalid(key);
  const verified = await verifiedClaims(sent, key, algorithm, expected.now);
  if (typeof verified === 'string') return invalid(verified);
  return judged(verified, key, expected);
}

const invalid = (problem: ProofProblem): ProofReading => ({ kind: 'invalid', problem });

/** RFC 7515 §7.1. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

function objectIn(encoded: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(base64url.decode(encoded)));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7518 §6, RFC 8037 §2: the members that make a public key. The check reads no other member. */
const KEY_OF: Readonly<Record<ProofAlgorithm, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  ES256: { kty: is('EC'), crv: is('P-256'), x: isEncoded(43), y: isEncoded(43) },
  EdDSA: { kty: is('OKP'), crv: is('Ed25519'), x: isEncoded(43) },
  // At most 4096 bits, and an exponent of at most 32: a sender must not choose how long a check takes.
  PS256: { kty: is('RSA'), n: isEncoded(683), e: isEncoded(6) },
};
/** RFC 7518 §6.2.2, §6.3.2 and §6.4. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

function is(expected: string) {
  return (value: unknown) => value === expected;
}
function isEncoded(maxCharacters: number) {
  return (value: unknown) => typeof value === 'string' && value.length <= maxCharacters && /^[\w-]+$/.test(value);
}

/** Only the members that make the key: a sender wrote all others too. */
function publicKeyOf(jwk: unknown, algorithm: ProofAlgorithm): JWK | ProofProblem {
  if (!isObject(jwk)) return 'proof_key_malformed';
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return 'proof_has_private_key';
  const members = Object.entries(KEY_OF[algorithm]);
  if (!members.every(([name, isGood]) => isGood(jwk[name]))) return 'proof_key_malformed';
  return Object.fromEntries(members.map(([name]) => [name, jwk[name]])) as JWK;
}

/** @returns the problem, or the claims: signed with the key, by the clock in force. */
async function verifiedClaims(
  sent: string,
  jwk: JWK,
  algorithm: ProofAlgorithm,
  now: number,
): Promise<JWTPayload | ProofProblem> {
  try {
    const { payload } = await jwtVerify(sent, await importJWK(jwk, algorithm), {
      algorithms: [algorithm],
      requiredClaims: ['jti', 'htm', 'htu', 'iat'],
      currentDate: new Date(now),
      maxTokenAge: PROOF_SECONDS,
      clockTolerance: PROOF_SKEW_SECONDS,
    });
    return payload;
  } catch (error) {
    const { code, claim } = Object(error) as { code?: unknown; claim?: unknown };
    if (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'proof_wrong_signature';
    if (code === 'ERR_JWT_EXPIRED') return 'proof_too_old';
    if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
      const isEarly = (error as { reason?: unknown }).reason === 'check_failed' && (claim === 'iat' || claim === 'nbf');
      return isEarly ? 'proof_not_yet_valid' : 'proof_claim_malformed';
    }
    // The key is on no curve, or too short.
    return code === 'ERR_JWT_INVALID' || code === 'ERR_JWS_INVALID' ? 'proof_malformed' : 'proof_key_malformed';
  }
}

async function judged(claims: JWTPayload, key: JWK, expected: ProofExpected): Promise<ProofReading> {
  const { jti, htm, htu, ath, nonce = null, iat } = claims as Readonly<Record<string, unknown>>;
  const isShaped = isText(jti, MAX_JTI_CHARACTERS) && isText(htm) && isText(htu);
  if (!isShaped || !(nonce === null || isText(nonce))) return invalid('proof_claim_malformed');
  if (htm !== expected.method) return invalid('proof_for_other_method');
  const url = normalisedUrl(htu);
  const isThis = [expected.url, expected.alias ?? expected.url].some((one) => url === normalisedUrl(one));
  if (url === null || !isThis) return invalid('proof_for_other_url');
  const { accessToken } = expected;
  if (accessToken !== null && ath !== (await sha256(accessToken))) return invalid('proof_for_other_token');
  const jkt = await calculateJwkThumbprint(key, 'sha256');
  const endsAt = (Number(iat) + PROOF_SECONDS + PROOF_SKEW_SECONDS + 1) * 1000;
  return { kind: 'valid', jkt, nonce, id: await sha256(`${jkt}.${jti}`), endsAt };
}

const isText = (value: unknown, maxCharacters = MAX_CLAIM_CHARACTERS): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= maxCharacters;

const sha256 = async (text: string): Promise<string> =>
  base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));

/**
 * RFC 9449 §4.3: the URLs are compared without query and fragment, after the normalisation of RFC 3986 §6.2.2 and §6.2.3.
 * Null: no URL that an endpoint has.
 */
export function normalisedUrl(text: string): string | null {
  // `URL` also reads spaces and backslashes, which no URI has.
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i.test(text) || !URL.canParse(text)) return null;
  const { origin, pathname, username, password } = new URL(text);
  if (username !== '' || password !== '') return null;
  return origin + pathname.replace(/%[0-9a-f]{2}/gi, normalisedOctet);
}

function normalisedOctet(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded.toUpperCase();
}

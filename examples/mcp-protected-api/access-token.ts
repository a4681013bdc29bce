/** Who calls: an access token of the authorization server (RFC 9068), checked with its public keys alone. */
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

export type Caller = {
  readonly token: string;
  /** The person, or the client itself where it acts for itself. */
  readonly sub: string;
  readonly clientId: string;
  readonly scope: readonly string[];
  /** Seconds since 1970. */
  readonly expiresAt: number;
};

/**
 * @param resource the identifier of this API, exactly as the authorization server knows it.
 * @returns what reads an Authorization header: the caller; 'missing'; or 'invalid', whatever is wrong with the token.
 *   It throws when the keys cannot be fetched, which is not the caller's fault.
 */
export function callerReader(issuer: string, resource: string) {
  // Fetched when first needed, kept for ten minutes, and fetched again when a token names a key that is not in it.
  const keys = createRemoteJWKSet(new URL(`${issuer.replace(/\/$/, '')}/.well-known/jwks.json`));

  return async (authorization: string | undefined): Promise<Caller | 'missing' | 'invalid'> => {
    // Never from the query: URLs end up in logs (RFC 6750 §5.3).
    const [, token] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return authorization === undefined ? 'missing' : 'invalid';
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        // RFC 8707: a token for another API must not open this one.
        audience: resource,
        // RFC 9068 §4: nothing else that the server signs passes for an access token, an ID Token least of all.
        typ: 'at+jwt',
        // Ours to say: a token must not choose how it is checked.
        algorithms: ['ES256'],
        requiredClaims: ['exp', 'sub', 'client_id', 'scope'],
      });
      const { sub, client_id: clientId, scope, exp } = payload;
      return {
        token,
        sub: String(sub),
        clientId: String(clientId),
        scope: String(scope).split(' '),
        expiresAt: Number(exp),
      };
    } catch (error) {
      if (isTheTokens(error)) return 'invalid';
      throw error;
    }
  };
}

const KEYS_ARE_MISSING = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']);

/** What a caller can mend by getting another token. */
const isTheTokens = (error: unknown): boolean => error instanceof errors.JOSEError && !KEYS_ARE_MISSING.has(error.code);

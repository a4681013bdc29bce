import express from 'express';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';

/** @param audience the identifier of this API in the server's resources.yaml, exactly as written there. */
export function protectedApi(issuer: string, audience: string): express.Express {
  // Fetched when first needed, kept for ten minutes, and fetched again when a token names a key that is not in it.
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

  const accessTokenOf = async (authorization: string | undefined): Promise<JWTPayload | null> => {
    const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '') ?? [];
    if (!token) return null;
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      // RFC 9068 §4: so that nothing else that the server signs passes for an access token.
      typ: 'at+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['exp', 'sub', 'client_id', 'scope'],
    });
    return payload;
  };

  /** Lets through only tokens that have this scope. */
  const requireScope =
    (scope: string): express.RequestHandler =>
    async (request, response, next) => {
      try {
        const claims = await accessTokenOf(request.get('authorization'));
        // RFC 6750 §3.1: no token, no error code.
        if (!claims) return void response.status(401).set('WWW-Authenticate', 'Bearer').end();
        if (!String(claims['scope']).split(' ').includes(scope)) {
          const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
          return void response.status(403).set('WWW-Authenticate', challenge).end();
        }
        response.locals['claims'] = claims;
        next();
      } catch (error) {
        // The keys could not be fetched: not the caller's fault.
        if (!isTheTokens(error)) return next(error);
        response.status(401).set('WWW-Authenticate', 'Bearer error="invalid_token"').end();
      }
    };

  const app = express();
  app.get('/photos', requireScope('read'), (_request, response) => {
    // `sub` is the end-user, or the client itself where it acts for itself.
    const { sub, client_id: clientId } = response.locals['claims'] as JWTPayload;
    response.json({ sub, clientId, photos: [] });
  });
  app.post('/photos', requireScope('write'), (_request, response) => void response.status(201).end());
  return app;
}

const KEYS_ARE_MISSING = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']);

/** What a caller can mend by getting another token. */
const isTheTokens = (error: unknown): boolean => error instanceof errors.JOSEError && !KEYS_ARE_MISSING.has(error.code);

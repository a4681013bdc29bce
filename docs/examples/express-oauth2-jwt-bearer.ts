import express from 'express';
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer';

/** @param audience the identifier of this API in the server's resources.yaml, exactly as written there. */
export function expressApi(issuer: string, audience: string): express.Express {
  const app = express();
  // `strict`: RFC 9068, so that nothing else that the server signs passes for an access token.
  app.use(auth({ issuerBaseURL: issuer, audience, strict: true, tokenSigningAlg: 'ES256' }));
  app.get('/photos', requiredScopes('read'), (request, response) => {
    response.set('Cache-Control', 'no-store').vary('Authorization');
    response.json({ subject: request.auth?.payload.sub, photos: [] });
  });
  app.post('/photos', requiredScopes('write'), (_request, response) => void response.status(201).end());
  return app;
}

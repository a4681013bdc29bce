import express from 'express';
import openidConnect from 'express-openid-connect';

// It is a CommonJS module whose names Node cannot see, so "import { auth }" does not run.
const { auth, requiresAuth } = openidConnect;

export function buildApp(settings: {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Of this app, without a slash at its end. Registered: `${baseUrl}/callback`, and `${baseUrl}` for after a sign-out. */
  baseUrl: string;
  /** Encrypts the session, which is a cookie. */
  sessionSecret: string;
}): express.Express {
  const app = express();
  // Brings /login, /callback and /logout.
  app.use(
    auth({
      issuerBaseURL: settings.issuer,
      baseURL: settings.baseUrl,
      clientID: settings.clientId,
      clientSecret: settings.clientSecret,
      secret: settings.sessionSecret,
      // Its default is the implicit flow, which OAuth 2.1 removed. With `code` it does PKCE of its own accord.
      authorizationParams: { response_type: 'code', scope: 'openid email' },
      // Else /logout ends the session of this app alone, and the next sign-in asks for nothing.
      idpLogout: true,
      authRequired: false,
      // It would tell every server which version of it you run.
      enableTelemetry: false,
    }),
  );

  app.get(
    '/',
    (request, response) => void response.send(request.oidc.isAuthenticated() ? 'Signed in.' : 'Not signed in.'),
  );
  app.get('/profile', requiresAuth(), async (request, response) => {
    // `sub` is the end-user: it never changes, and no other end-user gets it.
    response.json(await request.oidc.fetchUserInfo());
  });
  return app;
}

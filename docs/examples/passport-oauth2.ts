import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';

export type Tokens = { accessToken: string; refreshToken: string };
type Settings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The URL of this app's /callback, exactly as it was registered. */
  redirectUri: string;
  /** Stores the tokens on your side. @returns the key under which the session finds them. */
  keep: (tokens: Tokens) => Promise<string>;
};

export class Statehouse extends OAuth2Strategy {
  constructor({ issuer, clientId, clientSecret, redirectUri, keep }: Settings) {
    super(
      {
        authorizationURL: `${issuer}/oauth/authorize`,
        tokenURL: `${issuer}/oauth/token`,
        clientID: clientId,
        clientSecret,
        callbackURL: redirectUri,
        scope: 'read',
        // Without PKCE the server refuses the request; passport-oauth2 wants `state` with it.
        pkce: true,
        state: true,
      },
      // There is no profile: an access token says what this app may do, not who the person is.
      (accessToken: string, refreshToken: string, _profile: unknown, done: OAuth2Strategy.VerifyCallback) =>
        void keep({ accessToken, refreshToken }).then((key) => done(null, { key }), done),
    );
  }

  /** The answer holds a new refresh token; the one that you sent is used up. passport-oauth2 has no method of its own. */
  refresh(used: string): Promise<Tokens> {
    return new Promise((resolve, reject) => {
      this._oauth2.getOAuthAccessToken(used, { grant_type: 'refresh_token' }, (error, accessToken, refreshToken) =>
        accessToken && refreshToken ? resolve({ accessToken, refreshToken }) : reject(error),
      );
    });
  }
}

export function buildApp(statehouse: Statehouse, sessionSecret: string, secure = true): express.Express {
  passport.use('statehouse', statehouse);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));

  const app = express();
  // TLS ends at the proxy in front of this app; without this line no Secure cookie is set.
  app.set('trust proxy', 1);
  const cookie = { httpOnly: true, sameSite: 'lax', secure } as const;
  // The store that comes with express-session forgets at a restart and serves one process: bring a shared one.
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie }));
  app.use(passport.session());

  app.get('/login', passport.authenticate('statehouse'));
  app.get('/callback', passport.authenticate('statehouse', { successRedirect: '/', failureRedirect: '/login-failed' }));
  app.get('/login-failed', (_request, response) => void response.status(403).send('You were not signed in.'));
  app.get('/', (request, response) => void response.send(request.user ? 'Signed in.' : 'Not signed in.'));
  return app;
}

import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';

export type Tokens = { accessToken: string; refreshToken: string };
/** `sub` is the end-user: it never changes, and no other end-user gets it. */
export type Person = { sub: string; email?: string };
type Settings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The URL of this app's /callback, exactly as it was registered. */
  redirectUri: string;
  /** Stores the tokens on your side. @returns the key under which the session finds them. */
  keep: (tokens: Tokens, person: Person) => Promise<string>;
};

export class Statehouse extends OAuth2Strategy {
  private readonly userInfoUrl: string;

  constructor({ issuer, clientId, clientSecret, redirectUri, keep }: Settings) {
    super(
      {
        authorizationURL: `${issuer}/oauth/authorize`,
        tokenURL: `${issuer}/oauth/token`,
        clientID: clientId,
        clientSecret,
        callbackURL: redirectUri,
        // `openid` asks who the end-user is, `email` for that claim. The access token is for the UserInfo Endpoint.
        scope: 'openid email',
        // Without PKCE the server refuses the request; passport-oauth2 wants `state` with it.
        pkce: true,
        state: true,
      },
      (accessToken: string, refreshToken: string, person: Person, done: OAuth2Strategy.VerifyCallback) =>
        void keep({ accessToken, refreshToken }, person).then((key) => done(null, { key }), done),
    );
    this.userInfoUrl = `${issuer}/oauth/userinfo`;
  }

  /** passport-oauth2 knows nothing of ID Tokens, so the server has to say who the end-user is. */
  override userProfile(accessToken: string, done: (error: unknown, person?: Person) => void): void {
    fetch(this.userInfoUrl, { headers: { authorization: `Bearer ${accessToken}` } })
      .then((response) => (response.ok ? response.json() : Promise.reject(new Error(`UserInfo: ${response.status}`))))
      .then((person) => done(null, person as Person), done);
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

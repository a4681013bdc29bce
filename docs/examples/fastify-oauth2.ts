import oauth2, { type OAuth2Namespace, type Token } from '@fastify/oauth2';
import Fastify, { type FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    statehouse: OAuth2Namespace;
  }
}

/** Where your app keeps the tokens of the person whose browser this is. */
type Keep = (tokens: Token) => Promise<void>;

export async function buildApp(settings: {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The URL of this app's /callback, exactly as it was registered. */
  redirectUri: string;
  keep: Keep;
}): Promise<FastifyInstance> {
  const { origin, pathname } = new URL(settings.issuer);
  const path = pathname.replace(/\/$/, '');
  const app = Fastify();
  await app.register(oauth2, {
    name: 'statehouse',
    credentials: {
      client: { id: settings.clientId, secret: settings.clientSecret },
      // Written out: this plugin's `discovery` asks for OpenID Connect metadata.
      auth: {
        authorizeHost: origin,
        authorizePath: `${path}/oauth/authorize`,
        tokenHost: origin,
        tokenPath: `${path}/oauth/token`,
      },
    },
    scope: ['read'],
    // Without it the server refuses the request.
    pkce: 'S256',
    startRedirectPath: '/login',
    callbackUri: settings.redirectUri,
    // Cookies that nobody else can plant; they need https.
    hostPrefixedCookies: settings.redirectUri.startsWith('https:'),
  });

  app.get('/callback', async (request, reply) => {
    // Checks the state, and sends the verifier that goes with it.
    const { token } = await app.statehouse.getAccessTokenFromAuthorizationCodeFlow(request, reply);
    await settings.keep(token);
    return 'Signed in.';
  });
  return app;
}

/** The answer holds a new refresh token; the one that you sent is used up. */
export async function refresh(app: FastifyInstance, held: Token, keep: Keep): Promise<void> {
  const { token } = await app.statehouse.getNewAccessTokenUsingRefreshToken(held, {});
  await keep(token);
}

import oauth2, { type OAuth2Namespace, type Token } from '@fastify/oauth2';
import Fastify, { type FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    statehouse: OAuth2Namespace;
  }
}

/** Where your app keeps the tokens of the end-user whose browser this is. `sub` is the end-user: it never changes. */
type Keep = (tokens: Token, sub: string) => Promise<void>;

export async function buildApp(settings: {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The URL of this app's /callback, exactly as it was registered. */
  redirectUri: string;
  keep: Keep;
}): Promise<FastifyInstance> {
  const app = Fastify();
  await app.register(oauth2, {
    name: 'statehouse',
    credentials: { client: { id: settings.clientId, secret: settings.clientSecret } },
    // Reads the server's metadata once, now.
    discovery: { issuer: settings.issuer },
    // `openid` asks who the end-user is, `email` for that claim. The access token is for the UserInfo Endpoint.
    scope: ['openid', 'email'],
    // Without it the server refuses the request.
    pkce: 'S256',
    startRedirectPath: '/login',
    callbackUri: settings.redirectUri,
    // Cookies that no other site can plant; they need https.
    hostPrefixedCookies: settings.redirectUri.startsWith('https:'),
  });

  app.get('/callback', async (request, reply) => {
    // Checks the state, and sends the verifier that goes with it.
    const { token } = await app.statehouse.getAccessTokenFromAuthorizationCodeFlow(request, reply);
    // This plugin does not check ID Tokens, so the server has to say who the end-user is.
    const { sub } = (await app.statehouse.userinfo(token)) as { sub: string };
    await settings.keep(token, sub);
    return 'Signed in.';
  });
  return app;
}

/** The answer holds a new refresh token; the one that you sent is used up. */
export async function refresh(
  app: FastifyInstance,
  held: Token,
  keep: (tokens: Token) => Promise<void>,
): Promise<void> {
  const { token } = await app.statehouse.getNewAccessTokenUsingRefreshToken(held, {});
  await keep(token);
}

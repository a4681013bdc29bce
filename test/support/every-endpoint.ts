/** One request to each endpoint that needs the database, prepared so that it would succeed. None is answered before it is sent. */

import {
  authorizeUrl,
  exchange,
  goThrough,
  makePkce,
  obtainCode,
  obtainTokens,
  PASSWORD,
  refresh,
  token,
} from './actors.ts';
import { Browser } from './browser.ts';
import type { Scene } from './scene.ts';
import { introspect, revoke } from './sent-token.ts';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
};

export const ENDPOINTS = [
  'GET /oauth/authorize',
  'POST /interactions/:id/sign-in',
  'POST /interactions/:id/consent',
  'POST /oauth/token (authorization_code)',
  'POST /oauth/token (refresh_token)',
  'POST /oauth/token (client_credentials)',
  'POST /oauth/revoke (refresh token)',
  'POST /oauth/revoke (access token)',
  'POST /oauth/introspect (refresh token)',
  'POST /oauth/introspect (access token)',
  'GET /oauth/userinfo',
  'GET /oauth/logout',
  'GET /permissions',
  'POST /permissions/end',
  'POST /sign-in',
  'GET /health/database',
] as const;

export type EndpointName = (typeof ENDPOINTS)[number];

export async function prepareEndpoints(scene: Scene): Promise<Record<EndpointName, () => Promise<Reply>>> {
  const { app, client, user } = scene;
  const code = await obtainCode(scene, client, user);
  const { refreshToken } = await obtainTokens(scene, client, user);
  const forUserInfo = await obtainTokens(scene, client, user, { scope: 'openid profile' });
  const service = (await token(scene, client, { grant_type: 'client_credentials' })).json.access_token ?? '';
  const fresh = new Browser(app);
  const toSignIn = await fresh.get(authorizeUrl(client, makePkce()));
  const browser = new Browser(app);
  await goThrough(browser, authorizeUrl(client, makePkce()), user);
  const toConsent = await browser.get(authorizeUrl(client, makePkce(), { prompt: 'consent' }));
  const permissions = await browser.get('/permissions');
  const another = new Browser(app);
  const ownSignIn = await another.get('/sign-in');
  const credentials = { username: user.username, password: PASSWORD };
  const inject = async (url: string, headers: Record<string, string> = {}): Promise<Reply> => {
    const reply = await app.inject({ url, headers });
    return { status: reply.statusCode, headers: reply.headers };
  };
  return {
    'GET /oauth/authorize': () => fresh.send('GET', authorizeUrl(client, makePkce()), null),
    'POST /interactions/:id/sign-in': () => fresh.submit(toSignIn, credentials),
    'POST /interactions/:id/consent': () => browser.submit(toConsent, { decision: 'approve' }),
    'POST /oauth/token (authorization_code)': () => exchange(scene, client, code),
    'POST /oauth/token (refresh_token)': () => refresh(scene, client, refreshToken),
    'POST /oauth/token (client_credentials)': () => token(scene, client, { grant_type: 'client_credentials' }),
    'POST /oauth/revoke (refresh token)': () => revoke(scene, client, refreshToken),
    'POST /oauth/revoke (access token)': () => revoke(scene, client, service),
    'POST /oauth/introspect (refresh token)': () => introspect(scene, client, refreshToken),
    'POST /oauth/introspect (access token)': () => introspect(scene, client, service),
    'GET /oauth/userinfo': () => inject('/oauth/userinfo', { authorization: `Bearer ${forUserInfo.accessToken}` }),
    'GET /oauth/logout': () => browser.send('GET', '/oauth/logout', null),
    'GET /permissions': () => browser.send('GET', '/permissions', null),
    'POST /permissions/end': () => browser.submit(permissions, {}),
    'POST /sign-in': () => another.submit(ownSignIn, credentials),
    'GET /health/database': () => inject('/health/database'),
  };
}

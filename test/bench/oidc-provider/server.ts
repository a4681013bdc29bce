/** oidc-provider, configured to do the same as Statehouse: PKCE, rotation, JWT access tokens for one resource, the same lifetimes. */
import { createHmac, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { type JWK, Provider } from 'oidc-provider';
import postgres from 'postgres';
import type { SignedIn } from '../browser.ts';
import { answerQuestions } from '../ipc.ts';
import {
  ACCESS_TOKEN_SECONDS,
  CHALLENGE,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE_SECONDS,
  GRANT_TYPES,
  REDIRECT_URI,
  REFRESH_ABSOLUTE_SECONDS,
  REFRESH_IDLE_SECONDS,
  RESOURCE,
  SCOPE,
  SESSION_SECONDS,
  SUBJECT_ID,
} from '../setting.ts';
import { adapterOn, makeTable } from './adapter.ts';
import { copyGrants } from './copies.ts';

const port = Number(process.env['PORT']);
const sql = postgres(process.env['DATABASE_URL'] ?? '', { max: 10, onnotice: () => {} });
await makeTable(sql);
// Like those of Statehouse and of the floor, the client is registered in the database.
await adapterOn(sql, 'Client').upsert(CLIENT_ID, client());

const cookieKey = randomBytes(32).toString('base64url');
const provider = new Provider(`http://localhost:${port}`, {
  adapter: (model: string) => adapterOn(sql, model),
  jwks: { keys: [{ ...signingKey(), alg: 'ES256', use: 'sig' }] },
  cookies: { keys: [cookieKey] },
  scopes: SCOPE,
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async (_ctx, asking) => asking.grantTypeAllowed('refresh_token'),
  // As with Statehouse: a grant outlives the session.
  expiresWithSession: async () => false,
  findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => RESOURCE,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: SCOPE.join(' '),
        audience: RESOURCE,
        accessTokenTTL: ACCESS_TOKEN_SECONDS,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  ttl: {
    AuthorizationCode: CODE_SECONDS,
    AccessToken: ACCESS_TOKEN_SECONDS,
    ClientCredentials: ACCESS_TOKEN_SECONDS,
    RefreshToken: REFRESH_IDLE_SECONDS,
    Grant: REFRESH_ABSOLUTE_SECONDS,
    Session: SESSION_SECONDS,
  },
});
provider.listen(port, '127.0.0.1');

answerQuestions('codes', (count) => someTogether(count, () => newCode()));
answerQuestions('browsers', (count) => someTogether(count, newBrowser));
answerQuestions('others', async (count) => {
  await copyGrants(sql, await newCode(), count);
  return null;
});

async function someTogether<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    made.push(...(await Promise.all(Array.from({ length: Math.min(20, count - made.length) }, make))));
  }
  return made;
}

async function newGrant(accountId: string): Promise<string> {
  const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
  // It asks for both: its own scopes, and those of the resource server.
  grant.addOIDCScope(SCOPE.join(' '));
  grant.addResourceScope(RESOURCE, SCOPE.join(' '));
  return grant.save();
}

/** As sign-in and consent leave it. */
async function newCode(): Promise<string> {
  const asking = await provider.Client.find(CLIENT_ID);
  if (!asking) throw new Error('The client is not registered.');
  const code = new provider.AuthorizationCode({
    accountId: SUBJECT_ID,
    client: asking,
    codeChallenge: CHALLENGE,
    codeChallengeMethod: 'S256',
    grantId: await newGrant(SUBJECT_ID),
    gty: 'authorization_code',
    redirectUri: REDIRECT_URI,
    resource: RESOURCE,
    scope: SCOPE.join(' '),
  });
  return code.save();
}

/** As sign-in and consent leave it: the session knows the grant. */
async function newBrowser(): Promise<SignedIn> {
  const accountId = randomUUID();
  const grantId = await newGrant(accountId);
  const session = new provider.Session();
  session.loginAccount({ accountId });
  session.ensureClientContainer(CLIENT_ID);
  session.grantIdFor(CLIENT_ID, grantId);
  await session.save(SESSION_SECONDS);
  const cookie = `_session=${session.jti}`;
  // As the package "cookies" signs, which oidc-provider uses.
  const signature = createHmac('sha1', cookieKey).update(cookie).digest('base64url');
  return { userId: accountId, cookie: `${cookie}; _session.sig=${signature}` };
}

function client() {
  return {
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    redirect_uris: [REDIRECT_URI],
    grant_types: GRANT_TYPES,
    response_types: ['code' as const],
    token_endpoint_auth_method: 'client_secret_basic' as const,
    scope: SCOPE.join(' '),
  };
}

function signingKey(): JWK {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK;
}

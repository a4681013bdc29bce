/** oidc-provider, set up to do what Statehouse does: PKCE, rotation, JWT access tokens for one resource, the same lifetimes. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type JWK, Provider } from 'oidc-provider';
import postgres from 'postgres';
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
  SUBJECT_ID,
} from '../setting.ts';
import { adapterOn, makeTable } from './adapter.ts';

const port = Number(process.env['PORT']);
const sql = postgres(process.env['DATABASE_URL'] ?? '', { max: 10, onnotice: () => {} });
await makeTable(sql);
// Like those of Statehouse and of the floor, the client is registered in the database.
await adapterOn(sql, 'Client').upsert(CLIENT_ID, client());

const provider = new Provider(`http://localhost:${port}`, {
  adapter: (model: string) => adapterOn(sql, model),
  jwks: { keys: [{ ...signingKey(), alg: 'ES256', use: 'sig' }] },
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  scopes: SCOPE,
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async (_ctx, asking) => asking.grantTypeAllowed('refresh_token'),
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
  },
});
provider.listen(port, '127.0.0.1');

answerQuestions('codes', async (count) => {
  const codes: string[] = [];
  while (codes.length < count) {
    const some = Array.from({ length: Math.min(20, count - codes.length) }, newCode);
    codes.push(...(await Promise.all(some)));
  }
  return codes;
});

/** As sign-in and consent leave it. */
async function newCode(): Promise<string> {
  const asking = await provider.Client.find(CLIENT_ID);
  if (!asking) throw new Error('The client is not registered.');
  const grant = new provider.Grant({ accountId: SUBJECT_ID, clientId: CLIENT_ID });
  grant.addResourceScope(RESOURCE, SCOPE.join(' '));
  const grantId = await grant.save();
  const code = new provider.AuthorizationCode({
    accountId: SUBJECT_ID,
    client: asking,
    codeChallenge: CHALLENGE,
    codeChallengeMethod: 'S256',
    grantId,
    gty: 'authorization_code',
    redirectUri: REDIRECT_URI,
    resource: RESOURCE,
    scope: SCOPE.join(' '),
  });
  return code.save();
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

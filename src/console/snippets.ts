/**
 * Code for the common libraries, with the values of a client filled in. Each text quotes values by the rules of its own
 * language, since a client's id and redirect URIs may have any printable character.
 */
import type { ClientKind } from './client-kinds.ts';

export type SnippetValues = {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: it has none. */
  readonly redirectUri: string | null;
  readonly scope: string;
  readonly isConfidential: boolean;
};

export type Snippet = { readonly library: string; readonly install: string | null; readonly code: string };

/** Of JavaScript, Python and YAML. */
const text = (value: string): string => JSON.stringify(value);
const kotlin = (value: string): string => text(value).replaceAll('$', '\\$');
/** Of a POSIX shell. */
export const shell = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

const openidClient = ({ issuer, clientId, redirectUri, scope, isConfidential }: SnippetValues): Snippet => ({
  library: 'openid-client',
  install: 'npm install openid-client',
  code: `import * as client from 'openid-client';

const issuer = new URL(${text(issuer)});
const app = ${isConfidential ? 'client.ClientSecretBasic(process.env.CLIENT_SECRET)' : 'client.None()'};
const config = await client.discovery(issuer, ${text(clientId)}, undefined, app, {
  // http is for your own machine only.
  execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
});

// Send the browser to the URL, and keep the checks in its session.
export async function begin() {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: ${text(redirectUri ?? '')},
    scope: ${text(scope)},
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { url, checks };
}

// callback: the whole URL at which the browser came back.
export const finish = (callback, checks) => client.authorizationCodeGrant(config, callback, checks);
`,
});

const oauth4webapi = ({ issuer, clientId, redirectUri, scope }: SnippetValues): Snippet => ({
  library: 'oauth4webapi',
  install: 'npm install oauth4webapi',
  code: `import * as oauth from 'oauth4webapi';

const issuer = new URL(${text(issuer)});
const app = { client_id: ${text(clientId)} };
const redirectUri = ${text(redirectUri ?? '')};
// http is for your own machine only.
const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' };
const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
const server = await oauth.processDiscoveryResponse(issuer, discovered);

// Send the browser to the URL, and keep verifier and state until it comes back.
export async function begin() {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: redirectUri,
    scope: ${text(scope)},
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url, verifier, state };
}

// callback: the whole URL at which the browser came back.
export async function finish(callback, { verifier, state }) {
  const answer = oauth.validateAuthResponse(server, app, callback, state);
  const redeemed = [server, app, oauth.None(), answer, redirectUri, verifier, options];
  const response = await oauth.authorizationCodeGrantRequest(...redeemed);
  return oauth.processAuthorizationCodeResponse(server, app, response);
}
`,
});

const oidcClientTs = ({ issuer, clientId, redirectUri, scope }: SnippetValues): Snippet => ({
  library: 'oidc-client-ts',
  install: 'npm install oidc-client-ts',
  code: `import { UserManager } from 'oidc-client-ts';

// PKCE is on.
export const users = new UserManager({
  authority: ${text(issuer)},
  client_id: ${text(clientId)},
  redirect_uri: ${text(redirectUri ?? '')},
  scope: ${text(scope)},
});
// users.signinRedirect(), and at the redirect URI users.signinCallback().
`,
});

const authJs = ({ issuer, clientId, scope }: SnippetValues): Snippet => ({
  library: 'Auth.js',
  install: 'npm install next-auth@beta',
  code: `import NextAuth from 'next-auth';

// Register this redirect URI: https://YOUR-APP/api/auth/callback/statehouse
export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'statehouse',
      name: 'Statehouse',
      type: 'oidc',
      issuer: ${text(issuer)},
      clientId: ${text(clientId)},
      clientSecret: process.env.CLIENT_SECRET,
      authorization: { params: { scope: ${text(scope)} } },
      checks: ['pkce', 'state'],
    },
  ],
});
`,
});

const spring = ({ issuer, clientId, redirectUri, scope }: SnippetValues): Snippet => ({
  library: 'Spring Security',
  install: 'spring-boot-starter-oauth2-client; with a secret, set requireProofKey(true) in its ClientSettings',
  code: `spring:
  security:
    oauth2:
      client:
        registration:
          statehouse:
            client-id: ${text(clientId)}
            client-secret: "\${CLIENT_SECRET}"
            authorization-grant-type: authorization_code
            redirect-uri: ${text(redirectUri ?? '')}
            scope: ${text(scope.replaceAll(' ', ','))}
        provider:
          statehouse:
            issuer-uri: ${text(issuer)}
`,
});

const authlib = ({ issuer, clientId, scope }: SnippetValues): Snippet => ({
  library: 'Authlib',
  install: 'pip install authlib flask requests',
  code: `import os
from authlib.integrations.flask_client import OAuth

oauth = OAuth(app)
oauth.register(
    "statehouse",
    client_id=${text(clientId)},
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=${text(`${issuer}/.well-known/openid-configuration`)},
    client_kwargs={"scope": ${text(scope)}, "code_challenge_method": "S256"},
)
`,
});

const appAuth = ({ issuer, clientId, redirectUri, scope }: SnippetValues): Snippet => ({
  library: 'AppAuth for Android',
  install: 'implementation("net.openid:appauth:0.11.1")',
  code: `// PKCE is on.
AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse(${kotlin(issuer)})) { server, error ->
    if (server == null) return@fetchFromIssuer
    val request = AuthorizationRequest.Builder(
        server,
        ${kotlin(clientId)},
        ResponseTypeValues.CODE,
        Uri.parse(${kotlin(redirectUri ?? '')}),
    ).setScope(${kotlin(scope)}).build()
    launcher.launch(AuthorizationService(context).getAuthorizationRequestIntent(request))
}
`,
});

const curl = ({ issuer, clientId, scope }: SnippetValues): Snippet => ({
  library: 'curl',
  install: null,
  // RFC 6749 §2.3.1: id and secret are encoded before they are joined. Made secrets have no character to encode.
  code: `curl ${shell(`${issuer}/oauth/token`)} \\
  -u ${shell(`${encodeURIComponent(clientId)}:`)}"$CLIENT_SECRET" \\
  -d grant_type=client_credentials${scope === '' ? '' : ` \\\n  --data-urlencode ${shell(`scope=${scope}`)}`}
`,
});

const serviceInNode = ({ issuer, clientId, scope }: SnippetValues): Snippet => ({
  library: 'openid-client',
  install: 'npm install openid-client',
  code: `import * as client from 'openid-client';

const issuer = new URL(${text(issuer)});
const secret = client.ClientSecretBasic(process.env.CLIENT_SECRET);
const config = await client.discovery(issuer, ${text(clientId)}, undefined, secret, {
  // http is for your own machine only.
  execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
});

export const token = () => client.clientCredentialsGrant(config, ${scope === '' ? '{}' : `{ scope: ${text(scope)} }`});
`,
});

const LIBRARIES: Readonly<Record<ClientKind, readonly ((values: SnippetValues) => Snippet)[]>> = {
  web: [openidClient, authJs, spring, authlib],
  spa: [oidcClientTs, oauth4webapi],
  native: [appAuth, oauth4webapi],
  service: [curl, serviceInNode],
  mcp: [oauth4webapi],
};

export const snippetsFor = (kind: ClientKind, values: SnippetValues): readonly Snippet[] =>
  LIBRARIES[kind].map((fill) => fill(values));

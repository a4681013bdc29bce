/**
 * Gives the fuzzer grants and sessions to find: an end-user signs in at an app in several browsers.
 * `node .ci/seed-for-fuzzing.ts ISSUER`, with CALLER_SECRET and CALLER_SCOPE in the environment.
 */
import { authorizeUrl, goThrough, makePkce, PASSWORD, REDIRECT_URI } from '../test/support/actors.ts';
import { RemoteBrowser } from '../test/support/remote-browser.ts';

const [issuer = ''] = process.argv.slice(2);
const api = `${issuer}/management/v1`;
const { CALLER_SECRET = '', CALLER_SCOPE = '' } = process.env;

const tokens = async (parameters: Readonly<Record<string, string>>): Promise<{ access_token: string }> => {
  const response = await fetch(`${issuer}/oauth/token`, { method: 'POST', body: new URLSearchParams(parameters) });
  if (!response.ok) throw new Error(`the token endpoint answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { access_token: string };
};

const { access_token: token } = await tokens({
  grant_type: 'client_credentials',
  client_id: 'caller',
  client_secret: CALLER_SECRET,
  scope: CALLER_SCOPE,
  resource: api,
});

async function create<Created>(path: string, body: object): Promise<Created> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Created;
}

const user = { username: 'ada', password: PASSWORD };
const { sub } = await create<{ sub: string }>('/users', user);
const { client_id: clientId } = await create<{ client_id: string }>('/clients', {
  token_endpoint_auth_method: 'none',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
});

for (const isExchanged of [true, true, false]) {
  const { verifier, challenge } = makePkce();
  const { url } = await goThrough(
    new RemoteBrowser(issuer),
    authorizeUrl({ clientId, redirectUris: [REDIRECT_URI] }, { verifier, challenge }),
    { id: sub, username: user.username },
  );
  const code = new URL(url).searchParams.get('code') ?? '';
  const exchange = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: REDIRECT_URI };
  if (isExchanged) await tokens({ ...exchange, code, code_verifier: verifier });
}

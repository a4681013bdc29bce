/**
 * A real sign-in of a client, in the operator's own browser. The console makes the request as the client would, with a
 * verifier of its own. So the code at the end is for the operator alone. The client did not ask for it, and has to refuse
 * it. The console redeems nothing. It has no credentials of the client, so the operator pushes a request where one is demanded.
 */
import { html } from 'ghtml';
import { demandsOf, PROFILES } from '../../policies/profiles.ts';
import { sha256 } from '../crypto/digest.ts';
import type { Markup } from '../http/views/page.ts';
import { isOneOf, KEY_METHODS, TLS_METHODS, WORKLOAD_METHOD } from '../oauth/client-methods.ts';
import { JWT_BEARER } from '../oauth/parameters.ts';
import { urlUnder } from '../oauth/urls.ts';
import { type ClientRecord, listIn } from './client-form.ts';
import { CLIENT_KINDS, kindOf } from './client-kinds.ts';
import { facts, link, withQuery } from './components.ts';
import type { Policy } from './policy.ts';
import { type Fields, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';
import { shell, snippetsFor } from './snippets.ts';

export const redirectUrisOf = (client: ClientRecord): readonly string[] =>
  listIn(client['grant_types']).includes('authorization_code') ? listIn(client['redirect_uris']) : [];

const scopeOf = (client: ClientRecord): string => String(client['default_scope'] ?? client['scope'] ?? '');

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const id = query.get('id');
  const answer = await viewer.api.get<ClientRecord>(`/clients/${encodeURIComponent(id)}`);
  if (!answer.ok) return problem(answer.problem);
  const client = answer.value;
  const uris = redirectUrisOf(client);
  const chosen = uris.find((uri) => uri === query.get('redirect_uri')) ?? uris[0];
  const back = html`<p>!${link(viewer, withQuery('/console/client', { id }), 'Back to the client')}</p>`;
  if (chosen === undefined)
    return page('Try a sign-in', html`<p>This client signs no end-users in: it has no redirect URI.</p>!${back}`);
  const title = `Try a sign-in of ${shownText(client.client_name ?? id)}`;
  const demanded = await demandedOf(viewer, client);
  if (demanded.signed)
    return page(
      title,
      html`<p>This client signs its authorization requests with its own key, so it begins each sign-in itself.</p>!${ownStart(viewer, client)}!${back}`,
    );
  return page(title, html`!${tryOf(viewer, { id, client, redirectUri: chosen, uris }, demanded)}!${back}`);
}

type Demanded = { readonly pushed: boolean; readonly signed: boolean };

/** RFC 9126 §5, §6, and RFC 9101 §10.5: of the client, of every client, or of the profile of its policy. */
export async function demandedOf(viewer: Viewer, client: ClientRecord): Promise<Demanded> {
  const [metadata, policy] = await Promise.all([viewer.metadata(), policyOf(viewer, client)]);
  const { pushed, signed } = demandsOf(PROFILES.find((one) => one === policy?.['profile']));
  const pushing = 'require_pushed_authorization_requests';
  return {
    pushed: client[pushing] === true || metadata[pushing] === true || pushed,
    signed: client['require_signed_request_object'] === true || signed,
  };
}

/** Null: this user may not see it, or no file defines it. */
async function policyOf({ may, api }: Viewer, { policy }: ClientRecord): Promise<Policy | null> {
  if (!may('configuration:read')) return null;
  const answer = await api.get<Policy>(`/policies/${encodeURIComponent(policy ?? '')}`);
  return answer.ok ? answer.value : null;
}

type Tried = {
  readonly id: string;
  readonly client: ClientRecord;
  readonly redirectUri: string;
  /** All of them. */
  readonly uris: readonly string[];
};

function tryOf(viewer: Viewer, { id, client, redirectUri, uris }: Tried, { pushed }: Demanded): Markup {
  const [verifier, state, nonce] = [32, 16, 16].map((size) => viewer.random.bytes(size).toString('base64url')) as [
    string,
    string,
    string,
  ];
  const scope = scopeOf(client);
  const requested = {
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    state,
    nonce: scope.split(' ').includes('openid') ? nonce : '',
    code_challenge: sha256(verifier).toString('base64url'),
    code_challenge_method: 'S256',
  };
  const others = uris.filter((uri) => uri !== redirectUri);
  const start = pushed ? 'The address that the command prints' : 'The button';
  return html`<p>${start} starts a real sign-in with your account, and ends at the redirect URI of the client. <strong>The client has to refuse the code</strong>: it did not ask for it. If it signs you in, it does not check <code>state</code>.</p>
!${facts([
    ['Redirect URI', code(redirectUri)],
    ['Scope', scope === '' ? html`the default of the server` : code(scope)],
    ['state', code(state)],
  ])}
!${
    pushed
      ? html`<h2>Push the request</h2>
<p>This client needs a pushed request. The command pushes it with the credentials of the client, and prints the address. Open the address in this browser, within the lifetime of pushed requests.</p>
<pre class="snippet" tabindex="0" aria-label="The command that pushes the request"><code>${push(viewer.issuer, id, client, requested)}</code></pre>`
      : html`<p class="row"><a class="button first" rel="noreferrer" href="${viewer.path(withQuery('/oauth/authorize', { client_id: id, ...requested }))}">Start the sign-in</a></p>`
  }
!${ownStart(viewer, client)}
!${others.length === 0 ? '' : html`<p>Other redirect URIs:</p><ul>!${others.map((uri) => html`<li>!${link(viewer, withQuery('/console/client/try', { id, redirect_uri: uri }), uri)}</li>`).join('')}</ul>`}
<h2>Redeem the code</h2>
<p>As the client would, with <code>code</code> from the address at which the browser arrives. The verifier is valid for this page alone.</p>
<pre class="snippet" tabindex="0" aria-label="The command that redeems the code"><code>${redemption(viewer.issuer, id, client, redirectUri, verifier)}</code></pre>`;
}

/** OpenID Connect Core §4. */
function ownStart({ issuer }: Viewer, client: ClientRecord): Markup {
  const uri = String(client['initiate_login_uri'] ?? '');
  if (uri === '') return html``;
  return html`<p>Let the client begin: <a rel="noreferrer" href="${uri}${uri.includes('?') ? '&' : '?'}iss=${encodeURIComponent(issuer)}">open its sign-in address</a> (<code>initiate_login_uri</code>).</p>`;
}

/** The authentication names the client. A request that names it again would repeat a parameter. */
function push(issuer: string, id: string, client: ClientRecord, requested: Readonly<Record<string, string>>): string {
  const address = `${urlUnder(issuer, '/oauth/authorize')}?client_id=${encodeURIComponent(id)}&request_uri=`;
  const curl = [
    `curl -s ${shell(urlUnder(issuer, '/oauth/par'))}`,
    ...authenticationOf(id, client.token_endpoint_auth_method),
    ...Object.entries(requested)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `--data-urlencode ${shell(`${name}=${value}`)}`),
  ].join(' \\\n  ');
  return `PUSHED=$(${curl})
REQUEST_URI=$(echo "$PUSHED" | sed -n 's/.*"request_uri":"\\([^"]*\\)".*/\\1/p')
test -n "$REQUEST_URI" && echo ${shell(address)}"$REQUEST_URI" || echo "$PUSHED"`;
}

function redemption(issuer: string, id: string, client: ClientRecord, redirectUri: string, verifier: string): string {
  return [
    `curl ${shell(urlUnder(issuer, '/oauth/token'))}`,
    ...authenticationOf(id, client.token_endpoint_auth_method),
    '-d grant_type=authorization_code -d code="$CODE"',
    `--data-urlencode ${shell(`redirect_uri=${redirectUri}`)}`,
    `-d code_verifier=${verifier}`,
  ].join(' \\\n  ');
}

function authenticationOf(id: string, method: string | undefined): readonly string[] {
  if (method === 'none') return [`--data-urlencode ${shell(`client_id=${id}`)}`];
  if (isOneOf(TLS_METHODS, method ?? ''))
    return [`--data-urlencode ${shell(`client_id=${id}`)}`, '--cert client.pem --key client.key'];
  const assertionType = `--data-urlencode ${shell(`client_assertion_type=${JWT_BEARER}`)}`;
  if (method === WORKLOAD_METHOD)
    return [
      `--data-urlencode ${shell(`client_id=${id}`)}`,
      assertionType,
      '--data-urlencode client_assertion@"$TOKEN_FILE"',
    ];
  if (method !== 'private_key_jwt') return [`-u ${shell(`${encodeURIComponent(id)}:`)}"$CLIENT_SECRET"`];
  return [assertionType, '-d client_assertion="$ASSERTION"'];
}

/** Of one client, with its values filled in. */
export function codeOf(viewer: Viewer, id: string, client: ClientRecord, { pushed }: Demanded): Markup {
  if (isOneOf(KEY_METHODS, client.token_endpoint_auth_method ?? '')) {
    return html`<h2>Code</h2>
<p>The client proves a key of its own. The guide <code>docs/connecting-a-client-with-keys.md</code> has the code for openid-client, oauth4webapi and Spring.</p>`;
  }
  if (client.token_endpoint_auth_method === WORKLOAD_METHOD) {
    return html`<h2>Code</h2>
<p>The client sends the token of its workload. The guide <code>docs/connecting-a-client-with-keys.md</code> has the code for Kubernetes and SPIFFE.</p>`;
  }
  const kind = kindOf(client);
  const snippets = snippetsFor(kind, {
    issuer: viewer.issuer,
    clientId: id,
    redirectUri: redirectUrisOf(client)[0] ?? null,
    scope: scopeOf(client),
    isConfidential: client.token_endpoint_auth_method !== 'none',
  });
  return html`<h2>Code</h2>
<p>For a ${CLIENT_KINDS[kind].title.toLowerCase()}, with the values of this client. The secret comes from the environment.</p>
!${pushed ? html`<p>This client pushes its authorization requests: use <code>await buildAuthorizationUrlWithPAR</code> of openid-client, or <code>pushedAuthorizationRequest</code> of oauth4webapi.</p>` : ''}
!${snippets
    .map(
      ({ library, install, code: lines }) => html`<details><summary>${library}</summary>
!${install === null ? '' : html`<p><code>${install}</code></p>`}
<pre class="snippet" tabindex="0" aria-label="Code for ${library}"><code>${lines}</code></pre></details>`,
    )
    .join('\n')}`;
}

export const CLIENT_TRY_SCREENS: readonly Screen[] = [
  { path: '/console/client/try', area: 'clients', scope: 'clients:read', show },
];

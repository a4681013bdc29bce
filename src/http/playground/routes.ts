/**
 * The playground, which exists only with the demo data (embedded database, loopback HOST). It shows the whole flow step
 * by step, through the server's own endpoints, until a reuse ends the chain.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { z } from 'zod';
import type { Configuration } from '../../config/configuration.ts';
import { sha256 } from '../../crypto/digest.ts';
import type { Random } from '../../crypto/random.ts';
import { pathUnder, urlUnder } from '../../oauth/urls.ts';
import { type CredentialStateDeps, stateOfCode, stateOfRefreshToken } from '../../protocol/credential-state.ts';
import { lookOf } from '../look.ts';
import { sendProblem } from '../problem.ts';
import { seeOther, sendPage } from '../security-headers.ts';
import type { ZodTypeProvider } from '../zod-schemas.ts';
import { type Decoded, type PlaygroundView, playgroundPage } from './pages.ts';
import { type Exchange, type Walk, walks } from './walk.ts';

export type DemoApp = { readonly clientId: string; readonly redirectUri: string };
export type PlaygroundOptions = CredentialStateDeps & {
  readonly issuer: string;
  readonly random: Random;
  readonly configuration: () => Pick<Configuration, 'signIn'>;
  readonly client: DemoApp;
};

const params = z.object({ id: z.string() });
/** The authorization response. A repeated parameter has no value. */
const response = z.looseObject({
  state: z.string().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
});

export const playgroundRoutes = fp<PlaygroundOptions>(
  async (instance, options) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    const { issuer, client } = options;
    const { begin, find, findByState } = walks(options.random);
    const path = (walk: Walk, rest = '') => pathUnder(issuer, `/playground/${walk.id}${rest}`);

    app.get('/playground', async (request, reply) => {
      const walk = begin();
      const parameters = authorizationRequest(client, walk);
      const asked = { ...EMPTY, shown: parameters };
      const view = options.configuration().signIn.requirePushedAuthorizationRequests
        ? { ...asked, ...STEPS.push, actions: [{ path: path(walk, '/push'), label: 'Push it' }] }
        : { ...asked, ...STEPS.ask, link: { href: authorizeUrl(issuer, valuesOf(parameters)), label: 'Send it' } };
      return sendPage(reply, 200, playgroundPage(await lookOf(request), view));
    });

    app.get('/playground/callback', { schema: { querystring: response } }, async (request, reply) => {
      const { state, code } = request.query;
      // Like every client, the app rejects a response without a request of its own (OAuth 2.1 §7.10).
      const walk = state === undefined ? null : findByState(state);
      if (!walk) return sendProblem(request, reply, 400, () => UNKNOWN_STATE);
      if (code !== undefined) walk.code = code;
      else walk.refusal = { ...request.query };
      return seeOther(reply, path(walk));
    });

    app.get('/playground/:id', { schema: { params } }, async (request, reply) => {
      const walk = find(request.params.id);
      return walk
        ? sendPage(reply, 200, playgroundPage(await lookOf(request), await viewOf(options, walk, path)))
        : notFound(request, reply);
    });

    const step = (
      name: string,
      fields: (walk: Walk) => Readonly<Record<string, string>>,
      to: Exchange['to'] = '/oauth/token',
    ) =>
      app.post(`/playground/:id/${name}`, { schema: { params } }, async (request, reply) => {
        const walk = find(request.params.id);
        if (!walk) return notFound(request, reply);
        await sendRequest(instance, issuer, walk, to, { client_id: client.clientId, ...fields(walk) });
        return seeOther(reply, path(walk));
      });

    step('push', (walk) => valuesOf(authorizationRequest(client, walk)), '/oauth/par');
    step('exchange', (walk) => ({
      grant_type: 'authorization_code',
      code: walk.code ?? '',
      code_verifier: walk.verifier,
      redirect_uri: client.redirectUri,
    }));
    step('refresh', (walk) => ({ grant_type: 'refresh_token', refresh_token: walk.refreshTokens.at(-1) ?? '' }));
    step('reuse', (walk) => ({ grant_type: 'refresh_token', refresh_token: walk.refreshTokens.at(-2) ?? '' }));
  },
  { name: 'playground-routes', encapsulate: true },
);

const authorizationRequest = ({ clientId, redirectUri }: DemoApp, { state, nonce, verifier }: Walk) => [
  { name: 'response_type', value: 'code', note: 'the only response type' },
  { name: 'client_id', value: clientId, note: 'the requesting client' },
  { name: 'redirect_uri', value: redirectUri, note: 'the address for the response: registered, compared exactly' },
  { name: 'scope', value: 'openid email read write', note: 'your identity, and the requested permissions' },
  {
    name: 'nonce',
    value: nonce,
    note: 'returns in the ID Token, so that an attacker cannot inject an older one',
  },
  { name: 'state', value: state, note: 'returns unchanged, so that the app recognizes its own request' },
  {
    name: 'code_challenge',
    value: sha256(verifier).toString('base64url'),
    note: 'the hash of a secret that the app keeps (PKCE)',
  },
  { name: 'code_challenge_method', value: 'S256', note: 'SHA-256; the server rejects plain' },
];

const valuesOf = (parameters: ReturnType<typeof authorizationRequest>): Readonly<Record<string, string>> =>
  Object.fromEntries(parameters.map(({ name, value }) => [name, value]));

const authorizeUrl = (issuer: string, parameters: Readonly<Record<string, string>>): string =>
  `${urlUnder(issuer, '/oauth/authorize')}?${new URLSearchParams(parameters)}`;

/** Uses the real endpoint, like any client. */
async function sendRequest(
  app: FastifyInstance,
  issuer: string,
  walk: Walk,
  to: Exchange['to'],
  sent: Readonly<Record<string, string>>,
): Promise<void> {
  const reply = await app.inject({
    method: 'POST',
    url: pathUnder(issuer, to),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(sent).toString(),
  });
  const answer = reply.json<Record<string, unknown>>();
  walk.last = { to, sent, status: reply.statusCode, answer };
  if (typeof answer['request_uri'] === 'string') walk.requestUri = answer['request_uri'];
  if (typeof answer['access_token'] === 'string') walk.accessToken = answer['access_token'];
  if (typeof answer['id_token'] === 'string') walk.idToken = answer['id_token'];
  if (typeof answer['refresh_token'] === 'string') walk.refreshTokens.push(answer['refresh_token']);
}

async function viewOf(
  { client: { clientId }, issuer, ...deps }: PlaygroundOptions,
  walk: Walk,
  path: (walk: Walk, rest?: string) => string,
): Promise<PlaygroundView> {
  const code = walk.code === null ? null : await stateOfCode(deps, clientId, walk.code);
  const tokens = await Promise.all(
    walk.refreshTokens.map(async (token) => ({ token, state: await stateOfRefreshToken(deps, clientId, token) })),
  );
  const common = {
    ...EMPTY,
    code,
    tokens,
    exchange: walk.last,
    accessToken: decoded(walk.accessToken),
    idToken: decoded(walk.idToken),
  };
  const again = { href: pathUnder(issuer, '/playground'), label: 'Start again' };
  if (walk.code === null && walk.refusal === null && walk.last !== null) {
    const { requestUri } = walk;
    if (requestUri === null) return { ...common, ...STEPS.notPushed, link: again };
    const href = authorizeUrl(issuer, { client_id: clientId, request_uri: requestUri });
    return { ...common, ...STEPS.pushed, link: { href, label: 'Send the browser' } };
  }
  if (walk.code === null) return { ...common, ...STEPS.denied, refusal: walk.refusal, link: again };
  if (walk.refreshTokens.length === 0) {
    const exchange = { path: path(walk, '/exchange'), label: 'Exchange the code' };
    const shown = [
      { name: 'code', value: walk.code },
      {
        name: 'code_verifier',
        value: walk.verifier,
        note: 'not sent before: it proves that this app began the flow',
      },
    ];
    return { ...common, ...STEPS.code, shown, actions: [exchange] };
  }
  const refresh = { path: path(walk, '/refresh'), label: 'Refresh with the newest token' };
  if (tokens.at(-1)?.state === 'revoked') return { ...common, ...STEPS.dead, actions: [refresh], link: again };
  if (walk.refreshTokens.length === 1) return { ...common, ...STEPS.tokens, actions: [refresh] };
  const reuse = { path: path(walk, '/reuse'), label: 'Present the old refresh token again', danger: true };
  return { ...common, ...STEPS.rotated, actions: [reuse, refresh] };
}

function decoded(token: string | null): Decoded | null {
  if (token === null) return null;
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('utf8'));
  return { header: JSON.parse(header ?? 'null'), claims: JSON.parse(claims ?? 'null') };
}

const notFound = (request: FastifyRequest, reply: FastifyReply) =>
  sendProblem(request, reply, 404, () => WALK_NOT_FOUND);

const EMPTY: PlaygroundView = {
  title: 'Playground',
  words: [],
  shown: [],
  link: null,
  actions: [],
  code: null,
  tokens: [],
  refusal: null,
  exchange: null,
  accessToken: null,
  idToken: null,
};

const STEPS = {
  ask: {
    title: 'Playground: 1. the app asks',
    words: [
      'The demo app sends your browser to the authorization endpoint with this request. Sign in as the user that the terminal names, and then decide.',
    ],
  },
  push: {
    title: 'Playground: 1. the app pushes its request',
    words: [
      'This server requires pushed requests. The demo app sends this request to the pushed authorization request endpoint by itself, and your browser then brings only a reference to it.',
    ],
  },
  pushed: {
    title: 'Playground: 1. the request is pushed',
    words: [
      'The server stored the request. Your browser brings only client_id and request_uri to the authorization endpoint. Sign in as the user that the terminal names, and then decide.',
    ],
  },
  notPushed: {
    title: 'Playground: the push was refused',
    words: ['The server stored no request. The response below gives the reason.'],
  },
  denied: {
    title: 'Playground: denied',
    words: ['The browser returned an error and no code. Without a grant, the app sends nothing to the token endpoint.'],
  },
  code: {
    title: 'Playground: 2. a code came back',
    words: [
      'You approved. The browser returned a code, which is valid once and for a minute. The app can exchange it only with the verifier.',
    ],
  },
  tokens: {
    title: 'Playground: 3. the app has tokens',
    words: [
      'The code is used. The access token is for the API. The ID Token identifies the user, and grants no access. The refresh token is the head of a new chain. Refresh it.',
    ],
  },
  rotated: {
    title: 'Playground: 4. the chain has moved on',
    words: [
      'The server rotated the refresh token: the old one is used, and its successor is the head. Now act as a thief who copied the old one, and present it again.',
    ],
  },
  dead: {
    title: 'Playground: 5. the chain is dead',
    words: [
      'A used token was presented again, by the app or by a thief, and the server cannot know by which. The same statement revoked the whole chain. Try the newest token: the server rejects it as well.',
    ],
  },
} as const;

const UNKNOWN_STATE = {
  title: 'Not a response to this playground',
  what: 'The returned state belongs to no request of this playground. The server may have restarted.',
  next: 'Open /playground and start again.',
};
const WALK_NOT_FOUND = {
  ...UNKNOWN_STATE,
  title: 'This walk has ended',
  what: 'The playground keeps only the last few walks, and none after a restart.',
};

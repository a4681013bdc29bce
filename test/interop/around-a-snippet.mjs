/**
 * The program that a reader writes around a snippet of the guides, in JavaScript: `node around-a-snippet.mjs NAME SNIPPET SETTINGS`.
 * It writes a line of JSON when it wants something or is done, and reads a line where a browser comes back.
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { importJWK } from 'jose';
import * as client from 'openid-client';

const [name, path, settings] = process.argv.slice(2);
const snippet = await import(path);
const { issuer, clientId, clientSecret, redirectUri, base, port, resource, secret, jwk } = JSON.parse(settings);

const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
/** Where the browser comes back that was sent there. */
const sentTo = async (url) => {
  tell({ sentTo: url.href });
  return new URL((await lines.next()).value);
};
/** Serves until the process is ended. */
const listens = (app) => app.listen(port, 'localhost', () => tell({ listens: true }));
/** Node's server in front of a handler of the Fetch API. */
const listensToFetch = (handler) =>
  listens(
    createServer(async ({ url, method, headers }, outgoing) => {
      const response = await handler(new Request(`http://localhost${url}`, { method, headers }));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    }),
  );
const keep = async (tokens) => {
  tell({ kept: Object.keys(tokens).length > 0 });
  return 'a key';
};

const PROGRAMS = {
  'openid-client': async () => {
    const config = await snippet.connect(issuer, clientId, clientSecret);
    const { url, checks } = await snippet.begin(config, redirectUri);
    const { tokens, person } = await snippet.finish(config, await sentTo(url), checks);
    const next = await snippet.refresh(config, tokens.refresh_token);
    const { scope } = await snippet.serviceToken(config);
    const leaves = snippet.signOutUrl(config, next.id_token, redirectUri).pathname;
    tell({ sub: person.sub, rotated: next.refresh_token !== tokens.refresh_token, scope, leaves });
  },
  oauth4webapi: async () => {
    const server = await snippet.discover(issuer);
    const { url, ...checks } = await snippet.begin(server, clientId, redirectUri);
    const tokens = await snippet.finish(server, clientId, redirectUri, await sentTo(url), checks);
    const next = await snippet.refresh(server, clientId, tokens.refresh_token);
    tell({ rotated: next.refresh_token !== tokens.refresh_token, scope: next.scope });
  },
  'openid-client-key': async () => {
    const config = await snippet.connect(issuer, clientId, await importJWK(jwk));
    tell({ scope: (await snippet.serviceToken(config)).scope });
  },
  'oauth4webapi-key': async () => {
    const { scope } = await snippet.serviceToken(issuer, clientId, await importJWK(jwk), jwk.kid);
    tell({ scope });
  },
  'openid-client-dpop': async () => {
    const execute = [client.allowInsecureRequests];
    const config = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute });
    const key = await snippet.newKey();
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const asked = {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    };
    const back = await sentTo(client.buildAuthorizationUrl(config, asked));
    const first = await snippet.finish(config, key, back, { pkceCodeVerifier });
    const { access_token: token, token_type: type } = await snippet.refresh(config, key, first.refresh_token);
    const answer = await snippet.callApi(config, key, token, new URL(`${issuer}/oauth/userinfo`));
    tell({ type, sub: (await answer.json()).sub });
  },
  'token-keeper': async () => {
    let stored = { accessToken: 'old', refreshToken: 'first', expiresAt: 0 };
    const write = async (tokens) => {
      stored = tokens;
    };
    const store = { read: async () => stored, write };
    const fresh = { accessToken: 'new', refreshToken: 'second', expiresAt: Date.now() + 900_000 };
    tell({
      accessToken: await snippet.tokenKeeper(store, async () => fresh).accessToken(),
      stored: stored.refreshToken,
    });
  },
  'webhook-receiver': () => listens(snippet.webhookReceiver(secret, async (event, id) => tell({ event, id }))),
  'passport-oauth2': () => {
    const statehouse = new snippet.Statehouse({ issuer, clientId, clientSecret, redirectUri, keep });
    listens(snippet.buildApp(statehouse, 'a secret of the app', false));
  },
  'express-openid-connect': () =>
    listens(
      snippet.buildApp({
        issuer,
        clientId,
        clientSecret,
        baseUrl: base,
        sessionSecret: 'a secret of the app, long enough',
      }),
    ),
  'fastify-oauth2': async () => {
    const app = await snippet.buildApp({ issuer, clientId, clientSecret, redirectUri, keep });
    await app.listen({ host: 'localhost', port });
    tell({ listens: true });
  },
  'protected-api': () => listens(snippet.protectedApi(issuer, resource)),
  'express-oauth2-jwt-bearer': () => listens(snippet.expressApi(issuer, resource)),
  'protected-fastify-api': async () => {
    const app = await snippet.protectedFastifyApi(issuer, resource);
    await app.listen({ host: 'localhost', port });
    tell({ listens: true });
  },
  'guarded-claims': () => listens(snippet.apiWithRoles(issuer, resource, tell)),
  'guarded-hono': () => listensToFetch(snippet.honoApi(issuer, resource).fetch),
  'guarded-worker': () => listensToFetch(snippet.photosWorker(issuer, resource).fetch),
  'guarded-next': () => {
    const { album } = snippet.photos(issuer, resource);
    listensToFetch((request) => album[request.method](request, { params: Promise.resolve({ album: 'summer' }) }));
  },
  'guarded-nest': async () => {
    const app = await snippet.nestApi(issuer, resource);
    await app.listen(port, 'localhost');
    tell({ listens: true });
  },
  'guarded-lambda': () => {
    const { list, authorizer } = snippet.photosLambda(issuer, resource);
    // As API Gateway calls both.
    listensToFetch(async ({ method, url, headers }) => {
      const { pathname: rawPath } = new URL(url);
      const asked = { headers: Object.fromEntries(headers), rawPath, requestContext: { http: { method } } };
      const event = { version: '2.0', routeArn: 'arn:aws:execute-api:eu-central-1:1:a/test/GET/photos', ...asked };
      if (rawPath === '/authorized') return Response.json(await authorizer(event).catch(({ message }) => message));
      const { statusCode: status, headers: answered, body } = await list(event);
      return new Response(body, { status, headers: answered });
    });
  },
  'guarded-websocket': () => {
    const server = createServer((_request, response) => response.writeHead(404).end());
    snippet.streamPhotos(server, issuer, resource, 'https://app.example.com');
    listens(server);
  },
  'guarded-mcp': async () => {
    const { McpServer } = await import('@modelcontextprotocol/server');
    const serverFor = ({ subject }) => {
      const server = new McpServer({ name: 'photos', version: '1.0.0' });
      const text = () => ({ content: [{ type: 'text', text: subject }] });
      for (const name of ['list_photos', 'add_photo']) server.registerTool(name, { description: name }, text);
      return server;
    };
    listens(snippet.mcpApi(issuer, resource, serverFor));
  },
};

await PROGRAMS[name]();
// What listens goes on; a library may keep a connection open.
if (port === undefined) process.exit(0);

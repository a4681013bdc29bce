/**
 * The program that a reader writes around a snippet of the guides, in JavaScript: `node around-a-snippet.mjs NAME SNIPPET SETTINGS`.
 * It writes a line of JSON when it wants something or is done, and reads a line where a browser comes back.
 */
import { createInterface } from 'node:readline';

const [name, path, settings] = process.argv.slice(2);
const snippet = await import(path);
const { issuer, clientId, clientSecret, redirectUri, base, port, resource, secret } = JSON.parse(settings);

const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
/** Where the browser comes back that was sent there. */
const sentTo = async (url) => {
  tell({ sentTo: url.href });
  return new URL((await lines.next()).value);
};
/** Serves until the process is ended. */
const listens = (app) => app.listen(port, 'localhost', () => tell({ listens: true }));
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
};

await PROGRAMS[name]();
// What listens goes on; a library may keep a connection open.
if (port === undefined) process.exit(0);

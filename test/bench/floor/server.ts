/**
 * The floor: the least that a conforming server can do. Bare Fastify, one prepared statement and one signature a request;
 * no log, no ledger, no machine.
 */
import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { ACCESS_TOKEN_SECONDS } from '../setting.ts';
import { authorize } from './authorize.ts';
import { introspect } from './introspect.ts';
import { mac, sameBytes, sha256 } from './keys.ts';
import { readProof } from './proof.ts';
import { type Client, type Granted, statements } from './statements.ts';
import { accessToken, jwks, type Place, readCode, readRefreshToken, refreshTokenOf } from './tokens.ts';

const port = Number(process.env['PORT']);
const issuer = `http://localhost:${port}`;
const database = statements(process.env['DATABASE_URL'] ?? '');

type Answer = { readonly status: number; readonly body: object };
const refused = (error: string): Answer => ({ status: error === 'invalid_client' ? 401 : 400, body: { error } });

const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
  done(null, new URLSearchParams(String(body)));
});
app.get('/jwks', () => jwks);
app.post('/oauth/token', async (request, reply) => {
  const { authorization, dpop } = request.headers;
  const { status, body } = await answer(authorization, dpop as string | undefined, request.body as URLSearchParams);
  return reply.code(status).header('cache-control', 'no-store').send(body);
});
app.post('/oauth/introspect', async (request, reply) => {
  const client = readClient(request.headers.authorization);
  const body = client && (await introspect(database, issuer, client, request.body as URLSearchParams));
  if (body === null) return reply.code(401).send({ error: 'invalid_client' });
  return reply.header('cache-control', 'no-store').send(body);
});
app.get('/oauth/authorize', async (request, reply) => {
  const query = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1));
  const location = await authorize(database, issuer, query, request.headers.cookie);
  return location === null ? reply.code(400).send('This request is not valid.') : reply.redirect(location, 303);
});
await app.listen({ host: '127.0.0.1', port });

async function answer(authorization?: string, dpop?: string, form = new URLSearchParams()): Promise<Answer> {
  // RFC 6749 §3.2: no parameter more than once.
  if (new Set(form.keys()).size !== form.size) return refused('invalid_request');
  const client = readClient(authorization);
  if (!client) return refused('invalid_client');
  switch (form.get('grant_type')) {
    case 'client_credentials':
      return clientCredentials(client, form);
    case 'authorization_code':
      return exchange(client, form);
    case 'refresh_token':
      return refresh(client, dpop, form);
    default:
      return refused('unsupported_grant_type');
  }
}

function readClient(authorization = ''): Client | null {
  if (!authorization.startsWith('Basic ')) return null;
  const credentials = Buffer.from(authorization.slice(6), 'base64').toString();
  const colon = credentials.indexOf(':');
  if (colon < 0) return null;
  const secret = decodeURIComponent(credentials.slice(colon + 1));
  return { clientId: decodeURIComponent(credentials.slice(0, colon)), secretMac: mac('client-secret', secret) };
}

async function clientCredentials(client: Client, form: URLSearchParams): Promise<Answer> {
  const known = await database.findClient(client.clientId);
  if (!known || !sameBytes(known.secret_mac, client.secretMac)) return refused('invalid_client');
  const scope = form.get('scope') ?? known.scope.join(' ');
  if (!scope.split(' ').every((token) => known.scope.includes(token))) return refused('invalid_scope');
  return issued({ user_id: client.clientId, scope, resource: known.resource });
}

async function exchange(client: Client, form: URLSearchParams): Promise<Answer> {
  const code = readCode(form.get('code') ?? '');
  const verifier = form.get('code_verifier') ?? '';
  if (!code || !/^[\w\-.~]{43,128}$/.test(verifier)) return refused('invalid_grant');
  const presented = {
    grantId: code.grantId,
    secretHash: sha256(code.secret),
    challenge: sha256(verifier).toString('base64url'),
    redirectUri: form.get('redirect_uri') ?? '',
  };
  const nonce = randomBytes(16);
  const granted = await database.exchange(client, { ...presented, nonce });
  if (granted) return issued(granted, { grantId: code.grantId, generation: '0', nonce });
  return (await database.endReplayedCode(client, presented)) ? refused('invalid_grant') : whyNot(client);
}

async function refresh(client: Client, dpop: string | undefined, form: URLSearchParams): Promise<Answer> {
  const token = readRefreshToken(form.get('refresh_token') ?? '');
  if (!token) return refused('invalid_grant');
  const proof = dpop === undefined ? undefined : readProof(dpop, `${issuer}/oauth/token`);
  if (proof === null || (proof && !(await database.useProof(proof.jti)))) return refused('invalid_dpop_proof');
  const nonce = randomBytes(16);
  const granted = await database.rotate(client, token, nonce);
  if (granted) {
    const generation = (BigInt(token.generation) + 1n).toString();
    return issued(granted, { grantId: token.grantId, generation, nonce }, proof?.jkt);
  }
  return (await database.endReusedChain(client, token)) ? refused('invalid_grant') : whyNot(client);
}

async function whyNot(client: Client): Promise<Answer> {
  const known = await database.findClient(client.clientId);
  return refused(known && sameBytes(known.secret_mac, client.secretMac) ? 'invalid_grant' : 'invalid_client');
}

function issued({ user_id: sub, scope, resource: aud }: Granted, head?: Place, jkt?: string): Answer {
  const body = {
    access_token: accessToken(issuer, { sub, aud, scope, ...(head && { grantId: head.grantId }), ...(jkt && { jkt }) }),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: head && refreshTokenOf(head),
    scope,
  };
  return { status: 200, body };
}

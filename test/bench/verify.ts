/** Before anything is measured: each server does it right. What is refused or wrong must never pass for fast. */
import assert from 'node:assert/strict';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { ask, type TokenAnswer } from './load.ts';
import { clientCredentials, exchangeFields, refreshFields } from './scenarios.ts';
import { ACCESS_TOKEN_SECONDS, CLIENT_ID, RESOURCE, SCOPE, SUBJECT_ID, VERIFIER } from './setting.ts';
import type { Target } from './targets/target.ts';

type Tokens = { readonly access_token: string; readonly refresh_token: string };

/** @throws Error naming the server and what it did. */
export async function verify(target: Target): Promise<void> {
  try {
    await verifyClientCredentials(target);
    await verifyChain(target);
  } catch (error) {
    throw new Error(`${target.name} does not do what is to be measured.`, { cause: error });
  }
}

async function verifyClientCredentials(target: Target): Promise<void> {
  const fields = clientCredentials.fields({ codes: [], heads: [], used: [] }, 0);
  const { access_token } = issued(await ask(target.tokenUrl, fields));
  await verifyAccessToken(target, access_token, CLIENT_ID);
  assert.equal((await ask(target.tokenUrl, fields, 'a wrong secret')).status, 401, 'a wrong secret');
}

async function verifyChain(target: Target): Promise<void> {
  const [code, replayed] = await target.seedCodes(2);
  const send = (fields: Readonly<Record<string, string>>) => ask(target.tokenUrl, fields);

  refused(await send(exchangeFields(code, `${VERIFIER}-not`)), 'a wrong verifier');
  const first = issued(await send(exchangeFields(code)));
  await verifyAccessToken(target, first.access_token, SUBJECT_ID);
  const second = issued(await send(refreshFields(first.refresh_token)));
  await verifyAccessToken(target, second.access_token, SUBJECT_ID);
  assert.notEqual(second.refresh_token, first.refresh_token, 'a rotation makes a new refresh token');
  refused(await send(refreshFields(first.refresh_token)), 'a used refresh token');
  refused(await send(refreshFields(second.refresh_token)), 'the head of a chain that a reuse has ended');

  const { refresh_token } = issued(await send(exchangeFields(replayed)));
  refused(await send(exchangeFields(replayed)), 'a used code');
  refused(await send(refreshFields(refresh_token)), 'the head of a chain whose code came twice');
}

function issued({ status, text, cacheControl }: TokenAnswer): Tokens {
  assert.equal(status, 200, text);
  assert.equal(cacheControl, 'no-store');
  const answer = JSON.parse(text) as Tokens & { token_type: string; expires_in: number; scope: string };
  assert.equal(answer.token_type, 'Bearer');
  assert.equal(answer.expires_in, ACCESS_TOKEN_SECONDS);
  assert.equal(answer.scope, SCOPE.join(' '));
  return answer;
}

function refused({ status, text }: TokenAnswer, what: string): void {
  assert.equal(status, 400, `${what}: ${text}`);
  assert.equal((JSON.parse(text) as { error: string }).error, 'invalid_grant', what);
}

/** RFC 9068. */
async function verifyAccessToken({ jwksUrl }: Target, token: string, subject: string): Promise<void> {
  const keys = createLocalJWKSet((await (await fetch(jwksUrl)).json()) as JSONWebKeySet);
  const { payload } = await jwtVerify(token, keys, {
    algorithms: ['ES256'],
    typ: 'at+jwt',
    audience: RESOURCE,
    subject,
    requiredClaims: ['iss', 'jti', 'iat', 'exp'],
  });
  assert.equal(payload['client_id'], CLIENT_ID);
  assert.equal(payload['scope'], SCOPE.join(' '));
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), ACCESS_TOKEN_SECONDS);
}

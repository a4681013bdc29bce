/** Before any measurement: each server gives correct answers. An error must never pass for a fast answer. */
import assert from 'node:assert/strict';
import { openConnections, type Reply, type Send } from './http.ts';
import { clientCredentialsFields, clientRequest, exchangeFields, type Fields, refreshFields } from './requests.ts';
import { signInAndAllow } from './scenarios/first-sign-in.ts';
import { CLIENT_ID, SUBJECT_ID, VERIFIER } from './setting.ts';
import type { Target } from './targets/target.ts';
import { verifyAuthorization } from './verify-authorization.ts';
import { issued, refused, verifyAccessToken } from './verify-tokens.ts';

/** @throws Error naming the server and what it did. */
export async function verify(target: Target): Promise<void> {
  const { send, close } = openConnections(1);
  try {
    await verifyClientCredentials(target, send);
    await verifyChain(target, send);
    await verifyAuthorization(target, send);
    await verifyFirstSignIn(target, send);
  } catch (error) {
    throw new Error(`${target.name} does not do what is to be measured.`, { cause: error });
  } finally {
    close();
  }
}

async function verifyClientCredentials(target: Target, send: Send): Promise<void> {
  const ask = (secret?: string) => send(clientRequest(target.tokenUrl, clientCredentialsFields, secret));
  const { access_token } = issued(await ask());
  await verifyAccessToken(target, access_token, CLIENT_ID);
  assert.equal((await ask('a wrong secret')).status, 401, 'a wrong secret');
}

async function verifyChain(target: Target, to: Send): Promise<void> {
  const [code = '', replayed = ''] = await target.seedCodes(2);
  const send = (fields: Fields) => to(clientRequest(target.tokenUrl, fields));
  const isActive = introspects(target, to);

  refused(await send(exchangeFields(code, `${VERIFIER}-not`)), 'a wrong verifier');
  const first = issued(await send(exchangeFields(code)));
  await verifyAccessToken(target, first.access_token, SUBJECT_ID);
  const second = issued(await send(refreshFields(first.refresh_token)));
  await verifyAccessToken(target, second.access_token, SUBJECT_ID);
  assert.notEqual(second.refresh_token, first.refresh_token, 'a rotation makes a new refresh token');
  await isActive(second.access_token, true);
  refused(await send(refreshFields(first.refresh_token)), 'a used refresh token');
  refused(await send(refreshFields(second.refresh_token)), 'the head of a chain that a reuse has ended');
  await isActive(second.access_token, false);

  const { refresh_token } = issued(await send(exchangeFields(replayed)));
  refused(await send(exchangeFields(replayed)), 'a used code');
  refused(await send(refreshFields(refresh_token)), 'the head of a chain whose code came twice');
}

/** @returns a check of what the introspection endpoint says; of nothing where there is none. */
function introspects({ introspectionUrl: url }: Target, send: Send) {
  return async (token: string, active: boolean): Promise<void> => {
    if (url === undefined) return;
    const answerOf = async (sent: string, secret?: string): Promise<Reply> =>
      send(clientRequest(url, { token: sent }, secret));
    const { status, text } = await answerOf(token);
    assert.equal(status, 200, text);
    const answer = JSON.parse(text) as { active: boolean; sub?: string; client_id?: string };
    assert.equal(answer.active, active);
    assert.equal(answer.sub, active ? SUBJECT_ID : undefined);
    assert.equal(answer.client_id, active ? CLIENT_ID : undefined);
    const middle = Math.floor(token.length / 2);
    const forged = `${token.slice(0, middle)}${token[middle] === 'A' ? 'B' : 'A'}${token.slice(middle + 1)}`;
    assert.equal(JSON.parse((await answerOf(forged)).text).active, false, 'a forged token');
    assert.equal((await answerOf(token, 'a wrong secret')).status, 401, 'introspection with a wrong secret');
  };
}

async function verifyFirstSignIn(target: Target, send: Send): Promise<void> {
  const [username] = (await target.seedNewUsers?.(1)) ?? [];
  if (username === undefined) return;
  const code = await signInAndAllow(send, target.authorizeUrl ?? '', username);
  issued(await send(clientRequest(target.tokenUrl, exchangeFields(code))));
}

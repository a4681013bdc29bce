/** The authorization endpoint: a code for the signed-in browser and its end-user, and for no other. */
import assert from 'node:assert/strict';
import type { SignedIn } from './browser.ts';
import type { Send } from './http.ts';
import {
  authorizationResponse,
  authorizeUrl,
  clientRequest,
  codeOf,
  exchangeFields,
  type Fields,
  refreshFields,
} from './requests.ts';
import { VERIFIER } from './setting.ts';
import type { Target } from './targets/target.ts';
import { issued, refused, verifyAccessToken } from './verify-tokens.ts';

export async function verifyAuthorization(target: Target, send: Send): Promise<void> {
  const { authorizeUrl: endpoint, seedBrowsers } = target;
  if (endpoint === undefined || seedBrowsers === undefined) return;
  const ask = (cookie: string, change?: Fields) => send({ url: authorizeUrl(endpoint, change), cookie });
  const exchange = (code: string, verifier?: string) =>
    send(clientRequest(target.tokenUrl, exchangeFields(code, verifier)));
  const [first, second, third] = (await seedBrowsers(3)) as readonly [SignedIn, SignedIn, SignedIn];

  for (const { cookie, userId } of [first, second]) {
    const reply = await ask(cookie);
    const parameters = authorizationResponse(reply);
    assert.equal(parameters?.get('state'), 'the-state-of-the-client');
    assert.ok(parameters?.get('iss'), 'RFC 9207: the response says who answers');
    const code = codeOf(reply);
    refused(await exchange(code, `${VERIFIER}-not`), 'a wrong verifier');
    const { access_token, refresh_token } = issued(await exchange(code));
    await verifyAccessToken(target, access_token, userId);
    refused(await exchange(code), 'a used code');
    refused(await send(clientRequest(target.tokenUrl, refreshFields(refresh_token))), 'a chain whose code came twice');
  }

  // A used code may have ended the consent, too.
  const { cookie } = third;
  const [again, andAgain] = [codeOf(await ask(cookie)), codeOf(await ask(cookie))];
  assert.notEqual(again, andAgain, 'each authorization has a code of its own');
  await yieldsNoCode('no cookie', '');
  await yieldsNoCode('another cookie', `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`);
  await yieldsNoCode('no code challenge', cookie, { code_challenge: '' });
  await yieldsNoCode('another response type', cookie, { response_type: 'token' });
  const elsewhere = { redirect_uri: 'https://client.test/elsewhere' };
  await yieldsNoCode('another redirect URI', cookie, elsewhere);
  assert.equal(
    (await ask(cookie, elsewhere)).headers.location,
    undefined,
    'no browser is sent to another redirect URI',
  );

  async function yieldsNoCode(what: string, sent: string, change?: Fields): Promise<void> {
    assert.equal(authorizationResponse(await ask(sent, change))?.get('code') ?? null, null, what);
  }
}

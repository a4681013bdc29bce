/** Sign-out without HTTP: the session that ends, the confirmation, and the final redirect. */
import { describe, expect, it } from 'vitest';
import { signIdToken } from '../../../src/crypto/id-token.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import type { Client } from '../../../src/model/client.ts';
import type { Session } from '../../../src/model/session.ts';
import {
  decideLogout,
  handleLogoutRequest,
  handleLogoutRequestByPost,
  type LogoutDeps,
} from '../../../src/protocol/logout.ts';
import { rememberedRefusals } from '../../support/sign-in-ledger.ts';
import { COOKIE, ISSUER, keyRing, SID, session, sessionsInMemory } from './memory.ts';
import { client, configuration } from './ports.ts';

const OUT = 'https://shop.test/out';
const ALICE = session().userId;
const shop = client();
const introducedItself = client({ clientId: 'itself', registeredBy: 'self' });

const hint = (change: { sub?: string; sid?: string; iss?: string } = {}) =>
  signIdToken(keyRing.signerOf('ES256'), { iss: ISSUER, sub: ALICE, aud: 'shop', sid: SID, ...change } as never);

function given(stored: readonly Session[] = [session()], clients: readonly Client[] = [shop, introducedItself]) {
  const { done, sessions } = sessionsInMemory(stored);
  const deps: LogoutDeps = {
    random: systemRandom,
    configuration: () => configuration(),
    sleep: async () => {},
    sessions,
    factorsOf: async () => ({ hasApp: false, hasPasskey: false, hasPassword: false }),
    signInLedger: rememberedRefusals(),
    issuer: ISSUER,
    keyRing,
    findClient: async (clientId) => clients.find((one) => one.clientId === clientId) ?? null,
  };
  return { deps, done };
}
const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
const back = { client_id: 'shop', post_logout_redirect_uri: OUT, state: 'as it came' };
const backIs = `${OUT}?state=as+it+came`;

describe('a request for sign-out', () => {
  it('is executed without confirmation with an ID Token of this session', async () => {
    const { deps, done } = given();
    expect(await handleLogoutRequest(deps, query({ ...back, id_token_hint: hint() }), COOKIE)).toEqual({
      kind: 'signedOut',
      clientId: 'shop',
      userId: ALICE,
      next: backIs,
    });
    expect(done).toEqual([`signed_out ${SID}`]);
  });

  it.each<[string, Record<string, string>]>([
    ['no ID Token', {}],
    ['an ID Token of another session', { id_token_hint: hint({ sid: 'another' }) }],
    ['an ID Token of another end-user', { id_token_hint: hint({ sub: 'bob' }) }],
  ])('needs confirmation with %s, and ends nothing', async (_, parameters) => {
    const { deps, done } = given();
    expect(await handleLogoutRequest(deps, query({ ...back, ...parameters }), COOKIE)).toEqual({
      kind: 'ask',
      formPurpose: `logout of ${SID}`,
      username: 'alice',
      request: { client: shop, redirectUri: OUT, state: 'as it came' },
    });
    expect(done).toEqual([]);
  });

  it('needs confirmation where no client is named', async () => {
    expect(await handleLogoutRequest(given().deps, '', COOKIE)).toMatchObject({
      kind: 'ask',
      request: { client: null, redirectUri: null, state: null },
    });
  });

  it.each<[string, Record<string, string>, string | null, string | null]>([
    ['to where the client asks', back, 'shop', backIs],
    ['nowhere for a client that introduced itself', { ...back, client_id: 'itself' }, 'itself', null],
    ['nowhere without a client', {}, null, null],
  ])('without a session sends the browser %s', async (_, parameters, clientId, next) => {
    const outcome = { kind: 'notSignedIn', clientId, next };
    expect(await handleLogoutRequest(given().deps, query(parameters), null)).toEqual(outcome);
    const { deps } = given();
    const isOurForm = () => false;
    expect(await decideLogout(deps, { encoded: query(parameters), cookie: null, isOurForm })).toEqual(outcome);
  });

  const forged = { id_token_hint: hint({ iss: 'https://elsewhere.test' }), client_id: 'shop' };
  const refused = { kind: 'refused', reason: 'id_token_hint_unknown', clientId: 'shop' };
  it('with an ID Token of another server ends nothing, by either method', async () => {
    const { deps, done } = given();
    const encoded = query(forged);
    expect(await handleLogoutRequest(deps, encoded, COOKIE)).toEqual(refused);
    expect(await handleLogoutRequestByPost(deps, encoded)).toEqual(refused);
    const form = { encoded: `${encoded}&decision=approve`, cookie: COOKIE, isOurForm: () => true };
    expect(await decideLogout(deps, form)).toEqual(refused);
    expect(done).toEqual([]);
  });

  it('by POST is repeated by GET, without unknown parameters', async () => {
    expect(await handleLogoutRequestByPost(given().deps, `${query(back)}&more=x`)).toEqual({
      kind: 'repeatByGet',
      query: query(back),
    });
  });
});

describe('the decision', () => {
  const decide = (
    { deps }: ReturnType<typeof given>,
    encoded: string,
    isOurForm = (purpose: string): boolean => purpose === `logout of ${SID}`,
  ) => decideLogout(deps, { encoded, cookie: COOKIE, isOurForm });

  it('to sign out ends the session and redirects', async () => {
    const test = given();
    expect(await decide(test, query({ ...back, csrf: 'x', decision: 'approve' }))).toEqual({
      kind: 'signedOut',
      clientId: 'shop',
      userId: ALICE,
      next: backIs,
    });
    expect(test.done).toEqual([`signed_out ${SID}`]);
  });

  it.each<[Record<string, string>, string | null, object | null]>([
    [back, 'shop', { name: 'Shop', href: backIs }],
    [{ client_id: 'shop' }, 'shop', null],
    [{}, null, null],
  ])('to stay, after %j, ends nothing and names the redirect', async (parameters, clientId, wayBack) => {
    const test = given();
    expect(await decide(test, query({ ...parameters, decision: 'deny' }))).toEqual({
      kind: 'staysSignedIn',
      clientId,
      userId: ALICE,
      username: 'alice',
      back: wayBack,
    });
    expect(test.done).toEqual([]);
  });

  it.each(['decision=approve&decision=approve', 'decision=approve&csrf=1&csrf=2'])(
    'that is sent as %s is malformed',
    async (encoded) => {
      const test = given();
      expect(await decide(test, encoded)).toMatchObject({ kind: 'refused', reason: 'malformed_request' });
      expect(test.done).toEqual([]);
    },
  );

  it('by another form, or none of this page, ends nothing', async () => {
    const test = given();
    const refused = { kind: 'formRefused' };
    expect(await decide(test, 'decision=approve', (purpose) => purpose !== `logout of ${SID}`)).toEqual(refused);
    for (const encoded of ['', 'decision=', 'decision=yes']) expect(await decide(test, encoded)).toEqual(refused);
    expect(test.done).toEqual([]);
  });
});

/** From the authorization request to the redirect, on stores in memory: every outcome, and the data of each page. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Configuration } from '../../../src/config/configuration.ts';
import { readAuthorizationCode } from '../../../src/crypto/authorization-code.ts';
import { signIdToken } from '../../../src/crypto/id-token.ts';
import { hashPassword } from '../../../src/crypto/password.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import type { Client } from '../../../src/model/client.ts';
import type { Session } from '../../../src/model/session.ts';
import { type AuthorizeDeps, handleAuthorizationRequest } from '../../../src/protocol/authorize.ts';
import {
  chooseAccount,
  decideConsent,
  type InteractionDeps,
  signInToInteraction,
  viewInteraction,
} from '../../../src/protocol/interaction.ts';
import { openInteraction } from '../../../src/protocol/sealed-interaction.ts';
import { rememberedRefusals } from '../../support/sign-in-ledger.ts';
import {
  COOKIE,
  ISSUER,
  interactionsInMemory,
  keyRing,
  keys,
  noClientDocuments,
  noPushedRequests,
  session,
  sessionsInMemory,
} from './memory.ts';
import { API, at, client, configuration } from './ports.ts';

const CALLBACK = 'https://shop.test/cb';
const BROWSER = Buffer.from('the hash of the browser that began');
const PASSWORD = 'correct horse battery staple';
const passwordHash = hashPassword(rawSecret(PASSWORD));
const ALICE = session().userId;
const BOB = session({ userId: 'bob', username: 'bob' });

const VALID = {
  response_type: 'code',
  client_id: 'shop',
  redirect_uri: CALLBACK,
  scope: 'read',
  state: 'as it came',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};
const encode = (change: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({ ...VALID, ...change }).toString();

function given(
  options: {
    readonly client?: Partial<Client>;
    readonly sessions?: readonly Session[];
    readonly remembered?: { scope: string[]; resources: string[] } | null;
    readonly configuration?: Configuration;
    readonly second?: number;
    readonly meanwhile?: { load?: () => boolean; commit?: () => boolean };
  } = {},
) {
  const clients = [client(options.client)];
  const { sessions, rows: sessionRows } = sessionsInMemory(options.sessions ?? [], options.second ?? 10);
  const stored = interactionsInMemory(clients, {
    ...options,
    remembered: options.remembered ? { ...options.remembered, grantedAt: at(0) } : null,
    sessions: sessionRows,
  });
  const line = { run: async <T>(_: unknown, job: () => Promise<T>) => ({ kind: 'done', value: await job() }) as const };
  const deps: AuthorizeDeps & InteractionDeps = {
    issuer: ISSUER,
    keys,
    keyRing,
    publishedKeys: { at: async () => null },
    idOfSub: async (sub) => sub,
    random: systemRandom,
    configuration: () => options.configuration ?? configuration(),
    factorsOf: async () => ({ hasApp: false, hasPasskey: false, hasPassword: false }),
    signInLedger: rememberedRefusals(),
    sleep: async () => {},
    sessions,
    interactions: stored.interactions,
    pushedRequests: noPushedRequests,
    ...noClientDocuments,
    users: {
      keyOf: (username) => username,
      accountKeyOf: async (typed) => typed,
      findToVerify: async () => null,
      rehashed: async () => {},
      findForSignIn: async (username) => ({
        id: ALICE,
        username,
        epoch: 1n,
        serverEpoch: 1n,
        claims: {},
        disabledAt: null,
        sub: null,
        passwordByLinkAt: null,
        passwordHash: await passwordHash,
      }),
    },
    signInFailures: {
      forget: async () => {},
      recentOf: async () => ({ now: new Date(0), failures: [] }),
      count: async () => [1, 1, 1],
    },
    signInCapacity: { attempts: line as never, hashes: line as never },
    findLogo: async (uri) => `hash of ${uri}`,
  };
  return { deps, clients, sessionRows, ...stored };
}
type Given = ReturnType<typeof given>;

const request = ({ deps }: Given, change: Readonly<Record<string, string>> = {}, cookie: Buffer | null = COOKIE) =>
  handleAuthorizationRequest(deps, {
    encoded: encode(change),
    address: () => '198.51.100.7',
    cookies: { browser: BROWSER, session: cookie },
  });

async function begin(test: Given, change: Readonly<Record<string, string>> = {}, cookie: Buffer | null = COOKIE) {
  const outcome = await request(test, change, cookie);
  if (outcome.kind !== 'continued') throw new Error(`did not begin: ${outcome.kind}`);
  const { interactionId: id, sealed } = outcome;
  return { id, sealed, browser: BROWSER, session: cookie, isOurForm: (purpose: string) => purpose === id };
}
const view = ({ deps }: Given, asked: Awaited<ReturnType<typeof begin>>, wantsAnotherAccount = false) =>
  viewInteraction(deps, { ...asked, wantsAnotherAccount });

const selfRegistration = configuration({
  registration: {
    dynamicRegistration: {
      access: 'open',
      scopes: ['read'],
      resources: [API],
      policy: 'default',
      registrationsPerHour: 10,
      maxRegistrations: 10,
      unusedDays: 1,
    },
  },
});

describe('an authorization request', () => {
  it('leads to the sign-in form, and stores nothing', async () => {
    const test = given();
    const outcome = await request(test, { login_hint: 'al', nonce: 'n', max_age: '60', prompt: 'login consent' }, null);
    expect(outcome).toEqual({
      kind: 'continued',
      interactionId: expect.any(String),
      clientId: 'shop',
      sealed: expect.any(String),
      reason: null,
    });
    expect(test.rows.size).toBe(0);
    if (outcome.kind !== 'continued') throw new Error(outcome.kind);
    expect(openInteraction(keys, outcome.interactionId, outcome.sealed ?? '')).toEqual({
      id: outcome.interactionId,
      browserHash: BROWSER,
      clientId: 'shop',
      clientEpoch: 1n,
      redirectUri: CALLBACK,
      codeChallenge: VALID.code_challenge,
      dpopJkt: null,
      scope: ['read'],
      resources: [API],
      requestState: 'as it came',
      nonce: 'n',
      prompt: ['login', 'consent'],
      maxAgeSeconds: 60,
      requiredClass: null,
      hintedUserId: null,
      uiLocales: [],
      loginHint: 'al',
      responseMode: 'query',
      createdAt: at(10),
      endsAt: at(610),
    });
  });

  it('leads to the consent of the signed-in end-user', async () => {
    const test = given({ sessions: [session()] });
    expect(await request(test)).toMatchObject({ kind: 'continued', sealed: null, reason: null });
    expect([...test.rows.values()]).toMatchObject([{ interaction: { state: 'awaitingConsent', userId: ALICE } }]);
    expect(test.askedFor).toEqual([ALICE]);
  });

  it('gets a code immediately where consent is remembered', async () => {
    const remembered = { scope: ['read'], resources: [API] };
    const test = given({ sessions: [session()], remembered });
    const outcome = await request(test, { response_mode: 'form_post' });
    expect(outcome).toEqual({
      kind: 'approved',
      interactionId: expect.any(String),
      clientId: 'shop',
      response: {
        redirectUri: CALLBACK,
        transport: 'form_post',
        parameters: { code: expect.any(String), state: 'as it came', iss: ISSUER },
      },
    });
    const code = outcome.kind === 'approved' ? outcome.response.parameters['code'] : undefined;
    const [approval] = test.approvals;
    expect(readAuthorizationCode(code ?? '')).toEqual({
      grantId: approval?.loaded.id,
      secretHash: approval?.codeHash,
    });
    expect(approval).toMatchObject({ codeEndsAt: at(70), endsAt: at(610), policy: 'default', reliesOn: 'consent' });
  });

  it.each<[string, Partial<Session>, number | undefined, number]>([
    ['its own end', { endsAt: at(500) }, undefined, 500],
    ['the end of its idle time', { lastUsedAt: at(5) }, 100, 105],
  ])('is approved no later than the end of the session: %s', async (_, change, idle, second) => {
    const { signIn } = configuration();
    const test = given({
      sessions: [session(change)],
      remembered: { scope: ['read'], resources: [API] },
      configuration: configuration({ signIn: { ...signIn, sessionIdleLifetimeSeconds: idle } }),
    });
    expect(await request(test)).toMatchObject({ kind: 'approved' });
    expect(test.approvals).toMatchObject([{ endsAt: at(second) }]);
  });

  it.each<[string, Record<string, string>, object]>([
    ['without a sign-in', {}, { error: 'login_required', cookie: null }],
    ['without a consent', {}, { error: 'consent_required', cookie: COOKIE }],
  ])('that forbids pages gets the error %s', async (_, change, expected) => {
    const { error, cookie } = expected as { error: string; cookie: Buffer | null };
    const description = {
      login_required:
        'The resource owner has to sign in: there is no sign-in, it was too long ago, too weak, or by another end-user.',
      consent_required: 'The resource owner has to consent.',
    }[error];
    const test = given({ sessions: [session()] });
    expect(await request(test, { prompt: 'none', ...change }, cookie)).toEqual({
      kind: 'denied',
      interactionId: expect.any(String),
      clientId: 'shop',
      error,
      response: {
        redirectUri: CALLBACK,
        transport: 'query',
        parameters: { error, error_description: description, state: 'as it came', iss: ISSUER },
      },
    });
    // RFC 9700 §4.11.2: no browser is sent to a self-registered client before its user has acted.
    const unvetted = given({
      sessions: [session()],
      client: { registeredBy: 'self' },
      configuration: selfRegistration,
    });
    expect(await request(unvetted, { prompt: 'none', ...change }, cookie)).toEqual({
      kind: 'shownLocally',
      clientId: 'shop',
      interactionId: expect.any(String),
      reason: error,
      detail: description,
    });
  });

  it('of a self-registered client continues as any other when it is valid', async () => {
    const test = given({ sessions: [session()], client: { registeredBy: 'self' }, configuration: selfRegistration });
    expect(await request(test)).toMatchObject({ kind: 'continued' });
  });

  it('with an error is redirected to the client, or shown locally for a self-registered one', async () => {
    const facts = { clientId: 'shop', reason: 'scope_unknown', detail: 'fly: a scope is unknown', scope: 'fly' };
    expect(await request(given(), { scope: 'fly', response_mode: 'form_post' })).toEqual({
      kind: 'invalid',
      ...facts,
      response: {
        redirectUri: CALLBACK,
        transport: 'form_post',
        parameters: {
          error: 'invalid_scope',
          error_description: 'fly: a scope is unknown',
          state: 'as it came',
          iss: ISSUER,
        },
      },
    });
    expect(
      await request(given({ client: { registeredBy: 'self' }, configuration: selfRegistration }), { scope: 'fly' }),
    ).toEqual({
      kind: 'shownLocally',
      ...facts,
    });
    const unsupported = await request(given(), { response_type: 'token' });
    expect(unsupported).not.toHaveProperty('scope');
    expect(unsupported).toMatchObject({ response: { parameters: { error: 'unsupported_response_type' } } });
  });

  it('is not redirected before client and redirect URI are verified', async () => {
    const wrong = { redirect_uri: `${CALLBACK}2`, response_type: 'token' };
    expect(await request(given(), wrong)).toEqual({
      kind: 'unverified',
      reason: 'redirect_uri_mismatch',
      clientId: 'shop',
      registered: [CALLBACK],
      received: `${CALLBACK}2`,
    });
  });

  it('without cookies is repeated by GET, once it is valid', async () => {
    const { deps } = given();
    const call = (change: Readonly<Record<string, string>>) =>
      handleAuthorizationRequest(deps, { encoded: encode(change), address: () => '198.51.100.7', cookies: null });
    expect(await call({ more: 'x' })).toEqual({ kind: 'repeatByGet', query: encode() });
    expect(await call({ response_type: 'token' })).toMatchObject({ kind: 'invalid' });
  });

  it('that does not fit into a URL is rejected, in any session', async () => {
    const text = (bytes: number) => randomBytes(bytes).toString('base64url');
    const redirect = `${CALLBACK}?${text(1500)}`;
    const scope = text(750);
    const long = { state: text(3000), nonce: text(750), redirect_uri: redirect, scope };
    for (const cookie of [null, COOKIE]) {
      const test = given({
        client: { redirectUris: [redirect], scope: [scope] },
        sessions: [session()],
        remembered: { scope: [scope], resources: [API] },
      });
      expect(await request(test, long, cookie)).toMatchObject({
        kind: 'invalid',
        reason: 'request_too_long',
        detail: 'the parameters are too long together; state, nonce and login_hint can be shorter',
        response: { parameters: { error: 'invalid_request', state: long.state } },
      });
      expect(test.rows.size).toBe(0);
    }
  });

  it('that is long, but fits once it is compressed, gets a page', async () => {
    const test = given();
    const state = '"'.repeat(4000);
    const outcome = await request(test, { state }, null);
    expect(outcome).toMatchObject({ kind: 'continued', sealed: expect.any(String) });
    const { interactionId, sealed } = outcome as { interactionId: string; sealed: string };
    expect(openInteraction(keys, interactionId, sealed)?.requestState).toBe(state);
  });

  it('with an ID Token of this client is for the named end-user', async () => {
    const idToken = (claims: object) => signIdToken(keyRing.signerOf('ES256'), claims as never);
    const hint = idToken({ iss: ISSUER, sub: 'bob', aud: 'shop' });
    const silent = { id_token_hint: hint, prompt: 'none' };
    const remembered = { scope: ['read'], resources: [API] };
    expect(await request(given({ sessions: [session()], remembered }), silent)).toMatchObject({
      kind: 'denied',
      error: 'login_required',
    });
    expect(await request(given({ sessions: [BOB], remembered }), silent)).toMatchObject({ kind: 'approved' });
    const foreign = { ...silent, id_token_hint: idToken({ iss: 'https://elsewhere.test', sub: 'bob', aud: 'shop' }) };
    expect(await request(given({ sessions: [BOB], remembered }), foreign)).toMatchObject({
      kind: 'invalid',
      reason: 'id_token_hint_refused',
    });
  });
});

describe('the page of an interaction', () => {
  it('is the sign-in form, until the end-user has signed in', async () => {
    const test = given();
    const asked = await begin(test, { login_hint: 'al' }, null);
    expect(await view(test, asked)).toEqual({
      kind: 'signIn',
      interactionId: asked.id,
      sealed: asked.sealed,
      formPurpose: asked.id,
      clientName: 'Shop',
      username: 'al',
      account: null,
      again: null,
    });
    expect(await view(test, await begin(test, {}, null))).toMatchObject({ username: '' });
  });

  it('offers the signed-in account, where the client requests a choice', async () => {
    const test = given({ sessions: [session()] });
    expect(await view(test, await begin(test, { prompt: 'select_account' }))).toMatchObject({
      kind: 'signIn',
      account: 'alice',
    });
  });

  it.each<[change: Readonly<Record<string, string>>, isMeant: boolean, wantsAnother?: boolean]>([
    [{ prompt: 'login' }, true],
    [{ max_age: '0' }, true],
    [{ prompt: 'login' }, false, true],
    [{ prompt: 'login', login_hint: 'bob' }, false],
    [{ prompt: 'select_account login' }, false],
  ])('names the end-user who has to sign in again, where the client means no other: %j %s', async (...given_) => {
    const [change, isMeant, wantsAnother = false] = given_;
    const test = given({ sessions: [session()] });
    const shown = await view(test, await begin(test, change), wantsAnother);
    expect(shown).toMatchObject({ kind: 'signIn', account: null });
    expect(shown).toMatchObject({ again: isMeant ? { userId: session().userId, username: 'alice' } : null });
  });

  it('names no end-user to sign in again, where id_token_hint names another', async () => {
    const hint = await signIdToken(keyRing.signerOf('ES256'), { iss: ISSUER, sub: 'bob', aud: 'shop' } as never);
    const test = given({ sessions: [session()] });
    expect(await view(test, await begin(test, { id_token_hint: hint }))).toMatchObject({ kind: 'signIn', again: null });
  });

  it('is the consent of the signed-in end-user', async () => {
    const test = given({ sessions: [session()] });
    const asked = await begin(test);
    expect(asked.sealed).toBeNull();
    expect(await view(test, asked)).toEqual({
      kind: 'consent',
      interactionId: asked.id,
      sealed: null,
      formPurpose: asked.id,
      clientName: 'Shop',
      userId: session().userId,
      username: 'alice',
      about: { logo: null, terms: null, policy: null },
      redirectUri: CALLBACK,
      describedAt: null,
      registeredItself: false,
      onThisDevice: false,
      access: [{ resource: 'API', scopes: [{ name: 'read', description: 'see your data' }] }],
      whileAway: true,
      rememberedForSeconds: null,
    });
    // The end-user of the page wants another account: the sign-in form.
    expect(await view(test, asked, true)).toMatchObject({ kind: 'signIn', sealed: null });
  });

  it.each<[redirectUris: string[], boolean]>([
    [[CALLBACK], false],
    [[CALLBACK, 'http://127.0.0.1/cb'], false],
    [['http://127.0.0.1/cb', 'http://[::1]/cb'], true],
  ])('for a client of %j shows that it is on this device: %s', async (redirectUris, onThisDevice) => {
    const test = given({ sessions: [session()], client: { redirectUris, applicationType: 'native' } });
    const asked = await begin(test, { redirect_uri: redirectUris.at(-1) ?? '' });
    expect(await view(test, asked)).toMatchObject({ kind: 'consent', onThisDevice });
  });

  it('shows no offline access, for a client that cannot refresh', async () => {
    const test = given({ sessions: [session()], client: { grantTypes: ['authorization_code'] } });
    expect(await view(test, await begin(test))).toMatchObject({ whileAway: false });
  });

  it('reveals nothing of it to another end-user', async () => {
    const test = given({ sessions: [session(), { ...BOB, idHash: Buffer.from('of bob'), sid: 'of bob' }] });
    const asked = await begin(test);
    const ids = { interactionId: asked.id, clientId: 'shop' };
    const completed = { kind: 'refused', ...ids, reason: 'interaction_completed' };
    expect(await view(test, { ...asked, session: Buffer.from('of bob') })).not.toMatchObject({ kind: 'consent' });
    await decideConsent(test.deps, { ...asked, decision: 'deny' });
    expect(await view(test, asked)).toEqual(completed);
  });

  it('of a stored interaction has no seal of another', async () => {
    const test = given({ sessions: [session()] });
    const asked = await begin(test);
    expect(await view(test, { ...asked, sealed: 'x' })).toEqual({ kind: 'refused', reason: 'interaction_unknown' });
  });

  it('expires', async () => {
    const test = given();
    const asked = await begin(test, {}, null);
    test.clock.second = 610;
    expect(await view(test, asked)).toEqual({
      kind: 'refused',
      interactionId: asked.id,
      clientId: 'shop',
      reason: 'interaction_expired',
    });
  });

  it.each<[string, Partial<Client>]>([
    ['lost the redirect URI', { redirectUris: ['https://shop.test/new'] }],
    ['lost the grant type', { grantTypes: ['client_credentials'] }],
    ['was deleted', { deletedAt: at(1) }],
    ['was registered again', { epoch: 2n }],
  ])('ends with a client that %s', async (_, change) => {
    const test = given();
    const asked = await begin(test, {}, null);
    test.clients[0] = client(change);
    expect(await view(test, asked)).toMatchObject({ kind: 'refused', reason: 'client_ended' });
  });

  it.each<[string, object, object]>([
    ['another id', { id: '00000000-0000-4000-8000-00000000000f' }, { reason: 'interaction_unknown' }],
    ['another seal', { sealed: 'x' }, { reason: 'interaction_unknown' }],
    ['no seal', { sealed: null }, { reason: 'interaction_unknown' }],
    ['another browser', { browser: Buffer.alloc(BROWSER.length) }, { reason: 'another_browser' }],
    ['a browser without its cookie', { browser: null }, { reason: 'another_browser' }],
  ])('is rejected with %s', async (_, change, refused) => {
    const test = given();
    const asked = await begin(test, {}, null);
    const interactionId = refused && 'reason' in refused && refused.reason === 'another_browser';
    const expected = { kind: 'refused', ...refused, ...(interactionId && { interactionId: asked.id }) };
    for (const isOurForm of [() => true, () => false]) {
      const changed = { ...asked, ...change, isOurForm };
      expect(await view(test, changed)).toEqual(expected);
      expect(await signInToInteraction(test.deps, { ...changed, form: form() })).toEqual(expected);
      expect(await chooseAccount(test.deps, changed)).toEqual(expected);
      expect(await decideConsent(test.deps, { ...changed, decision: 'approve' })).toEqual(expected);
    }
    expect([test.rows.size, test.sessionRows.length]).toEqual([0, 0]);
  });
});

describe('during an interaction', () => {
  const unknown = { kind: 'refused', reason: 'interaction_unknown' };

  it('housekeeping may remove it while the end-user signs in: it is unknown', async () => {
    let loads = 0;
    const test = given({ sessions: [session()], meanwhile: { load: () => ++loads % 2 === 0 } });
    const asked = await begin(test);
    const signedIn = await signInToInteraction(test.deps, { ...asked, form: form() });
    expect(signedIn).toMatchObject({ kind: 'signedIn', step: unknown });
    expect(test.approvals).toEqual([]);
  });

  it('the server reads it once, with the consent of the end-user', async () => {
    let loads = 0;
    const test = given({ sessions: [session()], meanwhile: { load: () => ++loads === 0 } });
    const asked = await begin(test);
    expect(await view(test, asked)).toMatchObject({ kind: 'consent' });
    expect(loads).toBe(1);
    expect(await decideConsent(test.deps, { ...asked, decision: 'approve' })).toMatchObject({ kind: 'approved' });
    expect(loads).toBe(2);
  });

  it.each<[string, Partial<Session>, object]>([
    ['lives on', {}, { kind: 'approved' }],
    ['ends', { state: 'ended', endedReason: 'signed_out' }, { kind: 'continued', reason: 'user_changed' }],
  ])('a lost commit is repeated with the current session: it %s', async (_, change, outcome) => {
    let commits = 0;
    const test = given({
      sessions: [session()],
      meanwhile: {
        commit: () => {
          test.sessionRows[0] = session(++commits === 2 ? change : {});
          return commits === 2;
        },
      },
    });
    const asked = await begin(test);
    expect(await decideConsent(test.deps, { ...asked, decision: 'approve' })).toMatchObject(outcome);
  });
});

const form = (password = PASSWORD) => ({
  username: 'alice',
  password,
  address: '192.0.2.1',
  cookie: { old: null, new: COOKIE, browser: BROWSER },
  device: { cookie: null, remember: () => {} },
  userAgent: null,
  gone: new AbortController().signal,
});

describe('a form of an interaction', () => {
  it('for another purpose has no effect', async () => {
    const test = given({ sessions: [session()] });
    const asked = { ...(await begin(test)), isOurForm: (purpose: string) => purpose === 'sign-in' };
    const refused = { kind: 'refused', reason: 'form_refused', interactionId: asked.id };
    expect(await signInToInteraction(test.deps, { ...asked, form: form() })).toEqual(refused);
    expect(await chooseAccount(test.deps, asked)).toEqual(refused);
    expect(await decideConsent(test.deps, { ...asked, decision: 'approve' })).toEqual(refused);
    expect(test.approvals).toEqual([]);
    expect(test.sessionRows).toHaveLength(1);
  });

  it('signs in, and leads to the consent', async () => {
    const test = given();
    const asked = await begin(test, {}, null);
    expect(await signInToInteraction(test.deps, { ...asked, form: form() })).toEqual({
      kind: 'signedIn',
      userId: ALICE,
      step: { kind: 'continued', interactionId: asked.id, clientId: 'shop', sealed: null, reason: null },
    });
    expect(await view(test, { ...asked, sealed: null, session: COOKIE })).toMatchObject({ kind: 'consent' });
  });

  it('with a wrong password comes back, without an account to choose', async () => {
    const test = given({ sessions: [session()] });
    const asked = await begin(test, { prompt: 'select_account' });
    expect(await signInToInteraction(test.deps, { ...asked, form: form('wrong') })).toEqual({
      kind: 'signInRefused',
      refused: { kind: 'signInRefused', reason: 'credentials_mismatch', username: 'alice', retryAfterSeconds: null },
      view: {
        kind: 'signIn',
        interactionId: asked.id,
        sealed: asked.sealed,
        formPurpose: asked.id,
        clientName: 'Shop',
        username: 'alice',
        account: null,
        again: null,
      },
    });
    expect(test.rows.size).toBe(0);
  });

  it('chooses the signed-in account', async () => {
    const test = given({ sessions: [session()] });
    const asked = await begin(test, { prompt: 'select_account' });
    const step = { interactionId: asked.id, clientId: 'shop' };
    expect(await chooseAccount(test.deps, asked)).toEqual({ kind: 'continued', ...step, sealed: null, reason: null });
    const signedOut = { ...(await begin(test, { prompt: 'select_account' })), session: null };
    expect(await chooseAccount(test.deps, signedOut)).toEqual({
      kind: 'signInInstead',
      interactionId: signedOut.id,
      clientId: 'shop',
      sealed: signedOut.sealed,
    });
  });

  it.each<[decision: string, object]>([
    ['approve', { kind: 'approved', response: { parameters: { state: 'as it came', iss: ISSUER } } }],
    [
      'deny',
      {
        kind: 'denied',
        error: 'access_denied',
        response: {
          parameters: {
            error: 'access_denied',
            error_description: 'The resource owner or authorization server denied the request.',
            state: 'as it came',
            iss: ISSUER,
          },
        },
      },
    ],
  ])('decides: %s', async (decision, outcome) => {
    const test = given({ sessions: [session()] });
    const asked = await begin(test);
    const ids = { interactionId: asked.id, clientId: 'shop' };
    const decided = await decideConsent(test.deps, { ...asked, decision });
    expect(decided).toMatchObject({ ...ids, ...outcome });
    expect(test.approvals).toHaveLength(decision === 'approve' ? 1 : 0);
    // A double click gets the same answer.
    expect(await decideConsent(test.deps, { ...asked, decision })).toEqual(decided);
    expect(test.approvals).toHaveLength(decision === 'approve' ? 1 : 0);
  });

  it('rejects a decision with another word, or without one', async () => {
    const test = given({ sessions: [session()] });
    const asked = await begin(test);
    for (const decision of [null, '', 'consented', 'Approve']) {
      expect(await decideConsent(test.deps, { ...asked, decision })).toEqual({
        kind: 'refused',
        reason: 'form_refused',
        interactionId: asked.id,
      });
    }
    expect(test.approvals).toEqual([]);
  });

  it.each<[string, (test: Given) => void, string]>([
    [
      'its code has ended',
      (test) => {
        test.clock.second = 70;
      },
      'interaction_completed',
    ],
    [
      'its client has ended',
      (test) => {
        test.clients[0] = client({ epoch: 2n });
      },
      'client_ended',
    ],
  ])('makes no second decision once %s', async (_, change, reason) => {
    const test = given({ sessions: [session()] });
    const asked = await begin(test);
    await decideConsent(test.deps, { ...asked, decision: 'approve' });
    change(test);
    expect(await decideConsent(test.deps, { ...asked, decision: 'approve' })).toEqual({
      kind: 'refused',
      interactionId: asked.id,
      clientId: 'shop',
      reason,
    });
    expect(test.approvals).toHaveLength(1);
  });

  it('answers without a state where none was sent', async () => {
    const test = given({ sessions: [session()] });
    const asked = await begin(test, { state: '' });
    const outcome = await decideConsent(test.deps, { ...asked, decision: 'deny' });
    if (outcome.kind !== 'denied') throw new Error(outcome.kind);
    expect(Object.keys(outcome.response.parameters)).toEqual(['error', 'error_description', 'iss']);
  });

  it('makes no decision for an end-user who has signed out, or has changed', async () => {
    const bobs = Buffer.from('of bob');
    const test = given({ sessions: [session(), { ...BOB, idHash: bobs, sid: 'of bob' }] });
    const asked = await begin(test);
    const decide = (cookie: Buffer | null) =>
      decideConsent(test.deps, { ...asked, session: cookie, decision: 'approve' });
    const step = { kind: 'continued', interactionId: asked.id, clientId: 'shop', sealed: null };
    expect(await decide(null)).toEqual({ ...step, reason: 'user_changed' });
    expect(await decide(bobs)).toEqual({ ...step, reason: 'user_changed' });
    expect(test.approvals).toEqual([]);
  });

  it('makes no decision before a sign-in, or after the expiry', async () => {
    const test = given();
    const asked = await begin(test, {}, null);
    expect(await decideConsent(test.deps, { ...asked, decision: 'approve' })).toEqual({
      kind: 'continued',
      interactionId: asked.id,
      clientId: 'shop',
      sealed: asked.sealed,
      reason: 'sign_in_required',
    });
    test.clock.second = 610;
    expect(await signInToInteraction(test.deps, { ...asked, form: form() })).toEqual({
      kind: 'signedIn',
      userId: ALICE,
      step: { kind: 'refused', interactionId: asked.id, clientId: 'shop', reason: 'interaction_expired' },
    });
    expect(test.rows.size).toBe(0);
  });
});

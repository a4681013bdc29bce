/** /oauth/logout: the calls of its use cases, and the response for each outcome. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { logoutRoutes } from '../../../../src/http/logout-routes.ts';
import type { LogoutDecisionOutcome, LogoutDeps, LogoutOutcome } from '../../../../src/protocol/logout.ts';
import type { RefusedLogout } from '../../../../src/protocol/logout-request.ts';
import { formOf } from '../../../support/browser.ts';
import { formCheckOf, hashOf, openRoutes, SESSION, type Sent } from '../../../support/use-cases.ts';
import { wordsOf } from '../../../support/words.ts';

vi.mock('../../../../src/protocol/logout.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return {
    handleLogoutRequest: useCase('request'),
    handleLogoutRequestByPost: useCase('requestByPost'),
    decideLogout: useCase('decide'),
  };
});

type Outcome = LogoutOutcome | LogoutDecisionOutcome | { readonly kind: 'repeatByGet'; readonly query: string };
type Ask = Extract<LogoutOutcome, { kind: 'ask' }>;

describe('the routes of a sign-out', () => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    const options = { issuer: 'https://as.test/tenant' } as LogoutDeps;
    opened = await openRoutes((app, parts) => app.register(logoutRoutes, { ...options, ...parts }));
    return () => opened.app.close();
  });
  const send = (outcome: Outcome, url = '/oauth/logout', sent: Sent = {}) => opened.send(outcome, url, sent);
  const NO_SESSION: Outcome = { kind: 'notSignedIn', clientId: null, next: null };

  it('a GET passes on its query verbatim, and the session', async () => {
    const { asked } = await send(NO_SESSION, '/oauth/logout?state=%20&state=x');
    expect(asked).toEqual([{ useCase: 'request', given: ['state=%20&state=x', hashOf(SESSION)] }]);
    expect((await send(NO_SESSION, '/oauth/logout', { headers: {} })).asked).toEqual([
      { useCase: 'request', given: ['', null] },
    ]);
  });
  it('a POST passes on its body, and no session: another site may have sent it', async () => {
    const { asked } = await send(NO_SESSION, '/oauth/logout?x=y', { body: 'state=%20&state=x' });
    expect(asked).toEqual([{ useCase: 'requestByPost', given: ['state=%20&state=x'] }]);
  });
  it('a decision passes on its form, which is checked', async () => {
    const { asked } = await send(NO_SESSION, '/oauth/logout/decision', { body: 'decision=approve&csrf=x' });
    expect(asked).toEqual([
      {
        useCase: 'decide',
        given: [{ encoded: 'decision=approve&csrf=x', cookie: hashOf(SESSION), isOurForm: expect.any(Function) }],
      },
    ]);
    const isOurForm = formCheckOf(asked);
    expect(isOurForm('logout of x')).toBe(false);
  });

  it.each([
    ['/oauth/logout', 'PUT', 'GET, POST', 'Use GET or POST.'],
    ['/oauth/logout', 'HEAD', 'GET, POST', null],
    ['/oauth/logout/decision', 'GET', 'POST', 'Use POST.'],
    ['/oauth/logout/decision', 'OPTIONS', 'POST', 'Use POST.'],
  ] as const)('%s rejects %s', async (url, method, allow, words) => {
    const { status, headers, cache, body, asked } = await send(NO_SESSION, url, { method });
    expect({ status, allow: headers['allow'], cache, asked }).toEqual({
      status: 405,
      allow,
      cache: 'no-store',
      asked: [],
    });
    if (words !== null) expect(JSON.parse(body)).toEqual({ error: 'invalid_request', error_description: words });
  });

  it.each([
    ['malformed_request', 'a repeated or malformed parameter'],
    ['id_token_hint_unknown', 'that this server did not issue'],
    ['client_mismatch', 'differs from that of its ID Token'],
    ['client_unknown', 'No app is registered here'],
    ['client_missing', 'without identifying itself'],
    ['post_logout_redirect_uri_mismatch', 'an address that is not registered for it'],
  ] as const)('rejected, %s: a page, and no redirect', async (reason, words) => {
    const refused: RefusedLogout = { kind: 'refused', reason, clientId: 'c', received: 'https://x.test' };
    const { status, location, cookies, body, line } = await send(refused);
    expect({ status, location, cookies }).toEqual({ status: 400, location: undefined, cookies: [] });
    const [title, what] = wordsOf(body);
    expect(title).toBe('Sign-out failed');
    expect(what).toContain(words);
    expect(body).toContain('href="/tenant/oauth/logout"');
    expect(line).toMatchObject({ level: 30, msg: 'refused', reason, clientId: 'c', received: 'https://x.test' });
    expect(line).not.toHaveProperty('kind');
  });

  it.each([
    ['state=x', '/tenant/oauth/logout?state=x'],
    ['', '/tenant/oauth/logout'],
  ])('is repeated by GET, with %j', async (query, to) => {
    const { status, location, line } = await send({ kind: 'repeatByGet', query }, '/oauth/logout', { body: '' });
    expect({ status, location }).toEqual({ status: 303, location: to });
    expect(line.msg).toBe('answered');
  });

  const asking = (request: Partial<Ask['request']>): Ask =>
    ({
      kind: 'ask',
      username: 'a person',
      formPurpose: 'logout of x',
      request: { client: null, redirectUri: null, state: null, ...request },
    }) as Ask;
  it('shows the confirmation, and passes on the parameters', async () => {
    const client = { clientId: 'c', clientName: 'Photo Book' };
    const { status, cache, body } = await send(
      asking({ client: client as Ask['request']['client'], redirectUri: 'https://client.test/out', state: 'a state' }),
    );
    expect({ status, cache }).toEqual({ status: 200, cache: 'no-store' });
    const { action, fields } = formOf(body);
    expect(action).toBe('/tenant/oauth/logout/decision');
    expect(fields).toEqual({
      csrf: expect.stringMatching(/^[\w-]{43}$/),
      client_id: 'c',
      post_logout_redirect_uri: 'https://client.test/out',
      state: 'a state',
    });
    for (const words of [
      'Photo Book',
      'sent to <strong>client.test</strong>',
      'a person',
      'href="/tenant/permissions"',
    ])
      expect(body).toContain(words);
    const decided = await send(NO_SESSION, '/oauth/logout/decision', { body: `csrf=${fields['csrf']}` });
    const isOurForm = formCheckOf(decided.asked);
    expect(isOurForm('logout of x')).toBe(true);
    expect(isOurForm('logout of y')).toBe(false);
  });
  it('shows the confirmation without a client: names no app and no target', async () => {
    const { body } = await send(asking({}));
    expect(Object.keys(formOf(body).fields)).toEqual(['csrf']);
    expect(body).not.toMatch(/undefined|null|asks to end|sent to/);
  });

  it.each([
    ['https://client.test/out', 303],
    [null, 200],
  ])('signed out, next %s: the cookie is dropped', async (next, status) => {
    const answer = await send({ kind: 'signedOut', clientId: 'c', userId: 'u', next });
    expect(answer).toMatchObject({ status, location: next ?? undefined, cache: 'no-store' });
    expect(answer.cookies).toMatchObject([{ name: '__Host-statehouse-session', value: '', maxAge: 0 }]);
    expect(answer.line).toMatchObject({ level: 30, msg: 'signed out', clientId: 'c', userId: 'u' });
    if (next === null) expect(wordsOf(answer.body)[0]).toBe('You are signed out');
  });
  it.each([
    ['https://client.test/out', 303],
    [null, 200],
  ])('without a session, next %s', async (next, status) => {
    const answer = await send({ kind: 'notSignedIn', clientId: 'c', next });
    expect(answer).toMatchObject({ status, location: next ?? undefined, cookies: [] });
    expect(answer.line).toMatchObject({ level: 30, msg: 'not signed in', clientId: 'c' });
    if (next !== null) return;
    expect(wordsOf(answer.body)[0]).toBe('You are not signed in here');
    expect(answer.body).toContain('href="/tenant/permissions"');
  });
  it('stays signed in', async () => {
    const back = { name: 'Photo Book', href: 'https://client.test/out' };
    const stays = { kind: 'staysSignedIn', clientId: 'c', userId: 'u', username: 'a person', back } as const;
    const { status, location, cookies, body, line } = await send(stays, '/oauth/logout/decision', { body: '' });
    expect({ status, location, cookies }).toEqual({ status: 200, location: undefined, cookies: [] });
    for (const words of ['a person', 'Photo Book', 'href="https://client.test/out"', 'href="/tenant/permissions"'])
      expect(body).toContain(words);
    expect(line).toMatchObject({ level: 30, msg: 'stays signed in', clientId: 'c', userId: 'u' });
  });
  it('a foreign form changes nothing', async () => {
    const { status, cookies, body, line } = await send({ kind: 'formRefused' }, '/oauth/logout/decision', { body: '' });
    expect({ status, cookies }).toEqual({ status: 403, cookies: [] });
    const words = wordsOf(body);
    expect(words[0]).toBe('This form cannot be accepted');
    expect(words).toHaveLength(3);
    expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'form_refused' });
  });
});

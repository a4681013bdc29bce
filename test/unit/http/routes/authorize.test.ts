/** /oauth/authorize: the calls of its use case, by GET and by POST, and the response for each outcome. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuthorizeRoutesOptions, authorizeRoutes } from '../../../../src/http/authorize-routes.ts';
import { BROWSER, COOKIES, hashOf, NEW_COOKIE, openRoutes, SESSION, type Sent } from '../../../support/use-cases.ts';
import { wordsOf } from '../../../support/words.ts';

vi.mock('../../../../src/protocol/authorize.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { handleAuthorizationRequest: useCase('authorize') };
});

const NAMED = { interactionId: 'i', clientId: 'c' };
const CONTINUED = { kind: 'continued', sealed: 'x', reason: null, ...NAMED };
const response = { redirectUri: 'https://client.test/cb', transport: 'query', parameters: { error: 'x' } };

describe.each([true, false])('the routes of an authorization request, production: %s', (production) => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    const options = { issuer: 'https://as.test/tenant', production } as AuthorizeRoutesOptions;
    opened = await openRoutes((app, parts) => app.register(authorizeRoutes, { ...options, ...parts }));
    return () => opened.app.close();
  });
  const send = (outcome: unknown, sent: Sent = {}, query = '?state=%20&state=x') =>
    opened.send(outcome, `/oauth/authorize${query}`, sent);

  it('a GET passes on its query verbatim, and both cookies', async () => {
    const { status, location, cookies, asked } = await send(CONTINUED);
    expect({ status, location, cookies }).toEqual({ status: 303, location: '/tenant/interactions/i.x', cookies: [] });
    const call = { encoded: 'state=%20&state=x', cookies: { browser: hashOf(BROWSER), session: hashOf(SESSION) } };
    expect(asked).toEqual([{ useCase: 'authorize', given: [{ ...call, address: expect.any(Function) }] }]);
  });

  it('a browser without a cookie gets one with its interaction, and in no other case', async () => {
    const begun = await send(CONTINUED, { headers: {} });
    expect(begun.cookies).toMatchObject([
      { name: '__Host-statehouse-browser', value: NEW_COOKIE, httpOnly: true, secure: true, sameSite: 'Lax' },
    ]);
    const call = { encoded: 'state=%20&state=x', cookies: { browser: hashOf(NEW_COOKIE), session: null } };
    expect(begun.asked).toEqual([{ useCase: 'authorize', given: [{ ...call, address: expect.any(Function) }] }]);
    const refused = await send({ kind: 'unverified', reason: 'client_id_missing', clientId: null }, { headers: {} });
    expect(refused.cookies).toEqual([]);
  });

  it('a POST passes on its body and no cookie, and is repeated by GET', async () => {
    const again = { kind: 'repeatByGet', query: 'client_id=c&state=x' };
    const { status, location, cookies, asked } = await send(again, { body: 'state=%20', headers: { cookie: COOKIES } });
    expect({ status, location, cookies }).toEqual({
      status: 303,
      location: '/tenant/oauth/authorize?client_id=c&state=x',
      cookies: [],
    });
    expect(asked).toEqual([
      { useCase: 'authorize', given: [{ encoded: 'state=%20', cookies: null, address: expect.any(Function) }] },
    ]);
  });

  it.each(['PUT', 'HEAD', 'OPTIONS', 'DELETE'] as const)('%s is no method of it', async (method) => {
    const { status, headers, cache, asked, body } = await send(CONTINUED, { method });
    expect({ status, cache, asked }).toEqual({ status: 405, cache: 'no-store', asked: [] });
    expect(headers['allow']).toBe('GET, POST');
    const said = { error: 'invalid_request', error_description: 'Use GET or POST.' };
    if (method !== 'HEAD') expect(JSON.parse(body)).toEqual(said);
  });

  it('an unverified request: a page, and no redirect', async () => {
    const unverified = {
      kind: 'unverified',
      reason: 'redirect_uri_mismatch',
      clientId: 'c',
      registered: ['https://client.test/cb'],
      received: 'https://client.test/other',
    };
    const { status, location, body, line } = await send(unverified);
    expect({ status, location }).toEqual({ status: 400, location: undefined });
    expect(wordsOf(body)[0]).toBe('This app cannot be used here');
    expect(body.includes('client.test')).toBe(!production);
    const { kind: _, ...facts } = unverified;
    expect(line).toMatchObject({ level: 30, msg: 'refused', ...facts });
    expect(line).not.toHaveProperty('kind');
  });

  it('an invalid request of a verified client: a redirect to the client', async () => {
    const { status, location, line } = await send({
      kind: 'invalid',
      response,
      reason: 'scope_unknown',
      clientId: 'c',
    });
    expect({ status, location }).toEqual({ status: 303, location: 'https://client.test/cb?error=x' });
    expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'scope_unknown', clientId: 'c' });
    for (const key of ['kind', 'response']) expect(line).not.toHaveProperty(key);
  });

  it('an invalid request of a self-registered client: a page with the error, and no redirect', async () => {
    const kept = { kind: 'shownLocally', reason: 'scope_unknown', clientId: 'c', detail: 'scope <x> is not known.' };
    const { status, location, body, line } = await send(kept);
    expect({ status, location }).toEqual({ status: 400, location: undefined });
    const [title, what, next] = wordsOf(body);
    expect(title).toBe('The app sent an invalid request');
    expect(what).toMatch(/^The app registered itself here.* scope &#60;x&#62; is not known\.$/);
    expect(next).toContain('Go back to the app');
    expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'scope_unknown', clientId: 'c' });
    expect(line).not.toHaveProperty('kind');
  });

  it('an immediate answer: the client gets it', async () => {
    const { status, location, line } = await send({ kind: 'approved', response, ...NAMED });
    expect({ status, location }).toEqual({ status: 303, location: 'https://client.test/cb?error=x' });
    expect(line).toMatchObject({ msg: 'approved', ...NAMED });
  });
});

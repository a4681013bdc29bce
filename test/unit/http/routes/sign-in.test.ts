/** /sign-in: the calls of its use cases, its targets, and the response for each outcome. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type SignInRoutesOptions, signInRoutes } from '../../../../src/http/sign-in-routes.ts';
import { formOf } from '../../../support/browser.ts';
import { rememberedRefusals } from '../../../support/sign-in-ledger.ts';
import { BROWSER, hashOf, NEW_COOKIE, openRoutes, SESSION } from '../../../support/use-cases.ts';
import { wordsOf } from '../../../support/words.ts';

vi.mock('../../../../src/protocol/direct-sign-in.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { viewDirectSignIn: useCase('viewSignIn'), signInDirectly: useCase('signIn') };
});

vi.mock('../../../../src/http/passkey-part.ts', () => ({ passkeyPart: async () => null }));

describe('/sign-in', () => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    const configuration = () => ({ upstreams: [], delegatedSignIn: null, signIn: { identifiers: 'username' } });
    const signInLedger = rememberedRefusals();
    const options = { issuer: 'https://as.test/tenant', configuration, signInLedger } as unknown as SignInRoutesOptions;
    opened = await openRoutes((app, parts) => app.register(signInRoutes, { ...options, ...parts }));
    return () => opened.app.close();
  });

  it('leads to the page with a session', async () => {
    const { status, location, asked } = await opened.send({ kind: 'alreadySignedIn' }, '/sign-in');
    expect({ status, location }).toEqual({ status: 303, location: '/tenant/account' });
    expect(asked).toEqual([
      { useCase: 'viewSignIn', given: [hashOf(SESSION), expect.objectContaining({ needsRecentSignIn: false }), false] },
    ]);
  });
  it('shows an empty form', async () => {
    const { status, body } = await opened.send({ kind: 'signIn', formPurpose: 'sign-in', again: null }, '/sign-in');
    expect(status).toBe(200);
    expect(formOf(body)).toEqual({
      action: '/tenant/sign-in',
      fields: { csrf: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(body).toContain('name="username" value=""');
    expect(body).toContain('to your account');
    expect(body).not.toMatch(/role="alert"|Continue as/);
  });

  const FORM = 'username=a&password=b&csrf=x';
  const session = { userId: 'u', username: 'a' };
  it('passes on the form, the old session and the new, and the browser', async () => {
    const { status, location, cookies, asked, line } = await opened.send({ kind: 'signedIn', session }, '/sign-in', {
      body: FORM,
    });
    expect({ status, location }).toEqual({ status: 303, location: '/tenant/account' });
    expect(cookies).toMatchObject([{ name: '__Host-statehouse-session', value: NEW_COOKIE }]);
    expect(asked).toMatchObject([
      {
        useCase: 'signIn',
        given: [
          {
            username: 'a',
            password: 'b',
            address: '192.0.2.1',
            cookie: { old: hashOf(SESSION), new: hashOf(NEW_COOKIE), browser: hashOf(BROWSER) },
            isOurForm: expect.any(Function),
          },
        ],
      },
    ]);
    expect(line.msg).toBe('answered');
    const signedIn = expect.objectContaining({
      level: 30,
      msg: 'signed in',
      userId: 'u',
      account: 'hash of a',
      address: '192.0.2.1',
    });
    expect(opened.lines()).toContainEqual(signedIn);
  });
  it('rejected: the form again, with the name and the reason, and no session', async () => {
    const refused = {
      kind: 'signInRefused',
      reason: 'throttled_address',
      username: 'a <person>',
      retryAfterSeconds: 60,
      formPurpose: 'sign-in',
    };
    const { status, headers, cookies, body, line } = await opened.send(refused, '/sign-in', { body: FORM });
    expect({ status, cookies, retryAfter: headers['retry-after'] }).toEqual({
      status: 429,
      cookies: [],
      retryAfter: '60',
    });
    expect(body).toContain('value="a &#60;person&#62;"');
    expect(body).toContain('Too many failed attempts');
    expect(formOf(body).action).toBe('/tenant/sign-in');
    expect(line).toMatchObject({ msg: 'refused', reason: 'throttled_address' });
  });
  it('a foreign form signs no user in', async () => {
    const { status, cookies, body } = await opened.send({ kind: 'formRefused' }, '/sign-in', { body: FORM });
    expect({ status, cookies }).toEqual({ status: 403, cookies: [] });
    expect(wordsOf(body)[0]).toBe('This form cannot be accepted');
  });

  it.each([
    ['', '/tenant/account', '/tenant/sign-in'],
    ['?then=permissions', '/tenant/permissions', '/tenant/sign-in?then=permissions'],
    ['?then=devices', '/tenant/account/devices', '/tenant/sign-in?then=devices'],
    // Any other value leads to the account, and is not on the page.
    ['?then=https://evil.test', '/tenant/account', '/tenant/sign-in'],
    ['?then=//evil.test', '/tenant/account', '/tenant/sign-in'],
    ['?then=%2Foauth%2Flogout', '/tenant/account', '/tenant/sign-in'],
    ['?then=constructor', '/tenant/account', '/tenant/sign-in'],
    ['?then=devices&then=apps', '/tenant/account', '/tenant/sign-in'],
    ['?next=devices', '/tenant/account', '/tenant/sign-in'],
  ])('%s leads to %s', async (query, location, action) => {
    const form = await opened.send({ kind: 'signIn', formPurpose: 'sign-in', again: null }, `/sign-in${query}`);
    expect(formOf(form.body).action).toBe(action);
    expect(form.body).not.toContain('evil');
    expect(await opened.send({ kind: 'alreadySignedIn' }, `/sign-in${query}`)).toMatchObject({ status: 303, location });
    const signedIn = await opened.send({ kind: 'signedIn', session }, `/sign-in${query}`, { body: FORM });
    expect(signedIn).toMatchObject({ status: 303, location });
  });
  it('requires another sign-in when the last one is too old, with the username filled in', async () => {
    const again = { kind: 'signIn', formPurpose: 'sign-in', again: { username: 'a <person>' } };
    const { body } = await opened.send(again, '/sign-in?then=devices');
    expect(body).toContain('Sign in again to continue');
    expect(body).toContain('value="a &#60;person&#62;"');
  });
});

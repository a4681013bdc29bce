/** /permissions and /sign-in: what their use cases are asked, and what the browser gets for each outcome. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type PermissionRoutesOptions, permissionRoutes } from '../../../../src/http/permission-routes.ts';
import { formOf } from '../../../support/browser.ts';
import { BROWSER, formCheckOf, hashOf, NEW_COOKIE, openRoutes, SESSION } from '../../../support/use-cases.ts';
import { wordsOf } from '../../../support/words.ts';

vi.mock('../../../../src/protocol/permissions.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { viewPermissions: useCase('view'), submitEndPermission: useCase('end') };
});
vi.mock('../../../../src/protocol/signed-in-browsers.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { submitEndSession: useCase('endSession') };
});
vi.mock('../../../../src/protocol/direct-sign-in.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { viewDirectSignIn: useCase('viewSignIn'), signInDirectly: useCase('signIn') };
});

describe('the routes of an account', () => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    const options = { issuer: 'https://as.test/tenant' } as PermissionRoutesOptions;
    opened = await openRoutes((app) => app.register(permissionRoutes, options));
    return () => opened.app.close();
  });
  const SIGN_IN_REQUIRED = { kind: 'signInRequired' };
  const at = (text: string) => new Date(text);
  const VIEW = {
    kind: 'permissions',
    username: 'a person',
    formPurpose: 'permissions of s',
    more: true,
    allowed: [
      {
        clientId: 'c',
        clientName: 'Photo Book',
        access: [],
        holds: 'whileAway',
        since: at('2026-01-01'),
        lastUsedAt: null,
      },
    ],
    browsers: [
      { sid: 'sid-1', userAgent: null, signedInAt: at('2026-01-02'), lastUsedAt: at('2026-01-03'), isThis: true },
    ],
  };

  it('shows what is allowed, with forms that are good for it', async () => {
    const { status, cache, body, asked } = await opened.send(VIEW, '/permissions');
    expect({ status, cache }).toEqual({ status: 200, cache: 'no-store' });
    expect(asked).toEqual([{ useCase: 'view', given: [hashOf(SESSION)] }]);
    for (const words of [
      'a person',
      'Photo Book',
      'These are the newest',
      '(this browser)',
      'href="/tenant/oauth/logout"',
      'action="/tenant/permissions/end"',
      'action="/tenant/permissions/sessions/end"',
      'value="sid-1"',
    ])
      expect(body).toContain(words);
    expect(body).not.toContain('role="status"');
    const { fields } = formOf(body);
    const { asked: ended } = await opened.send(SIGN_IN_REQUIRED, '/permissions/end', {
      body: `csrf=${fields['csrf']}`,
    });
    const isOurForm = formCheckOf(ended);
    expect(isOurForm('permissions of s')).toBe(true);
    expect(isOurForm('permissions of t')).toBe(false);
  });
  it.each([
    ['ended', 'Ended. That app'],
    ['signed-out', 'Signed out there'],
  ])('and what was just ended: ?%s', async (query, words) => {
    expect((await opened.send(VIEW, `/permissions?${query}`)).body).toContain(words);
  });
  it.each(['ended=1', 'x', 'ENDED', ''])('nothing is made up for ?%s', async (query) => {
    expect((await opened.send(VIEW, `/permissions?${query}`)).body).not.toContain('role="status"');
  });

  it.each([
    ['/permissions', undefined],
    ['/permissions/end', ''],
    ['/permissions/sessions/end', ''],
  ])('%s without a session: sign in first', async (url, body) => {
    const { status, location, cache } = await opened.send(SIGN_IN_REQUIRED, url, body === undefined ? {} : { body });
    expect({ status, location, cache }).toEqual({ status: 303, location: '/tenant/sign-in', cache: 'no-store' });
  });

  describe.each([
    {
      url: '/permissions/end',
      body: 'client_id=c&csrf=x',
      asked: { useCase: 'end', given: { clientId: 'c' } },
      outcome: { clientId: 'c', userId: 'u', grants: 2 },
      back: '/tenant/permissions?ended',
      msg: 'permission ended',
    },
    {
      url: '/permissions/sessions/end',
      body: 'session=sid&csrf=x',
      asked: { useCase: 'endSession', given: { sid: 'sid' } },
      outcome: { sid: 'sid', userId: 'u', hasEnded: true },
      back: '/tenant/permissions?signed-out',
      msg: 'session ended',
    },
  ])('$url', ({ url, body, asked, outcome, back, msg }) => {
    it('ends what the form names, and says so', async () => {
      const answer = await opened.send({ kind: 'ended', ...outcome }, url, { body });
      expect(answer).toMatchObject({ status: 303, location: back, line: { level: 30, msg, ...outcome } });
      expect(answer.line).not.toHaveProperty('kind');
      expect(answer.asked).toEqual([
        {
          useCase: asked.useCase,
          given: [{ ...asked.given, cookie: hashOf(SESSION), isOurForm: expect.any(Function) }],
        },
      ]);
      const isOurForm = formCheckOf(answer.asked);
      expect(isOurForm('permissions of s')).toBe(false);
    });
    it('names nothing, or two: nothing is guessed', async () => {
      for (const sent of ['csrf=x', `${body}&${body}`]) {
        const { asked: got } = await opened.send(SIGN_IN_REQUIRED, url, { body: sent });
        expect(got[0]?.given[0]).toMatchObject({ [Object.keys(asked.given)[0] ?? '']: null });
      }
    });
    it('a form that is not ours ends nothing', async () => {
      const { status, body: page, line } = await opened.send({ kind: 'formRefused' }, url, { body });
      expect(status).toBe(403);
      const words = wordsOf(page);
      expect(words[0]).toBe('This form cannot be accepted');
      expect(words).toHaveLength(3);
      expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'form_refused' });
    });
  });

  describe('/sign-in', () => {
    it('leads to the page for those who are signed in', async () => {
      const { status, location, asked } = await opened.send({ kind: 'alreadySignedIn' }, '/sign-in');
      expect({ status, location }).toEqual({ status: 303, location: '/tenant/permissions' });
      expect(asked).toEqual([{ useCase: 'viewSignIn', given: [hashOf(SESSION)] }]);
    });
    it('shows an empty form', async () => {
      const { status, body } = await opened.send({ kind: 'signIn', formPurpose: 'sign-in' }, '/sign-in');
      expect(status).toBe(200);
      expect(formOf(body)).toEqual({
        action: '/tenant/sign-in',
        fields: { csrf: expect.stringMatching(/^[\w-]{43}$/) },
      });
      expect(body).toContain('name="username" value=""');
      expect(body).toContain('to see what you have allowed');
      expect(body).not.toMatch(/role="alert"|Continue as/);
    });

    const FORM = 'username=a&password=b&csrf=x';
    const session = { userId: 'u' };
    it('is asked with the form, the old session and the new, and the browser', async () => {
      const { status, location, cookies, asked, line } = await opened.send({ kind: 'signedIn', session }, '/sign-in', {
        body: FORM,
      });
      expect({ status, location }).toEqual({ status: 303, location: '/tenant/permissions' });
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
      const signedIn = expect.objectContaining({ level: 30, msg: 'signed in', userId: 'u' });
      expect(opened.lines()).toContainEqual(signedIn);
    });
    it('refused: the form again, with the name and the reason, and no session', async () => {
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
    it('a form that is not ours signs nobody in', async () => {
      const { status, cookies, body } = await opened.send({ kind: 'formRefused' }, '/sign-in', { body: FORM });
      expect({ status, cookies }).toEqual({ status: 403, cookies: [] });
      expect(wordsOf(body)[0]).toBe('This form cannot be accepted');
    });
  });
});

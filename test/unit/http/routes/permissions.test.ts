/** /permissions: the calls of its use cases, and the response for each outcome. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type PermissionRoutesOptions, permissionRoutes } from '../../../../src/http/permission-routes.ts';
import { formOf } from '../../../support/browser.ts';
import { formCheckOf, hashOf, openRoutes, SESSION } from '../../../support/use-cases.ts';
import { wordsOf } from '../../../support/words.ts';

vi.mock('../../../../src/protocol/permissions.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { viewPermissions: useCase('view'), submitEndPermission: useCase('end') };
});
vi.mock('../../../../src/protocol/signed-in-browsers.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return { submitEndSession: useCase('endSession') };
});

describe('the routes of an account', () => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    const options = { issuer: 'https://as.test/tenant' } as PermissionRoutesOptions;
    opened = await openRoutes((app, parts) => app.register(permissionRoutes, { ...options, ...parts }));
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
        asksAgainFrom: null,
      },
    ],
    browsers: [
      {
        sid: 'sid-1',
        userAgent: null,
        amr: ['pwd'],
        signedInAt: at('2026-01-02'),
        lastUsedAt: at('2026-01-03'),
        isThis: true,
      },
    ],
  };

  it('shows the permissions, with valid forms for them', async () => {
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
    ['ended', 'Ended. The app'],
    ['signed-out', 'Signed out there'],
  ])('and the last revocation: ?%s', async (query, words) => {
    expect((await opened.send(VIEW, `/permissions?${query}`)).body).toContain(words);
  });
  it.each(['ended=1', 'x', 'ENDED', ''])('ignores ?%s', async (query) => {
    expect((await opened.send(VIEW, `/permissions?${query}`)).body).not.toContain('role="status"');
  });

  it.each([
    ['/permissions', undefined],
    ['/permissions/end', ''],
    ['/permissions/sessions/end', ''],
  ])('%s without a session: sign in first', async (url, body) => {
    const { status, location, cache } = await opened.send(SIGN_IN_REQUIRED, url, body === undefined ? {} : { body });
    expect({ status, location, cache }).toEqual({
      status: 303,
      location: '/tenant/sign-in?then=permissions',
      cache: 'no-store',
    });
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
    it('revokes the named client, and confirms it', async () => {
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
    it('names none, or two: nothing is revoked', async () => {
      for (const sent of ['csrf=x', `${body}&${body}`]) {
        const { asked: got } = await opened.send(SIGN_IN_REQUIRED, url, { body: sent });
        expect(got[0]?.given[0]).toMatchObject({ [Object.keys(asked.given)[0] ?? '']: null });
      }
    });
    it('a foreign form revokes nothing', async () => {
      const { status, body: page, line } = await opened.send({ kind: 'formRefused' }, url, { body });
      expect(status).toBe(403);
      const words = wordsOf(page);
      expect(words[0]).toBe('This form cannot be accepted');
      expect(words).toHaveLength(3);
      expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'form_refused' });
    });
  });
});

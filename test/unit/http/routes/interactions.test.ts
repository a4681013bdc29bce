/** The pages between the authorization request and its response: the calls of their use cases, and the response. */
import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_NAME_CHARACTERS } from '../../../../src/http/interaction-request.ts';
import { type InteractionRoutesOptions, interactionRoutes } from '../../../../src/http/interaction-routes.ts';
import { validatorCompiler } from '../../../../src/http/zod-schemas.ts';
import { MAX_SEALED_CHARACTERS } from '../../../../src/protocol/sealed-interaction.ts';
import { formOf } from '../../../support/browser.ts';
import { rememberedRefusals } from '../../../support/sign-in-ledger.ts';
import {
  BROWSER,
  formCheckOf,
  hashOf,
  NEW_COOKIE,
  openRoutes,
  SESSION,
  type Sent,
} from '../../../support/use-cases.ts';
import { wordsOf } from '../../../support/words.ts';

vi.mock('../../../../src/protocol/interaction.ts', async () => {
  const { useCase } = await import('../../../support/use-cases.ts');
  return {
    viewInteraction: useCase('view'),
    signInToInteraction: useCase('signIn'),
    chooseAccount: useCase('account'),
    decideConsent: useCase('consent'),
    openForSignIn: useCase('open'),
  };
});

vi.mock('../../../../src/http/passkey-part.ts', () => ({ passkeyPart: async () => null }));
/** The page of a factor is the text "factor". */
vi.mock('../../../../src/http/factor-pages.ts', () => ({
  showFactor: async (_deps: unknown, { reply }: { reply: FastifyReply }) => reply.send('factor'),
}));

const OPTIONS = {
  issuer: 'https://as.test/tenant',
  configuration: () => ({ upstreams: [], delegatedSignIn: null, signIn: { identifiers: 'username' } }),
  signInLedger: rememberedRefusals(),
} as unknown as InteractionRoutesOptions;

const ID = '01890c5e-0000-7abc-8def-0123456789ab';
const HERE = `/tenant/interactions/${ID}.sea-led_`;
const NAMED = { interactionId: ID, sealed: 'sea-led_' };
const SIGN_IN = {
  kind: 'signIn',
  ...NAMED,
  formPurpose: ID,
  clientName: 'Photo Book',
  username: 'typed <before>',
  account: null,
};
const CONSENT = {
  kind: 'consent',
  ...NAMED,
  formPurpose: ID,
  clientName: 'Photo Book',
  username: 'a person',
  redirectUri: 'https://client.test/cb',
  describedAt: null,
  registeredItself: false,
  onThisDevice: true,
  access: [{ resource: null, scopes: [{ name: 'read', description: 'see your data' }] }],
  whileAway: true,
  about: { logo: null, terms: null, policy: null },
  rememberedForSeconds: null,
};
const UNKNOWN = { kind: 'refused', reason: 'interaction_unknown' };
const CONTINUED = { kind: 'continued', ...NAMED, sealed: null, clientId: 'c', reason: null };

describe('the routes of an interaction', () => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    opened = await openRoutes((app, parts) => {
      app.setValidatorCompiler(validatorCompiler);
      return app.register(interactionRoutes, { ...OPTIONS, ...parts });
    });
    return () => opened.app.close();
  });
  const send = (outcome: unknown, rest = '', sent: Sent = {}, name = `${ID}.sea-led_`) =>
    opened.send(outcome, `/interactions/${name}${rest}`, sent);
  const request = { id: ID, sealed: 'sea-led_', browser: hashOf(BROWSER), session: hashOf(SESSION) };

  it('pass on the id, the sealed text, and both cookies', async () => {
    const { asked } = await send(UNKNOWN);
    expect(asked).toEqual([{ useCase: 'view', given: [{ ...request, wantsAnotherAccount: false }] }]);
    const without = await send(UNKNOWN, '', { headers: {} }, ID);
    expect(without.asked[0]?.given).toEqual([
      { id: ID, sealed: null, browser: null, session: null, wantsAnotherAccount: false },
    ]);
  });
  it.each([
    ['?account=another', true],
    ['?account=Another', false],
    ['?account=', false],
    ['?account=another&account=another', false],
    ['?another', false],
  ])('%s: requests another account: %s', async (query, wantsAnotherAccount) => {
    expect((await send(UNKNOWN, query)).asked).toMatchObject([{ useCase: 'view', given: [{ wantsAnotherAccount }] }]);
  });

  it.each([
    'x',
    ID.toUpperCase(),
    ID.slice(1),
    `${ID}0`,
    `0${ID}`,
    ID.replaceAll('-', ''),
    ID.replace('a', 'g'),
    `${ID}.`,
    `${ID}.a.b`,
    `${ID}.a+b`,
    `${ID}-sealed`,
    `x.${ID}`,
    'x'.repeat(90),
  ])('%s is no valid name: no use case is called', async (name) => {
    for (const [rest, sent] of [
      ['', {}],
      ['/sign-in', { body: 'username=a' }],
      ['/account', { body: '' }],
      ['/consent', { body: 'decision=approve' }],
    ] as const) {
      const { status, body, asked, line } = await send(CONTINUED, rest, sent, name);
      expect({ status, asked }).toEqual({ status: 404, asked: [] });
      expect(wordsOf(body)[0]).toBe('Unknown sign-in');
      expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'interaction_unknown' });
    }
  });
  it('every name that we assign fits', () => {
    expect(MAX_NAME_CHARACTERS).toBe(randomUUID().length + '.'.length + MAX_SEALED_CHARACTERS);
  });
  it('a page of another browser is not shown', async () => {
    const { status, body, line } = await send({ kind: 'refused', reason: 'another_browser', clientId: 'c' });
    expect(status).toBe(403);
    expect(wordsOf(body)[0]).toBe('This page belongs to another browser');
    expect(line).toMatchObject({ level: 30, msg: 'refused', reason: 'another_browser', clientId: 'c' });
  });
  it('a defect is not mistaken for an unknown name', async () => {
    const { status } = await send(undefined);
    expect(status).toBe(500);
  });

  it('shows the sign-in form', async () => {
    const { status, cache, body } = await send(SIGN_IN);
    expect({ status, cache }).toEqual({ status: 200, cache: 'no-store' });
    expect(formOf(body)).toEqual({ action: `${HERE}/sign-in`, fields: { csrf: expect.stringMatching(/^[\w-]{43}$/) } });
    expect(body).toContain('Photo Book');
    expect(body).toContain('value="typed &#60;before&#62;"');
    expect(body).not.toMatch(/role="alert"|Continue as/);
    const posted = await send(UNKNOWN, '/consent', { body: `csrf=${formOf(body).fields['csrf']}` });
    expect(formCheckOf(posted.asked)(ID)).toBe(true);
    expect(formCheckOf(posted.asked)('another')).toBe(false);
  });
  it('offers the signed-in account', async () => {
    const { body } = await send({ ...SIGN_IN, account: 'a person' });
    expect(body).toContain('Continue as a person');
    expect(body).toContain(`action="${HERE}/account"`);
    expect(body).toContain(`action="${HERE}/sign-in"`);
  });
  it('shows the consent page', async () => {
    const { status, body } = await send(CONSENT);
    expect(status).toBe(200);
    const { action, fields } = formOf(body);
    expect(action).toBe(`${HERE}/consent`);
    for (const words of [
      'Photo Book',
      'a person',
      'sent to <strong>client.test</strong>',
      'see your data',
      'on this device',
      'while you are away',
    ])
      expect(body).toContain(words);
    expect(body).toContain(`href="${HERE}?account&#61;another"`);
    const posted = await send(UNKNOWN, '/consent', { body: `csrf=${fields['csrf']}` });
    expect(formCheckOf(posted.asked)(ID)).toBe(true);
    const plain = await send({ ...CONSENT, onThisDevice: false, whileAway: false });
    expect(plain.body).not.toContain('on this device');
    expect(plain.body).toContain('does not keep this access while you are away');
  });

  describe('a sign-in', () => {
    const FORM = { body: 'username=a&password=b&csrf=x' };
    it('passes on the form, the old session and the new', async () => {
      const { asked } = await send(UNKNOWN, '/sign-in', FORM);
      expect(asked).toMatchObject([
        {
          useCase: 'signIn',
          given: [
            {
              ...request,
              isOurForm: expect.any(Function),
              form: {
                username: 'a',
                password: 'b',
                address: '192.0.2.1',
                cookie: { old: hashOf(SESSION), new: hashOf(NEW_COOKIE), browser: hashOf(BROWSER) },
              },
            },
          ],
        },
      ]);
    });
    it('sets the session of the browser, and continues', async () => {
      const signedIn = { kind: 'signedIn', userId: 'u', step: CONTINUED };
      const { status, location, cookies } = await send(signedIn, '/sign-in', FORM);
      expect({ status, location }).toEqual({ status: 303, location: `/tenant/interactions/${ID}` });
      expect(cookies).toMatchObject([{ name: '__Host-statehouse-session', value: NEW_COOKIE }]);
      expect(opened.lines()).toContainEqual(
        expect.objectContaining({ level: 30, msg: 'signed in', userId: 'u', account: 'hash of a', interactionId: ID }),
      );
    });
    it('rejected: the form again with the reason, and no session', async () => {
      const refused = { kind: 'signInRefused', reason: 'busy', username: 'a', retryAfterSeconds: 2 };
      const { status, headers, cookies, body, line } = await send(
        { kind: 'signInRefused', refused, view: SIGN_IN },
        '/sign-in',
        FORM,
      );
      expect({ status, cookies, retryAfter: headers['retry-after'] }).toEqual({
        status: 503,
        cookies: [],
        retryAfter: '2',
      });
      expect(body).toContain('your password was not checked');
      expect(formOf(body).action).toBe(`${HERE}/sign-in`);
      expect(line).toMatchObject({ msg: 'refused', reason: 'busy', interactionId: ID });
    });
    it('in another browser: no session', async () => {
      const { status, cookies } = await send({ kind: 'refused', reason: 'another_browser' }, '/sign-in', FORM);
      expect({ status, cookies }).toEqual({ status: 403, cookies: [] });
    });
  });

  it('continues with the signed-in account, or signs in instead', async () => {
    const { status, location, asked } = await send(CONTINUED, '/account', { body: 'csrf=x' });
    expect({ status, location }).toEqual({ status: 303, location: `/tenant/interactions/${ID}` });
    expect(asked).toEqual([{ useCase: 'account', given: [{ ...request, isOurForm: expect.any(Function) }] }]);
    const instead = await send({ kind: 'signInInstead', ...NAMED, clientId: 'c' }, '/account', { body: 'csrf=x' });
    expect(instead).toMatchObject({ status: 303, location: `${HERE}?account=another` });
    const line = { level: 30, msg: 'refused', reason: 'sign_in_required', clientId: 'c', interactionId: ID };
    expect(instead.line).toMatchObject(line);
  });

  it.each([
    ['decision=approve', 'approve'],
    ['decision=approve&decision=deny', null],
    ['', null],
  ])('a consent with %j', async (body, decision) => {
    const { status, location, asked } = await send(CONTINUED, '/consent', { body });
    expect({ status, location }).toEqual({ status: 303, location: `/tenant/interactions/${ID}` });
    const form = { ...request, isOurForm: expect.any(Function), decision };
    expect(asked).toEqual([{ useCase: 'consent', given: [form] }]);
  });
});

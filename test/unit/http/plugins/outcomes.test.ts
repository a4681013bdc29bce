/** The response for each outcome: redirects, pages with a text for each reason, and the operator's line. */
import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../../src/crypto/random.ts';
import { sendAuthorizationResponse } from '../../../../src/http/authorization-response.ts';
import { browserCookies } from '../../../../src/http/cookies.ts';
import { destinationOf } from '../../../../src/http/destination.ts';
import { errorHandler } from '../../../../src/http/error-handler.ts';
import { formBodies } from '../../../../src/http/form-body.ts';
import { interactionPath, sendInteractionStep } from '../../../../src/http/interaction-outcome.ts';
import { refuseSignIn, signInForm } from '../../../../src/http/sign-in-form.ts';
import { unverifiedRequestPage } from '../../../../src/http/unverified-request-page.ts';
import { problemWords } from '../../../../src/http/views/sign-in.ts';
import type { UnverifiedRequest } from '../../../../src/protocol/authorization-request.ts';
import type { InteractionRefused, InteractionStepOutcome } from '../../../../src/protocol/interaction-step.ts';
import type { SignInForm, SignInRefusal } from '../../../../src/protocol/sign-in.ts';
import { type BareApp, bareApp } from '../../../support/bare-app.ts';
import { formOf } from '../../../support/browser.ts';
import { ENGLISH } from '../../../support/look.ts';
import { rememberedRefusals } from '../../../support/sign-in-ledger.ts';
import { wordsOf } from '../../../support/words.ts';

let app: FastifyInstance;
let lines: BareApp['lines'];
let answer: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;
beforeEach(async () => {
  ({ app, lines } = await bareApp(['2001:db8:0:2::/64']));
  await app.register(errorHandler);
  await app.register(cookie);
  await app.register(formBodies);
  app.get('/', (request, reply) => answer(request, reply));
  app.post('/', (request, reply) => answer(request, reply));
});
afterEach(() => app.close());

describe('the authorization response', () => {
  const response = { redirectUri: 'https://client.test/cb?x=y', parameters: { code: 'a b', iss: 'https://as.test' } };

  it('is in the query of a redirect', async () => {
    answer = (request, reply) => sendAuthorizationResponse(request, reply, { ...response, transport: 'query' }, {});
    const { statusCode, headers } = await app.inject('/');
    expect(statusCode).toBe(303);
    expect(headers['location']).toBe('https://client.test/cb?x=y&code=a+b&iss=https%3A%2F%2Fas.test');
  });
  it('or the browser posts it, by the one script that the page allows', async () => {
    answer = (request, reply) => sendAuthorizationResponse(request, reply, { ...response, transport: 'form_post' }, {});
    const { statusCode, headers, body } = await app.inject('/');
    expect(statusCode).toBe(200);
    expect(headers['location']).toBeUndefined();
    expect(formOf(body)).toEqual({ action: 'https://client.test/cb?x=y', fields: response.parameters });
    expect(headers['content-security-policy']).toMatch(/; script-src 'sha256-[\w+/]{43}='$/);
  });
});

describe('an authorization request without a verified client', () => {
  const request = (reason: UnverifiedRequest['reason']): UnverifiedRequest => ({
    kind: 'unverified',
    reason,
    clientId: null,
    registered: ['https://client.test/callback'],
    received: 'https://client.test/elsewhere',
  });
  it.each([
    ['too_many_parameters', 'more than 100 parameters'],
    ['client_id_missing', 'client_id is missing'],
    ['client_id_malformed', 'client_id is repeated or malformed'],
    ['client_unknown', 'No app is registered here'],
    ['redirect_uri_missing', 'redirect_uri is missing'],
    ['redirect_uri_malformed', 'redirect_uri is repeated or malformed'],
    ['redirect_uri_mismatch', 'is not registered for it'],
  ] as const)('%s: the page says %j, and has no redirect', (reason, words) => {
    const [title, what, next] = wordsOf(unverifiedRequestPage(ENGLISH, request(reason), true));
    expect(title).toBe('This app cannot be used here');
    expect(what).toContain(words);
    expect(what).toContain('you stay on this page');
    expect(next).toContain('Go back to the app');
  });
  it('the registered values are shown in development only, and for an address that does not match', () => {
    const shown = unverifiedRequestPage(ENGLISH, request('redirect_uri_mismatch'), false);
    expect(shown).toContain('<mark>callback</mark>');
    expect(shown).toContain('<mark>elsewhere</mark>');
    expect(wordsOf(shown).slice(-2)).toEqual(['Expected (registered)', 'Received']);
    const { registered: _, ...unregistered } = request('redirect_uri_mismatch');
    const without = unverifiedRequestPage(ENGLISH, { ...unregistered, registered: [] }, false);
    for (const hidden of [
      unverifiedRequestPage(ENGLISH, request('redirect_uri_mismatch'), true),
      unverifiedRequestPage(ENGLISH, request('redirect_uri_malformed'), false),
      without,
      unverifiedRequestPage(ENGLISH, unregistered, false),
    ]) {
      expect(hidden).not.toMatch(/client\.test|<mark>/);
    }
    expect(
      unverifiedRequestPage(ENGLISH, { kind: 'unverified', reason: 'client_unknown', clientId: 'x' }, false),
    ).toContain('<p>');
  });
  it('the registered values of a client that introduced itself are shown in production too', () => {
    const introduced = { ...request('redirect_uri_mismatch'), introducedItself: true } as const;
    expect(unverifiedRequestPage(ENGLISH, introduced, true)).toContain('<mark>callback</mark>');
    expect(unverifiedRequestPage(ENGLISH, { ...introduced, reason: 'client_unknown' }, true)).not.toContain('<mark>');
  });
  it('without an address: all of the registered address is the difference', () => {
    const { received: _, ...nothing } = request('redirect_uri_mismatch');
    const shown = unverifiedRequestPage(ENGLISH, nothing, false);
    expect(shown).toContain('<mark>https://client.test/callback</mark>');
    expect(shown).toContain('<mark>(ends here)</mark>');
  });
});

describe('the target of a redirect, for people', () => {
  it.each([
    ['https://client.test:8443/callback?x=y', 'client.test:8443'],
    ['http://127.0.0.1/callback', '127.0.0.1'],
    ['com.example.app:/callback', 'an app on this device (com.example.app:)'],
    ['httpsx://client.test/', 'an app on this device (httpsx:)'],
  ])('%s: %s', (uri, words) => {
    expect(destinationOf(ENGLISH, uri)).toBe(words);
  });
});

describe('a step of an interaction', () => {
  const interactionId = randomUUID();
  const facts = { interactionId, clientId: 'c' };
  const ids = { ...facts, uiLocales: ['de'] };
  const response = { redirectUri: 'https://client.test/cb', transport: 'query', parameters: { x: 'y' } } as const;
  const step = async (outcome: InteractionStepOutcome, issuer = 'https://as.test') => {
    answer = (request, reply) => sendInteractionStep(issuer, request, reply, outcome);
    const { statusCode: status, headers, body } = await app.inject('/');
    return { status, location: headers['location'], body, line: lines().at(-1) };
  };

  it('continues at its page, under the path of the issuer', async () => {
    const continued = { kind: 'continued', reason: null, ...ids } as const;
    expect(await step({ ...continued, sealed: null })).toMatchObject({
      status: 303,
      location: `/interactions/${interactionId}`,
      line: { level: 30, msg: 'answered' },
    });
    const { location } = await step({ ...continued, sealed: 'x_-y' }, 'https://as.test/tenant/');
    expect(location).toBe(`/tenant/interactions/${interactionId}.x_-y`);
    expect(interactionPath('https://as.test', { interactionId, sealed: 'x' }, '/consent')).toBe(
      `/interactions/${interactionId}.x/consent`,
    );
    const again = await step({ ...continued, sealed: null, reason: 'user_changed' });
    expect(again).toMatchObject({ status: 303, line: { level: 30, msg: 'refused', reason: 'user_changed', ...facts } });
  });
  it('redirects to the client', async () => {
    expect(await step({ kind: 'approved', response, ...ids })).toMatchObject({
      status: 303,
      location: 'https://client.test/cb?x=y',
      line: { level: 30, msg: 'approved', ...facts },
    });
    expect(await step({ kind: 'denied', error: 'access_denied', response, ...ids })).toMatchObject({
      status: 303,
      location: 'https://client.test/cb?x=y',
      line: { level: 30, msg: 'refused', reason: 'access_denied', ...facts },
    });
  });
  it.each([
    ['interaction_unknown', 404, 'Unknown sign-in'],
    ['another_browser', 403, 'This page belongs to another browser'],
    ['form_refused', 403, 'This form cannot be accepted'],
    ['interaction_expired', 400, 'This took too long'],
    ['interaction_completed', 400, 'Already answered'],
    ['client_ended', 400, 'This app is no longer registered'],
  ] as const)('%s: a page (%i) with the cause and the next action', async (reason, status, title) => {
    const refused: InteractionRefused = { kind: 'refused', reason, ...ids, uiLocales: [] };
    const page = await step(refused);
    expect(page).toMatchObject({
      status,
      location: undefined,
      line: { level: 30, msg: 'refused', reason, ...facts },
    });
    expect(page.line).not.toHaveProperty('kind');
    expect(page.line).not.toHaveProperty('uiLocales');
    expect((await step({ ...refused, ...ids })).body).toContain('<html lang="de"');
    const words = wordsOf(page.body);
    expect(words[0]).toBe(title);
    expect(words).toHaveLength(3);
  });
});

describe('the sign-in form', () => {
  const cookies = browserCookies({ issuer: 'https://as.test', random: systemRandom });
  const cookie: SignInForm['cookie'] = { old: null, new: Buffer.from('new'), browser: null };
  it('passes on input, source, and purpose verbatim', async () => {
    const read: SignInForm[] = [];
    answer = (request, reply) => {
      const form = signInForm(cookies, request, reply, cookie.new, null);
      expect(form.gone.aborted).toBe(false);
      read.push(form);
      return reply.send('');
    };
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'A browser' };
    for (const payload of ['username=a+b&password=%20c&x=y', 'username=a&username=b&password=c', '']) {
      await app.inject({ method: 'POST', url: '/', headers, payload, remoteAddress: '2001:db8:0:1::9' });
    }
    expect(read.map(({ username, password }) => [username, password])).toEqual([
      ['a b', ' c'],
      [null, 'c'],
      [null, null],
    ]);
    for (const form of read)
      expect(form).toMatchObject({ address: '2001:db8:0:1::/64', cookie, userAgent: 'A browser' });
  });
  it('accepts the address of a proxy if it is an address', async () => {
    const read: string[] = [];
    answer = (request, reply) => {
      read.push(signInForm(cookies, request, reply, cookie.new, null).address);
      return reply.send('');
    };
    const remoteAddress = '2001:db8:0:2::1';
    for (const forwarded of ['192.0.2.7', 'garbage'])
      await app.inject({ method: 'POST', url: '/', headers: { 'x-forwarded-for': forwarded }, remoteAddress });
    expect(read).toEqual(['192.0.2.7', '2001:db8:0:2::/64']);
  });
  it('accepts a browser without a User-Agent', async () => {
    let read: SignInForm | undefined;
    answer = (request, reply) => {
      read = signInForm(cookies, request, reply, cookie.new, null);
      return reply.send('');
    };
    await app.inject({ method: 'POST', url: '/', headers: { 'user-agent': '' } });
    expect(read?.userAgent).toBe('');
  });

  it.each([
    ['form_incomplete', null, 400, 'Type your username and your password'],
    ['credentials_mismatch', null, 400, 'is wrong'],
    ['throttled_account', 60, 429, 'Wait 60 seconds, then'],
    ['throttled_address', 91, 429, 'Wait 2 minutes, then'],
    ['throttled_account', 1, 429, 'Wait a second, then'],
    ['busy', 2, 503, 'your password was not checked'],
    ['caller_gone', null, 503, 'your password was not checked'],
    ['bot_check_missing', null, 400, 'Confirm that you are not a robot'],
    ['bot_check_failed', null, 400, 'Confirm that you are not a robot'],
    ['bot_check_unavailable', 2, 503, 'We cannot check at the moment'],
  ] as const)('rejected, %s', async (reason: SignInRefusal, retryAfterSeconds, status, words) => {
    answer = (request, reply) => {
      const refused = { kind: 'signInRefused', reason, username: 'u', retryAfterSeconds, formPurpose: 'p' } as const;
      const shown = refuseSignIn(request, reply, refused, { interactionId: 'i' }, rememberedRefusals());
      return reply.code(shown.status).send(problemWords(ENGLISH.words, shown.problem, 'username'));
    };
    const { statusCode, headers, body } = await app.inject({ url: '/', remoteAddress: '192.0.2.1' });
    expect(statusCode).toBe(status);
    expect(body).toContain(words);
    expect(headers['retry-after']).toBe(retryAfterSeconds === null ? undefined : String(retryAfterSeconds));
    const line = { level: 30, msg: 'refused', reason, interactionId: 'i', account: 'hash of u', address: '192.0.2.1' };
    // A caller who hung up gets no response, so the line is written immediately.
    expect(lines().filter(({ msg }) => msg === 'refused')).toHaveLength(reason === 'caller_gone' ? 2 : 1);
    for (const written of lines()) expect(written).toMatchObject(line);
    expect(JSON.stringify(lines())).not.toContain('"username"');
  });
});

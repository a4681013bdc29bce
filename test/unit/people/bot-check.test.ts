/** The check of a form by a challenge service: which answers of the service admit, refuse, or count as no answer. */
import { describe, expect, it } from 'vitest';
import {
  BOT_CHECK_FORMS,
  BOT_CHECK_SERVICES,
  type BotCheckPolicy,
  botCheckSchema,
} from '../../../policies/bot-check-schema.ts';
import { checkForBots } from '../../../src/people/bot-check/check.ts';
import { CHALLENGE_SERVICES } from '../../../src/people/bot-check/services.ts';

const policy = (more: Partial<BotCheckPolicy> = {}): BotCheckPolicy => ({
  ...botCheckSchema.parse({ service: 'turnstile', siteKey: 'site', forms: ['signUp'], whenUnavailable: 'refuse' }),
  ...more,
});

type Asked = { readonly url: string; readonly init: RequestInit };

function askedWith(
  botCheck: BotCheckPolicy | null,
  respond: () => Response | Promise<Response>,
  secret = 'the secret',
) {
  const asked: Asked[] = [];
  const deps = {
    configuration: () => ({ botCheck }),
    secretNamed: async (name: string) => (name === 'BOT_CHECK_SECRET' ? (secret ?? null) : null),
    upstreamFetch: async (url: string, init: RequestInit) => {
      asked.push({ url, init });
      return respond();
    },
  };
  return { asked, check: (answer: string | null = 'solved') => checkForBots(deps, 'signUp', () => answer) };
}

const json =
  (body: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status });
const refused = (reason: string) => ({ kind: 'refused', reason });
const ADMITTED = { kind: 'admitted', unchecked: false };

describe('the answer of the service', () => {
  it.each<[string, () => Response, unknown]>([
    ['admits a solved challenge', json({ success: true }), ADMITTED],
    [
      'refuses an unsolved challenge',
      json({ success: false, 'error-codes': ['invalid-input-response'] }),
      refused('bot_check_failed'),
    ],
    [
      'refuses an answer that was verified before',
      json({ success: false, 'error-codes': ['timeout-or-duplicate'] }),
      refused('bot_check_failed'),
    ],
    ['refuses a failure without codes', json({ success: false }), refused('bot_check_failed')],
    [
      'refuses codes that are no list',
      json({ success: false, 'error-codes': 'internal-error' }),
      refused('bot_check_failed'),
    ],
    ['admits by true alone, not by a text', json({ success: 'true' }), refused('bot_check_failed')],
    [
      'counts a wrong secret key as unavailable',
      json({ success: false, 'error-codes': ['invalid-input-secret'] }),
      refused('bot_check_unavailable'),
    ],
    [
      'counts a missing secret key as unavailable',
      json({ success: false, 'error-codes': ['missing-input-secret'] }),
      refused('bot_check_unavailable'),
    ],
    [
      'counts a site key of another account as unavailable',
      json({ success: false, 'error-codes': ['sitekey-secret-mismatch'] }),
      refused('bot_check_unavailable'),
    ],
    [
      'counts an internal error as unavailable',
      json({ success: false, 'error-codes': ['internal-error'] }),
      refused('bot_check_unavailable'),
    ],
    ['counts a success with status 500 as unavailable', json({ success: true }, 500), refused('bot_check_unavailable')],
    ['counts status 401 as unavailable', json({ success: false }, 401), refused('bot_check_unavailable')],
    ['counts status 403 as unavailable', json({ success: false }, 403), refused('bot_check_unavailable')],
    ['counts status 429 as unavailable', json({ success: false }, 429), refused('bot_check_unavailable')],
    ['reads a refusal with status 400', json({ success: false }, 400), refused('bot_check_failed')],
    ['counts text that is no JSON as unavailable', () => new Response('<html>'), refused('bot_check_unavailable')],
    ['counts JSON without success as unavailable', json({}), refused('bot_check_unavailable')],
    ['counts null as unavailable', json(null), refused('bot_check_unavailable')],
  ])('%s', async (_title, respond, outcome) => {
    expect(await askedWith(policy(), respond).check()).toEqual(outcome);
  });

  const away = () => Promise.reject(new Error('ECONNREFUSED'));
  it.each([
    ['refuse', refused('bot_check_unavailable')],
    ['admit', { kind: 'admitted', unchecked: true }],
  ] as const)('while the service is away, the policy decides: %s', async (whenUnavailable, outcome) => {
    expect(await askedWith(policy({ whenUnavailable }), away).check()).toEqual(outcome);
  });

  it('admits no unsolved challenge where the policy admits without the service', async () => {
    const { check } = askedWith(policy({ whenUnavailable: 'admit' }), json({ success: false }));
    expect(await check()).toEqual(refused('bot_check_failed'));
  });
});

describe('the request to the service', () => {
  it.each([
    ['turnstile', 'https://challenges.cloudflare.com/turnstile/v0/siteverify'],
    ['hcaptcha', 'https://api.hcaptcha.com/siteverify'],
  ] as const)('sends secret, site key and answer to %s as a form', async (service, url) => {
    const { asked, check } = askedWith(policy({ service }), json({ success: true }));
    await check('a&b=c');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ url, init: { method: 'POST' } });
    const sent = Object.fromEntries(new URLSearchParams(String(asked[0]?.init.body)));
    expect(sent).toEqual({ secret: 'the secret', sitekey: 'site', response: 'a&b=c' });
  });

  it('sends the secret to Friendly Captcha in a header', async () => {
    const { asked, check } = askedWith(policy({ service: 'friendly-captcha' }), json({ success: true }));
    await check('solved');
    expect(asked[0]).toMatchObject({
      url: 'https://global.frcapi.com/api/v2/captcha/siteverify',
      init: { method: 'POST', headers: { 'x-api-key': 'the secret' }, body: '{"sitekey":"site","response":"solved"}' },
    });
  });

  it('goes to the endpoint of the policy', async () => {
    const endpoint = 'https://eu.frcapi.com/api/v2/captcha/siteverify';
    const { asked, check } = askedWith(policy({ service: 'friendly-captcha', endpoint }), json({ success: true }));
    await check();
    expect(asked.map(({ url }) => url)).toEqual([endpoint]);
  });

  it.each([
    ['a form without an answer', policy(), null, refused('bot_check_missing')],
    ['a form with an empty answer', policy({ whenUnavailable: 'admit' }), '', refused('bot_check_missing')],
    ['a form that the policy does not name', policy({ forms: ['signIn', 'passwordReset'] }), null, ADMITTED],
    ['any form, without the file', null, null, ADMITTED],
  ] as const)('is not sent for %s', async (_title, botCheck, answer, outcome) => {
    const { asked, check } = askedWith(botCheck, json({ success: true }));
    expect(await check(answer)).toEqual(outcome);
    expect(asked).toEqual([]);
  });

  it('is not sent without the secret key', async () => {
    const { asked, check } = askedWith(policy(), json({ success: true }), '');
    expect([await check(), asked]).toEqual([refused('bot_check_unavailable'), []]);
  });
});

describe('bot-check.yaml', () => {
  const file = { service: 'hcaptcha', siteKey: 'k', forms: ['signUp'], whenUnavailable: 'admit' };

  it('names BOT_CHECK_SECRET unless it names another variable', () => {
    expect(botCheckSchema.parse(file)).toEqual({ ...file, secretEnvironment: 'BOT_CHECK_SECRET' });
  });

  it.each([
    ['another service', { service: 'recaptcha' }],
    ['no form', { forms: [] }],
    ['another form', { forms: ['consent'] }],
    ['a form twice', { forms: ['signUp', 'signUp'] }],
    ['an empty site key', { siteKey: '' }],
    ['a site key with a blank', { siteKey: 'a b' }],
    ['another policy', { whenUnavailable: 'ask' }],
    ['an endpoint without TLS', { endpoint: 'http://example.com/siteverify' }],
    ['an endpoint that is no URL', { endpoint: 'siteverify' }],
    ['a secret', { secret: 'x' }],
    ['a variable with a blank', { secretEnvironment: 'A B' }],
  ])('refuses %s', (_title, more) => {
    expect(botCheckSchema.safeParse({ ...file, ...more }).success).toBe(false);
  });

  it('offers every service and form to editors', () => {
    expect(Object.keys(CHALLENGE_SERVICES)).toEqual([...BOT_CHECK_SERVICES]);
    expect(new Set(Object.values(CHALLENGE_SERVICES).map(({ field }) => field)).size).toBe(BOT_CHECK_SERVICES.length);
    expect(BOT_CHECK_FORMS.every((form) => botCheckSchema.safeParse({ ...file, forms: [form] }).success)).toBe(true);
  });
});

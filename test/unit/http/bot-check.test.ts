/** Forms with a challenge service: its widget in the page, its answer in the form, and the work that waits for it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BotCheckPolicy } from '../../../policies/bot-check-schema.ts';
import { authorizeUrl, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { challengeService, SITE_SECRET, type TestChallengeService } from '../../support/challenge-service.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const ALICE = 'alice@example.com';
const BOB = 'bob@example.com';

let service: TestChallengeService;
let scene: Scene;
let mails: Mails;

async function open(policy: Partial<BotCheckPolicy> = {}) {
  service = await challengeService(policy);
  mails = keptMails();
  const configuration = {
    ...shippedConfiguration,
    signIn: { ...shippedConfiguration.signIn, signUp: 'open' as const, codeByMail: true },
    botCheck: service.policy,
  };
  const secretNamed = async (name: string) => (name === 'BOT_CHECK_SECRET' ? SITE_SECRET : null);
  scene = await openScene(anyDatabase, { mail: mails, configuration, secretNamed });
  mails.of(scene);
  await makeUser(scene, 'alice', { email: ALICE, email_verified: true });
}

const close = async () => {
  await scene.close();
  await service.close();
};

beforeEach(() => open());
afterEach(close);

const FIELD = 'cf-turnstile-response';
const FORMS = [
  ['/forgot-password', ALICE],
  ['/sign-up', BOB],
] as const;

const submit = async (path: string, email: string, answer?: string) => {
  const browser = new Browser(scene.app);
  return browser.submit(await browser.get(path), { email, ...(answer !== undefined && { [FIELD]: answer }) });
};

describe.each(FORMS)('%s', (path, email) => {
  it('shows the widget, and allows its sources alone', async () => {
    const page = await scene.app.inject(path);
    expect(page.body).toContain('<div class="cf-turnstile" data-sitekey="1x00000000000000000000AA"');
    expect(page.body).toContain('<noscript>');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain('script-src https://challenges.cloudflare.com;');
    expect(policy).toContain('frame-src https://challenges.cloudflare.com;');
    expect(policy).not.toContain('unsafe');
  });

  it('sends a mail after a solved challenge, which works once', async () => {
    const answer = service.solve();
    expect((await submit(path, email, answer)).url).toBe(`${path}?sent`);
    expect(await mails.to(email)).toHaveLength(1);
    const again = await submit(path, email, answer);
    expect(again).toMatchObject({ status: 400 });
    expect(again.body).toContain('Confirm that you are not a robot');
    expect(await mails.to(email)).toHaveLength(1);
    expect(service.asked).toHaveLength(2);
  });

  it.each([
    ['without an answer', undefined],
    ['with an empty answer', ''],
    ['with an invented answer', 'invented'],
  ])('sends no mail %s', async (_title, answer) => {
    const refused = await submit(path, email, answer);
    expect(refused).toMatchObject({ status: 400, url: path });
    expect(refused.body).toContain(`value="${email}"`);
    expect(await mails.to(email)).toEqual([]);
    expect(scene.logs()).toMatch(/"reason":"bot_check_(missing|failed)"/);
  });

  it('sends no mail while the service is broken and the policy refuses', async () => {
    service.break(500);
    const refused = await submit(path, email, 'anything');
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.body).toContain('We cannot check at the moment');
    expect(await mails.to(email)).toEqual([]);
  });

  it('checks the form token first, so another site cannot use up answers', async () => {
    const browser = new Browser(scene.app);
    const page = await browser.post(path, { csrf: 'x', email, [FIELD]: service.solve() });
    expect([page.status, service.asked]).toEqual([403, []]);
  });
});

describe('/sign-in', () => {
  const signIn = async (answer: string | undefined, password = PASSWORD, browser = new Browser(scene.app)) =>
    browser.submit(await browser.get('/sign-in'), {
      username: 'alice',
      password,
      ...(answer !== undefined && { [FIELD]: answer }),
    });

  it('shows the widget beside the password', async () => {
    const page = await scene.app.inject('/sign-in');
    expect(page.body).toMatch(/name="password"[\s\S]*class="cf-turnstile"[\s\S]*<button type="submit">/);
    expect(page.headers['content-security-policy']).toMatch(
      /script-src 'sha256-[^;]* https:\/\/challenges\.cloudflare\.com; frame-src https:/,
    );
  });

  it('signs in after a solved challenge', async () => {
    expect((await signIn(service.solve())).url).toBe('/account');
  });

  it.each([
    ['an answer that is missing', undefined, 400],
    ['an invented answer', 'invented', 400],
  ] as const)('checks no password for %s, and shows the form again', async (_title, answer, status) => {
    const counted = vi.spyOn(scene.deps.signInFailures, 'recentOf');
    for (const password of [PASSWORD, 'a wrong passphrase']) {
      const refused = await signIn(answer, password);
      expect(refused.status).toBe(status);
      expect(refused.body).toContain('Confirm that you are not a robot');
      expect(refused.body).toContain('value="alice"');
    }
    expect(counted).not.toHaveBeenCalled();
  });

  it('answers 503 while the service is broken and the policy refuses', async () => {
    service.break(500);
    expect((await signIn('anything')).status).toBe(503);
  });

  it('asks no service for a form without a password', async () => {
    expect((await signIn(service.solve(), '')).status).toBe(400);
    expect(service.asked).toEqual([]);
  });

  it('asks on the page of an authorization request too', async () => {
    const browser = new Browser(scene.app);
    const page = await browser.get(authorizeUrl(scene.client, await makePkce()));
    expect(page.body).toContain('class="cf-turnstile"');
    const refused = await browser.submit(page, { username: 'alice', password: PASSWORD });
    expect(refused.status).toBe(400);
    const consent = await browser.submit(refused, { username: 'alice', password: PASSWORD, [FIELD]: service.solve() });
    expect(consent.body).toContain('name="decision"');
  });
});

describe('/sign-in/code', () => {
  const ask = async (answer?: string) => {
    const browser = new Browser(scene.app);
    await browser.get('/sign-in');
    const page = await browser.get('/sign-in/code');
    expect(page.body).toContain('class="cf-turnstile"');
    return browser.submit(page, { username: 'alice', ...(answer !== undefined && { [FIELD]: answer }) });
  };

  it('sends a code after a solved challenge alone', async () => {
    expect(await ask()).toMatchObject({ status: 400 });
    expect(await ask('invented')).toMatchObject({ status: 400 });
    expect(await mails.to(ALICE)).toEqual([]);
    expect((await ask(service.solve())).url).toContain('/sign-in/code?sent=');
    expect(await mails.to(ALICE)).toHaveLength(1);
  });
});

describe('a policy that admits without the service', () => {
  it('sends the mail while the service is broken, and logs a warning', async () => {
    await close();
    await open({ whenUnavailable: 'admit' });
    service.break(502);
    expect((await submit('/sign-up', BOB, 'anything')).url).toBe('/sign-up?sent');
    expect(await mails.to(BOB)).toHaveLength(1);
    expect(scene.logs()).toContain('the challenge service does not answer; the form was admitted');
  });
});

describe('a policy for sign-ups alone', () => {
  it('leaves the other forms as they are', async () => {
    await close();
    await open({ forms: ['signUp'] });
    const page = await scene.app.inject('/forgot-password');
    expect(page.body).not.toContain('cf-turnstile');
    expect(page.headers['content-security-policy']).not.toContain('cloudflare');
    expect((await submit('/forgot-password', ALICE)).url).toBe('/forgot-password?sent');
    expect(service.asked).toEqual([]);
  });
});

it('neither the secret key nor an answer is in the log', async () => {
  const answer = service.solve();
  await submit('/sign-up', BOB, answer);
  await submit('/sign-up', BOB, 'invented-answer');
  expect(scene.logs()).not.toContain(SITE_SECRET);
  expect(scene.logs()).not.toContain(answer);
  expect(scene.logs()).not.toContain('invented-answer');
});

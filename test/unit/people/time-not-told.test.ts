/** An identity provider that does not say when the end-user authenticated. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../../support/browser.ts';
import { testClock } from '../../support/clock.ts';
import { anyDatabase } from '../../support/database.ts';
import { LIAR, type LyingProvider, lyingProvider } from '../../support/lying-provider.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { knowing, pressButton, signInPage, upstreamOf, withUpstream } from '../../support/upstream.ts';

let scene: Scene;
let provider: LyingProvider;
const clock = testClock(new Date());

beforeAll(async () => {
  provider = await lyingProvider(clock);
  scene = await openScene(anyDatabase, {
    clock,
    configuration: withUpstream(upstreamOf({ issuer: LIAR, client_id: 'statehouse', authTime: 'optional' })),
    secretNamed: knowing('a secret of the two'),
    change: (deps) => ({ ...deps, upstreamFetch: (url, init) => provider.fetch(url, init) }),
  });
});
afterAll(() => scene.close());

const CONSENT = 'name="decision"';
const SENSITIVE = ['/account/linked-identities', '/account/sign-in-methods', '/account/data', '/account/delete'];

it.each([
  [undefined, false],
  [Math.floor(clock.now().getTime() / 1000), true],
])('a session of a sign-in there with the auth_time %s satisfies max_age: %s', async (authTime, satisfies) => {
  provider.lie = { claims: { auth_time: authTime } };
  const browser = new Browser(scene.app);
  // No client requested this sign-in, so nothing asked the provider for a recent one.
  const away = await pressButton(browser, await browser.get('/sign-in'));
  expect((await browser.get(provider.callback(away.url))).url).toBe('/account');
  expect((await signInPage(browser, scene.client)).body).toContain(CONSENT);
  const page = await signInPage(browser, scene.client, { max_age: '300' });
  expect(page.body.includes(CONSENT)).toBe(satisfies);
  expect(page.body.includes('name="password"')).toBe(!satisfies);
});

it('an account with a way to sign in here proves itself by that', async () => {
  provider.lie = { claims: { auth_time: undefined } };
  const fresh = async (): Promise<Browser> => {
    const browser = new Browser(scene.app);
    const away = await pressButton(browser, await browser.get('/sign-in'));
    await browser.get(provider.callback(away.url));
    return browser;
  };
  const asked = async (browser: Browser) =>
    (await Promise.all(SENSITIVE.map((path) => browser.get(path)))).map(({ url }) => url.startsWith('/sign-in'));
  const first = await fresh();
  // The provider registered the account, which has no other way.
  expect(await asked(first)).toEqual(SENSITIVE.map(() => false));
  const chosen = 'a long enough password';
  const form = await first.get('/account/password');
  await first.submit(form, { chosen, repeated: chosen });
  const second = await fresh();
  expect(await asked(second)).toEqual(SENSITIVE.map(() => true));
  const again = await second.get('/account/sign-in-methods');
  await second.submit(again, { username: 'ada', password: chosen });
  expect(await asked(second)).toEqual(SENSITIVE.map(() => false));
});

/** A user with an authenticator app in a browser. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beginTrust } from '../../src/lifecycles/trusted-browser/lifecycle.ts';
import { type App, appWith, codesOn, secretOn } from '../../src/review/simulation/devices/authenticator-app.ts';
import { PASSWORD, type TestUser } from './actors.ts';
import type { TestApp } from './app.ts';
import { type Browser, formOf } from './browser.ts';

/** A browser that is trusted after a proof of this factor, with a secret that no test knows. @returns its id. */
export async function trustedBrowser(
  { deps: { trustedBrowsers } }: Pick<TestApp, 'deps'>,
  userId: string,
  factorId: string,
): Promise<string> {
  const browser = { id: randomUUID(), userId, factorId, userAgent: null, secretHash: randomBytes(32) };
  const facts = await trustedBrowsers.loadNew({ ...browser, userEpoch: 0n, serverEpoch: 0n });
  const epochs = { userEpoch: facts?.liveUserEpoch ?? 0n, serverEpoch: facts?.liveServerEpoch ?? 0n };
  const asked = { lifetimeSeconds: 86_400, proofIsDemanded: false };
  await beginTrust({ trustedBrowsers, sleep: async () => {} }, { ...browser, ...epochs }, asked);
  return browser.id;
}

export { type App, appWith, codesOn as recoveryCodesOn, secretOn };

export type Enrolled = { readonly app: App; readonly recoveryCodes: readonly string[] };

/** The person signs in and sets up an app at /sign-in/factor. The clock stands a step later afterwards, so that the next code is fresh. */
export async function enrol({ clock }: Pick<TestApp, 'clock'>, browser: Browser, user: TestUser): Promise<Enrolled> {
  const signIn = await browser.get('/sign-in?then=devices');
  await browser.submit(signIn, { username: user.username, password: PASSWORD });
  const page = await browser.get('/sign-in/factor?then=devices');
  const setUp = await browser.post('/sign-in/factor/set-up?then=devices', formOf(page.body).fields);
  const app = appWith(secretOn(setUp));
  const done = await browser.submit(setUp, { code: app.codeAt(clock.now()) });
  clock.advanceSeconds(30);
  return { app, recoveryCodes: codesOn(done) };
}

/** Factors for tests: an authenticator app, and what a person does with it in a browser. */
import { Secret, TOTP } from 'otpauth';
import { PASSWORD, type TestUser } from './actors.ts';
import type { TestApp } from './app.ts';
import { type Answer, type Browser, formOf } from './browser.ts';

export type App = { readonly codeAt: (now: Date) => string };

export const appWith = (secret: string): App => {
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
  return { codeAt: (now) => totp.generate({ timestamp: now.getTime() }) };
};

/** The secret that the page of the set-up shows. */
export const secretOn = ({ body }: Answer): string => /<code id="secret">([^<]*)</.exec(body)?.[1] ?? '';

export const recoveryCodesOn = ({ body }: Answer): string[] =>
  [...body.matchAll(/<li><code>([^<]*)<\/code>/g)].map(([, code]) => code ?? '');

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
  return { app, recoveryCodes: recoveryCodesOn(done) };
}

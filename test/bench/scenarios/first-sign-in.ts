/**
 * A new browser, up to the code: authorization request, sign-in page, its form, consent page, its form.
 * The stored hash of the password is one that costs next to nothing to check, so that everything else is measured.
 */
import { Browser } from '../browser.ts';
import type { Send } from '../http.ts';
import { authorizeUrl, codeOf, expected } from '../requests.ts';
import { PASSWORD } from '../setting.ts';
import type { Scenario } from './scenario.ts';

export const firstSignIn: Scenario = {
  name: 'first-sign-in',
  inFlight: [8],
  needs: [],
  isKnownTo: ({ authorizeUrl, seedNewUsers }) => authorizeUrl !== undefined && seedNewUsers !== undefined,
  prepare: async ({ seedNewUsers }, held, count) => {
    held.newUsers = (await seedNewUsers?.(count)) ?? [];
  },
  operate: async ({ target, held, send, index }) => {
    await signInAndAllow(send, target.authorizeUrl ?? '', held.newUsers[index] ?? '');
  },
};

/** @returns the code. */
export async function signInAndAllow(send: Send, endpoint: string, username: string): Promise<string> {
  const browser = new Browser(send, endpoint);
  const signInPage = await browser.follow(expected(await browser.get(authorizeUrl(endpoint)), 303));
  const signedIn = await browser.submit(expected(signInPage, 200), { username, password: PASSWORD });
  const consentPage = await browser.follow(expected(signedIn, 303));
  return codeOf(await browser.submit(expected(consentPage, 200), { decision: 'approve' }));
}

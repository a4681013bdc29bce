/** The password, the cookie, and the account itself. */
import type { Actor, Typed } from '../scenario.ts';
import type { Answer, CredentialOf } from '../stage.ts';
import { asksForConsent, DONE, type Person, plantCookie, refused, signInPage } from './person.ts';

export const presentPassword = ({ forCookie, password, user }: Person, actor: Actor, typed: Typed): Promise<Answer> =>
  forCookie(actor, async (browser) =>
    browser.submit(await signInPage(browser), { username: user.username, password: password(typed) }),
  );

export async function presentCookie(
  { browserOf, whyNotIn }: Person,
  actor: Actor,
  { value }: CredentialOf<'cookie'>,
): Promise<Answer> {
  const browser = browserOf(actor);
  plantCookie(browser, value);
  const { url } = await browser.get('/account');
  return url === '/account' ? DONE : refused(await whyNotIn(actor));
}

export async function setPassword(person: Person, actor: Actor, typed: Typed): Promise<Answer> {
  const entered = await person.section(actor, '/account/password');
  if (entered.kind !== 'in') return entered;
  const chosen = person.newPassword();
  const form = { csrf: entered.csrf, current: person.password(typed), chosen, repeated: chosen };
  const done = await person.forCookie(actor, (browser) => browser.post('/account/password', form));
  if (done.kind === 'gives') person.passwordChanged(chosen);
  return done;
}

export async function signOut({ browserOf }: Person, actor: Actor): Promise<Answer> {
  const browser = browserOf(actor);
  const page = await browser.get('/oauth/logout');
  if (asksForConsent(page)) await browser.submit(page, { decision: 'approve' });
  return DONE;
}

export const signOutElsewhere = ({ inAccount }: Person, actor: Actor): Promise<Answer> =>
  inAccount(actor, { page: '/account/devices', form: '/account/devices/end-others' }, {});

export const deleteAccount = ({ inAccount, user }: Person, actor: Actor): Promise<Answer> =>
  inAccount(actor, { page: '/account/delete' }, { username: user.username });

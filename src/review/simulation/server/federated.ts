/** The browser goes to another place, an account there signs in, and the browser comes back: to sign in here, or to link the account. */
import { formOf, type Answer as Page } from '../devices/browser.ts';
import type { Actor } from '../scenario.ts';
import type { Answer, CredentialOf } from '../stage.ts';
import { PROVIDER, type There } from './elsewhere.ts';
import { DONE, gives, type Person, refused, signInPage } from './person.ts';

const provider = `upstream:${PROVIDER}`;
const LINKED = '/account/linked-identities';

/** The browser has left. */
const wentTo = async (there: There, actor: Actor, kind: 'answer' | 'link', { url, status }: Page): Promise<Answer> =>
  url.startsWith('/') ? refused(`${status} ${url}`) : gives({ kind, callback: await there.signIn(actor, url) });

export async function goToSignIn({ browserOf, there }: Person, actor: Actor): Promise<Answer> {
  await there.open();
  const browser = browserOf(actor);
  const { csrf = '' } = formOf((await signInPage(browser)).body).fields;
  return wentTo(there, actor, 'answer', await browser.post('/sign-in/external', { csrf, provider }));
}

export async function goToLink({ inAccount, there }: Person, actor: Actor): Promise<Answer> {
  await there.open();
  return inAccount(actor, { page: LINKED, form: `${LINKED}/link` }, { provider }, (page) =>
    wentTo(there, actor, 'link', page),
  );
}

export async function comeBack(person: Person, actor: Actor, { kind, callback }: CredentialOf<'answer' | 'link'>) {
  if (kind === 'answer') return person.forCookie(actor, (browser) => browser.get(callback));
  const logged = person.server.logged();
  const page = await person.browserOf(actor).get(callback);
  if (!page.url.includes('?linked')) return refused(await person.reasonSince(actor, logged));
  const identities = await person.server.deps.identities.list(person.user.id);
  person.there.linked.set(callback, identities.at(-1)?.id ?? '');
  return DONE;
}

export const removeIdentity = (
  { inAccount, there: { linked } }: Person,
  actor: Actor,
  { callback }: CredentialOf<'answer' | 'link'>,
) => inAccount(actor, { page: LINKED, form: `${LINKED}/remove` }, { identity: linked.get(callback) ?? '' });

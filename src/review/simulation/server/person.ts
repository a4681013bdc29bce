/** One end-user of a scenario, the browsers in which they and others act for them, and the result of each request on the page and in the log. */
import { sha256 } from '../../../crypto/digest.ts';
import { languageOf } from '../../../http/words/languages.ts';
import { sessionEndReason, sessionState } from '../../../model/session.ts';
import { Browser, formOf, type Answer as Page } from '../devices/browser.ts';
import type { Actor, Typed } from '../scenario.ts';
import type { Answer, PersonalCredential, SessionSeen } from '../stage.ts';
import type { There } from './elsewhere.ts';
import type { Mails } from './mails.ts';
import { PASSWORD, type RegisteredUser } from './registering.ts';
import type { Server } from './server.ts';

export const refused = (reason: string): Answer => ({ kind: 'refused', reason });
export const gives = (credential: PersonalCredential): Answer => ({
  kind: 'gives',
  what: credential.kind,
  credential,
});
export const DONE: Answer = { kind: 'done' };

const SESSION = '__Host-statehouse-session';
const STRANGE = 'no end-user has this password';

/** Where the scenario does not name the browser of the resource owner, signing in is no step of its own. */
export const signsInAsAsked = ({ name, place }: Actor): boolean => name === 'resource owner' && place === null;

export const asksForPassword = ({ body }: Page): boolean => body.includes('name="password"');
export const asksForConsent = ({ body }: Page): boolean => body.includes('name="decision"');
/** The step that a page of an interaction requires instead of consent. */
export function missingOn(page: Page): string {
  if (page.status !== 200) return `the page answers ${page.status}`;
  return asksForPassword(page) ? 'sign_in_required' : 'factor_required';
}

const { words } = await languageOf('en');

/** A page says no in its own words, without a line in the log. */
export const saysNotProven = ({ body }: Page): boolean =>
  [words.accountMethods.problems.notProven, words.factor.refused.notProven].some((text) => body.includes(text));

type Entered = { readonly kind: 'in'; readonly page: Page; readonly csrf: string };

/** The server, its mails, and the identity provider. */
export type Surroundings = { readonly server: Server; readonly mails: Mails; readonly there: There };

export type Person = Surroundings & {
  readonly user: RegisteredUser;
  readonly browserOf: (actor: Actor) => Browser;
  readonly password: (typed: Typed) => string;
  /** One that this end-user has not had. */
  readonly newPassword: () => string;
  readonly passwordChanged: (to: string) => void;
  /** Types the password in a page that asks for it. */
  readonly typePassword: (browser: Browser, page: Page) => Promise<Page>;
  readonly session: (actor: Actor) => Promise<SessionSeen | null>;
  /** Why the account does not let this browser in. */
  readonly whyNotIn: (actor: Actor) => Promise<string>;
  /** The last reason in the log since then; else why the browser is not signed in. */
  readonly reasonSince: (actor: Actor, logged: number) => Promise<string>;
  /** Acts in a browser, and reads the outcome: a new cookie, or the reason why there is none. */
  readonly forCookie: (actor: Actor, action: (browser: Browser) => Promise<Page>) => Promise<Answer>;
  /** A page of the account, and the token of its forms; else why it is not shown. */
  readonly section: (actor: Actor, path: string) => Promise<Answer | Entered>;
  /** Sends a form of the account. @param outcome of the page that comes. */
  readonly inAccount: (
    actor: Actor,
    where: { readonly page: string; readonly form?: string },
    fields: Readonly<Record<string, string>>,
    outcome?: (page: Page) => Answer | Promise<Answer>,
  ) => Promise<Answer>;
};

/** @param address of all these browsers, so that failures of other scenarios do not count. */
export function personOf(around: Surroundings, user: RegisteredUser, address: string): Person {
  const { server } = around;
  const browsers = new Map<string, Browser>();
  const chosen = [PASSWORD];

  const browserOf = ({ name, place }: Actor): Browser => {
    const key = `${name} ${place}`;
    const browser = browsers.get(key) ?? new Browser(server.app, address);
    browsers.set(key, browser);
    return browser;
  };
  const password = (typed: Typed) => ({ right: chosen.at(-1), old: chosen.at(-2), wrong: STRANGE })[typed] ?? STRANGE;
  const typePassword = (browser: Browser, page: Page) =>
    browser.submit(page, { username: user.username, password: password('right') });

  const session = async (actor: Actor): Promise<SessionSeen | null> => {
    const cookie = browserOf(actor).cookies.get(SESSION);
    if (!cookie) return null;
    const { session } = await server.deps.sessions.load({ idHash: sha256(cookie) });
    if (session === null) return { state: 'unknown', reason: null };
    return { state: sessionState(session), reason: sessionEndReason(session) };
  };
  const whyNotIn = async (actor: Actor): Promise<string> => {
    const seen = await session(actor);
    if (seen === null) return 'sign_in_required';
    if (seen.state === 'awaitingSecondFactor') return 'second_factor_required';
    if (seen.state === 'active') return 'recent_sign_in_required';
    return seen.reason ?? 'session_unknown';
  };
  const reasonSince = async (actor: Actor, logged: number): Promise<string> =>
    server.since(logged).findLast(({ reason }) => reason)?.reason ?? (await whyNotIn(actor));

  const forCookie: Person['forCookie'] = async (actor, action) => {
    const browser = browserOf(actor);
    const before = browser.cookies.get(SESSION);
    const logged = server.logged();
    const page = await action(browser);
    const value = browser.cookies.get(SESSION);
    if (value && value !== before) return gives({ kind: 'cookie', value });
    return refused(saysNotProven(page) ? 'factor_not_proven' : await reasonSince(actor, logged));
  };
  const section: Person['section'] = async (actor, path) => {
    const browser = browserOf(actor);
    let page = await browser.get(path);
    if (signsInAsAsked(actor) && asksForPassword(page)) page = await typePassword(browser, page);
    if (!page.url.startsWith('/account')) return refused(await whyNotIn(actor));
    const form = page.body.slice(page.body.indexOf('name="csrf"') - 100);
    return { kind: 'in', page, csrf: formOf(form).fields['csrf'] ?? '' };
  };
  const inAccount: Person['inAccount'] = async (actor, { page, form = page }, fields, outcome = () => DONE) => {
    const entered = await section(actor, page);
    if (entered.kind !== 'in') return entered;
    const logged = server.logged();
    const answer = await browserOf(actor).post(form, { ...fields, csrf: entered.csrf });
    if (answer.status === 200 || !answer.url.startsWith('/')) return outcome(answer);
    return refused(saysNotProven(answer) ? 'factor_not_proven' : await reasonSince(actor, logged));
  };
  return {
    ...around,
    user,
    browserOf,
    password,
    newPassword: () => `quite another battery staple ${chosen.length}`,
    passwordChanged: (to) => void chosen.push(to),
    typePassword,
    session,
    whyNotIn,
    reasonSince,
    forCookie,
    section,
    inAccount,
  };
}

/** Puts the cookie of another browser into this one. */
export const plantCookie = (browser: Browser, value: string): void => void browser.cookies.set(SESSION, value);

/** The sign-in page, as a tab shows it that was opened before this browser was signed in. */
export async function signInPage(browser: Browser): Promise<Page> {
  const cookie = browser.cookies.get(SESSION);
  browser.cookies.delete(SESSION);
  const page = await browser.get('/sign-in');
  if (cookie) plantCookie(browser, cookie);
  return page;
}

/** What people do in the browsers of a scenario, on the real server: through its pages and forms, with a passkey in software. */
import { createHash } from 'node:crypto';
import { desc, eq, sql } from 'drizzle-orm';
import { words } from '../../../../src/http/words/en.ts';
import { signsInAsAsked } from '../../../../src/review/simulation/people/enter.ts';
import { newMailboxOf } from '../../../../src/review/simulation/people/mails.ts';
import type { Acting, Actor, PersonDeed, Typed } from '../../../../src/review/simulation/scenario.ts';
import type { Answer, SessionSeen } from '../../../../src/review/simulation/stage.ts';
import type { GivenKind } from '../../../../src/review/simulation/things.ts';
import { linkedIdentities, sessions } from '../../../../src/storage/schema.ts';
import { PASSWORD, type TestUser } from '../../../support/actors.ts';
import { ISSUER } from '../../../support/app.ts';
import { makePasskey, optionsOn, type SoftwarePasskey, signWithPasskey } from '../../../support/authenticator.ts';
import { Browser, formOf, type Answer as Page } from '../../../support/browser.ts';
import { type App, appWith, recoveryCodesOn, secretOn } from '../../../support/factors.ts';
import { linkIn, type Mails } from '../../../support/mails.ts';
import type { Scene } from '../../../support/scene.ts';
import type { Elsewhere } from './elsewhere.ts';

/** What a step of a person gives, and later steps present. */
export type ServerThing =
  | { readonly kind: 'cookie'; readonly value: string }
  | { readonly kind: 'app'; readonly id: string; readonly app: App }
  | { readonly kind: 'appCode'; readonly code: string }
  | {
      readonly kind: 'passkey';
      readonly passkey: SoftwarePasskey;
      readonly id: string;
      readonly copies: Map<Actor['name'], number>;
    }
  | { readonly kind: 'recoveryCode'; readonly code: string }
  | { readonly kind: 'answer' | 'link'; readonly callback: string }
  /** The path of the link. */
  | { readonly kind: 'resetMail' | 'changeMail' | 'undoMail' | 'lostMail'; readonly link: string };

type Said = Answer<ServerThing>;

const SESSION = '__Host-statehouse-session';
const COMPANY = 'upstream:company';
/** Of the signature that registers a passkey. */
const FIRST_COUNTER = 1;
const STRANGE = 'nobody has this password';
const METHODS = '/account/sign-in-methods';

const refused = (reason: string): Said => ({ kind: 'refused', reason });
const gives = (credential: ServerThing): Said => ({
  kind: 'gives',
  what: credential.kind satisfies GivenKind,
  credential,
});
const DONE: Said = { kind: 'done' };

export type ServerPeople = {
  readonly browserOf: (actor: Actor) => Browser;
  /** Types the password in a page that asks for it. */
  readonly typePassword: (browser: Browser, page: Page) => Promise<Page>;
  readonly act: (actor: Actor, action: Acting, thing: ServerThing | null) => Promise<Said>;
  readonly session: (actor: Actor) => Promise<SessionSeen | null>;
  /** The reason in the log since it was that long; else why the browser is not signed in. */
  readonly reasonSince: (actor: Actor, begun: number) => Promise<string>;
  /** With its consent page open. */
  readonly consentPages: Map<Browser, Page>;
};

/** @param address of all these browsers, so that failures of other scenarios do not count. */
export function serverPeople(
  scene: Scene,
  elsewhere: Elsewhere,
  user: TestUser,
  { address, consentPage, mails }: { readonly address: string; readonly consentPage: string; readonly mails: Mails },
): ServerPeople {
  const db = scene.database.drizzle;
  const browsers = new Map<string, Browser>();
  const consentPages = new Map<Browser, Page>();
  const chosen = [PASSWORD];
  const signInThere = elsewhere.accounts();

  const browserOf = ({ name, place }: Actor): Browser => {
    const key = `${name} ${place}`;
    const browser = browsers.get(key) ?? new Browser(scene.app, address);
    browsers.set(key, browser);
    return browser;
  };
  const password = (typed: Typed) => ({ right: chosen.at(-1), old: chosen.at(-2), wrong: STRANGE })[typed] ?? STRANGE;
  const typePassword = (browser: Browser, page: Page) =>
    browser.submit(page, { username: user.username, password: password('right') });

  const session = async (actor: Actor): Promise<SessionSeen | null> => {
    const cookie = browserOf(actor).cookies.get(SESSION);
    if (!cookie) return null;
    const [row] = await db
      .select({ state: sql<SessionSeen['state']>`ss.state`, reason: sql<string | null>`ss.reason` })
      .from(sessions)
      .innerJoin(sql`session_states ss`, sql`ss.sid = ${sessions.sid}`)
      .where(eq(sessions.idHash, createHash('sha256').update(cookie).digest()));
    return row ?? { state: 'unknown', reason: null };
  };

  /** Why the account does not let this browser in. */
  const whyNotIn = async (actor: Actor): Promise<string> => {
    const seen = await session(actor);
    if (seen === null) return 'sign_in_required';
    if (seen.state === 'awaitingSecondFactor') return 'second_factor_required';
    if (seen.state === 'active') return 'recent_sign_in_required';
    return seen.reason ?? 'session_unknown';
  };
  const reasonSince = async (actor: Actor, begun: number): Promise<string> => {
    const reasons = scene
      .logs()
      .slice(begun)
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .flatMap((line): string[] => JSON.parse(line).reason ?? []);
    return reasons.at(-1) ?? (await whyNotIn(actor));
  };

  /** A page says no in its own words, without a line in the log. */
  const saysNotProven = ({ body }: Page) =>
    [words.accountMethods.problems.notProven, words.factor.refused.notProven].some((text) => body.includes(text));

  /** Runs one deed in a browser, and reads what came of it: a new cookie, or why there is none. */
  async function forCookie(actor: Actor, deed: (browser: Browser) => Promise<Page>): Promise<Said> {
    const browser = browserOf(actor);
    const before = browser.cookies.get(SESSION);
    const begun = scene.logs().length;
    const page = await deed(browser);
    const value = browser.cookies.get(SESSION);
    if (value && value !== before) return gives({ kind: 'cookie', value });
    return refused(saysNotProven(page) ? 'factor_not_proven' : await reasonSince(actor, begun));
  }

  /** A page of the account, and the token of its forms; else why it is not shown. */
  async function section(
    actor: Actor,
    path: string,
  ): Promise<Said | { readonly kind: 'in'; readonly page: Page; readonly csrf: string }> {
    const browser = browserOf(actor);
    let page = await browser.get(path);
    // Where the scenario does not name the browser of the resource owner, signing in is no step of its own.
    if (signsInAsAsked(actor) && page.body.includes('name="password"')) page = await typePassword(browser, page);
    if (!page.url.startsWith('/account')) return refused(await whyNotIn(actor));
    return {
      kind: 'in',
      page,
      csrf: formOf(page.body.slice(page.body.indexOf('name="csrf"') - 100)).fields['csrf'] ?? '',
    };
  }

  /** Sends a form of the account. @param isDone of the page that comes. */
  async function inAccount(
    actor: Actor,
    { page, form = page }: { readonly page: string; readonly form?: string },
    fields: Readonly<Record<string, string>>,
    outcome: (page: Page) => Said | Promise<Said> = () => DONE,
  ): Promise<Said> {
    const entered = await section(actor, page);
    if (entered.kind !== 'in') return entered;
    const begun = scene.logs().length;
    const answer = await browserOf(actor).post(form, { ...fields, csrf: entered.csrf });
    if (answer.status === 200 || !answer.url.startsWith('/')) return outcome(answer);
    return refused(saysNotProven(answer) ? 'factor_not_proven' : await reasonSince(actor, begun));
  }

  /** The sign-in page, without the account that is signed in. */
  async function signInPage(browser: Browser): Promise<Page> {
    const page = await browser.get('/sign-in?another=yes');
    if (!page.url.startsWith('/sign-in')) throw new Error('This browser is signed in already.');
    return page;
  }

  async function setUpApp(actor: Actor): Promise<Said> {
    const browser = browserOf(actor);
    const awaits = (await session(actor))?.state === 'awaitingSecondFactor';
    const confirm = async (page: Page): Promise<Said> => {
      if (saysNotProven(page)) return refused('factor_not_proven');
      const id = formOf(page.body).fields['factor'] ?? '';
      const app = appWith(secretOn(page));
      const done = await forCookie(actor, () => browser.submit(page, { code: app.codeAt(scene.clock.now()) }));
      return done.kind === 'gives' ? gives({ kind: 'app', id, app }) : done;
    };
    if (!awaits) return inAccount(actor, { page: METHODS, form: `${METHODS}/apps/set-up` }, {}, confirm);
    const { csrf = '' } = formOf((await browser.get('/sign-in/factor')).body).fields;
    return confirm(await browser.post('/sign-in/factor/set-up', { csrf }));
  }

  async function addPasskey(actor: Actor): Promise<Said> {
    const entered = await section(actor, `${METHODS}/passkey`);
    if (entered.kind !== 'in') return entered;
    const made = makePasskey(optionsOn(entered.page.body), ISSUER, FIRST_COUNTER);
    const { credential, passkey } = made;
    const done = await forCookie(actor, (browser) =>
      browser.post(`${METHODS}/passkeys`, { csrf: entered.csrf, credential, name: passkey.id }),
    );
    if (done.kind !== 'gives') return done;
    const [row] = await db.select({ id: sql<string>`id` }).from(sql`passkeys where name = ${passkey.id}`);
    return gives({ kind: 'passkey', passkey, id: row?.id ?? '', copies: new Map() });
  }

  async function presentPasskey(
    actor: Actor,
    { passkey, copies }: Extract<ServerThing, { kind: 'passkey' }>,
  ): Promise<Said> {
    const counter = (copies.get(actor.name) ?? FIRST_COUNTER) + 1;
    copies.set(actor.name, counter);
    return forCookie(actor, async (browser) => {
      // After a password the page asks for the second factor.
      const awaits = (await session(actor))?.state === 'awaitingSecondFactor';
      const page = await (awaits ? browser.get('/sign-in/factor') : signInPage(browser));
      const credential = signWithPasskey(passkey, optionsOn(page.body), ISSUER, counter);
      return browser.post(awaits ? '/sign-in/factor/passkey' : '/sign-in/passkey', {
        csrf: formOf(page.body).fields['csrf'] ?? '',
        credential,
      });
    });
  }

  async function presentCode(actor: Actor, code: string): Promise<Said> {
    const page = await browserOf(actor).get('/sign-in/factor');
    if (!page.body.includes('name="code"')) return refused(await whyNotIn(actor));
    const { csrf = '' } = formOf(page.body).fields;
    return forCookie(actor, (browser) => browser.post('/sign-in/factor', { csrf, code }));
  }

  /** The browser has left, and somebody signs in where it went. */
  const goneTo = async (actor: Actor, kind: 'answer' | 'link', { url, status }: Page): Promise<Said> =>
    url.startsWith('/') ? refused(`${status} ${url}`) : gives({ kind, callback: await signInThere(actor, url) });

  async function comeBack(
    actor: Actor,
    { kind, callback }: Extract<ServerThing, { kind: 'answer' | 'link' }>,
  ): Promise<Said> {
    if (kind === 'answer') return forCookie(actor, (browser) => browser.get(callback));
    const begun = scene.logs().length;
    const page = await browserOf(actor).get(callback);
    return page.url.includes('?linked') ? DONE : refused(await reasonSince(actor, begun));
  }

  async function presentCookie(actor: Actor, value: string): Promise<Said> {
    const browser = browserOf(actor);
    browser.cookies.set(SESSION, value);
    const { url } = await browser.get('/account');
    return url === '/account' ? DONE : refused(await whyNotIn(actor));
  }

  async function setPassword(actor: Actor, typed: Typed): Promise<Said> {
    const entered = await section(actor, '/account/password');
    if (entered.kind !== 'in') return entered;
    const next = `quite another battery staple ${chosen.length}`;
    const form = { csrf: entered.csrf, current: password(typed), chosen: next, repeated: next };
    const done = await forCookie(actor, (browser) => browser.post('/account/password', form));
    if (done.kind === 'gives') chosen.push(next);
    return done;
  }

  async function signOut(actor: Actor): Promise<Said> {
    const browser = browserOf(actor);
    const page = await browser.get('/oauth/logout');
    if (page.body.includes('name="decision"')) await browser.submit(page, { decision: 'approve' });
    return DONE;
  }

  async function openConsent(actor: Actor): Promise<Said> {
    const browser = browserOf(actor);
    const page = await browser.get(consentPage);
    if (!page.body.includes('name="decision"')) return refused(missingOn(page));
    consentPages.set(browser, page);
    return DONE;
  }

  /** Of the newest mail to this mailbox that has a link. */
  const linkTo = async (mailbox: string): Promise<string> =>
    linkIn((await mails.to(mailbox)).findLast(({ text }) => text.includes('/email/link')));
  const ownMailbox = async (): Promise<string> => {
    const { claims } = (await scene.deps.users.findForSignIn(user.username)) ?? {};
    return String(claims?.['email'] ?? '');
  };
  /** Each scenario has mailboxes of its own. */
  const newMailbox = (actor: Actor) => `${user.username}.${newMailboxOf(actor)}`;

  async function askForReset(actor: Actor): Promise<Said> {
    const browser = browserOf(actor);
    const mailbox = await ownMailbox();
    await browser.submit(await browser.get('/forgot-password'), { email: mailbox });
    return gives({ kind: 'resetMail', link: await linkTo(mailbox) });
  }

  const askForChange = (actor: Actor): Promise<Said> =>
    inAccount(
      actor,
      { page: '/account/email', form: '/account/email/change' },
      { email: newMailbox(actor) },
      async () => gives({ kind: 'changeMail', link: await linkTo(newMailbox(actor)) }),
    );

  async function askAboutLostFactors(actor: Actor): Promise<Said> {
    const browser = browserOf(actor);
    const page = await browser.get('/email/lost-factors');
    if (!page.url.startsWith('/email')) return refused(await whyNotIn(actor));
    const begun = scene.logs().length;
    const { status } = await browser.submit(page, {});
    if (status !== 200) {
      const reason = await reasonSince(actor, begun);
      // The log says it in the words of the page.
      return refused(reason === 'lost_factors_passwordFromMail' ? 'password_from_mail' : reason);
    }
    return gives({ kind: 'lostMail', link: await linkTo(await ownMailbox()) });
  }

  async function pressButton(
    actor: Actor,
    { kind, link }: Extract<ServerThing, { readonly link: string }>,
  ): Promise<Said> {
    const browser = browserOf(actor);
    const before = await ownMailbox();
    const begun = scene.logs().length;
    const page = await browser.get(link);
    const next = `yet another battery staple ${chosen.length}`;
    const fields: Readonly<Record<string, string>> = kind === 'resetMail' ? { password: next } : {};
    const done = page.status === 200 ? await browser.submit(page, fields) : page;
    if (!done.url.startsWith('/email/done')) return refused(await reasonSince(actor, begun));
    if (kind === 'resetMail') chosen.push(next);
    return kind === 'changeMail' ? gives({ kind: 'undoMail', link: await linkTo(before) }) : DONE;
  }

  const DEEDS: Readonly<Record<PersonDeed, (actor: Actor, typed: Typed) => Promise<Said>>> = {
    'open the consent page': openConsent,
    'set up an authenticator app': setUpApp,
    'add a passkey': addPasskey,
    'make recovery codes': (actor) =>
      inAccount(actor, { page: METHODS, form: `${METHODS}/recovery-codes` }, {}, (page) =>
        gives({ kind: 'recoveryCode', code: recoveryCodesOn(page)[0] ?? '' }),
      ),
    'go elsewhere to sign in': async (actor) => {
      const browser = browserOf(actor);
      const { csrf = '' } = formOf((await signInPage(browser)).body).fields;
      return goneTo(actor, 'answer', await browser.post('/sign-in/external', { csrf, provider: COMPANY }));
    },
    'go elsewhere to link': (actor) =>
      inAccount(
        actor,
        { page: '/account/linked-identities', form: '/account/linked-identities/link' },
        { provider: COMPANY },
        (page) => goneTo(actor, 'link', page),
      ),
    'ask for a new password': askForReset,
    'ask to change the address': askForChange,
    'say that every factor was lost': askAboutLostFactors,
    'set a new password': setPassword,
    'sign out': signOut,
    'sign out elsewhere': (actor) =>
      inAccount(actor, { page: '/account/devices', form: '/account/devices/end-others' }, {}),
    'delete the account': async (actor) => {
      const done = await inAccount(actor, { page: '/account/delete' }, { username: user.username });
      return done;
    },
  };

  async function show(actor: Actor, thing: ServerThing): Promise<Said> {
    switch (thing.kind) {
      case 'cookie':
        return presentCookie(actor, thing.value);
      case 'appCode':
      case 'recoveryCode':
        return presentCode(actor, thing.code);
      case 'passkey':
        return presentPasskey(actor, thing);
      case 'answer':
      case 'link':
        return comeBack(actor, thing);
      case 'resetMail':
      case 'changeMail':
      case 'undoMail':
      case 'lostMail':
        return pressButton(actor, thing);
      case 'app':
        return DONE;
    }
  }

  async function remove(actor: Actor, thing: ServerThing): Promise<Said> {
    switch (thing.kind) {
      case 'app':
        return inAccount(actor, { page: METHODS, form: `${METHODS}/apps/remove` }, { id: thing.id });
      case 'passkey':
        return inAccount(actor, { page: METHODS, form: `${METHODS}/passkeys/remove` }, { id: thing.id });
      case 'link': {
        const [row] = await db
          .select({ id: linkedIdentities.id })
          .from(linkedIdentities)
          .where(eq(linkedIdentities.userId, user.id))
          .orderBy(desc(linkedIdentities.linkedAt));
        const page = '/account/linked-identities';
        return inAccount(actor, { page, form: `${page}/remove` }, { identity: row?.id ?? '' });
      }
      default:
        return DONE;
    }
  }

  return {
    browserOf,
    typePassword,
    session,
    reasonSince,
    consentPages,
    act: (actor, { act, password: typed }, thing) => {
      switch (act) {
        case 'shows':
          return thing === null
            ? forCookie(actor, async (browser) =>
                browser.submit(await signInPage(browser), { username: user.username, password: password(typed) }),
              )
            : show(actor, thing);
        case 'reads':
          return Promise.resolve(
            thing?.kind === 'app' ? gives({ kind: 'appCode', code: thing.app.codeAt(scene.clock.now()) }) : DONE,
          );
        case 'removes':
          return thing === null ? Promise.resolve(DONE) : remove(actor, thing);
        default:
          return DEEDS[act](actor, typed);
      }
    },
  };
}

/** What a page of an interaction asks for instead of consent. */
export const missingOn = ({ body }: Page): string =>
  body.includes('name="password"') ? 'sign_in_required' : 'factor_required';

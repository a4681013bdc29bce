/** Authenticator apps, recovery codes and passkeys: set up, presented, removed. */
import { appWith, codesOn, secretOn } from '../devices/authenticator-app.ts';
import { type Browser, formOf, type Answer as Page } from '../devices/browser.ts';
import { makePasskey, optionsOn, signWithPasskey } from '../devices/passkey.ts';
import type { Actor } from '../scenario.ts';
import type { Answer, CredentialOf } from '../stage.ts';
import { DONE, gives, type Person, refused, saysNotProven, signInPage } from './person.ts';

const DEVICES = '/account/devices';
const METHODS = '/account/sign-in-methods';
const FACTOR = '/sign-in/factor';
/** Of the signature that registers a passkey. */
const FIRST_COUNTER = 1;

const awaitsFactor = async ({ session }: Person, actor: Actor): Promise<boolean> =>
  (await session(actor))?.state === 'awaitingSecondFactor';

export async function setUpApp(person: Person, actor: Actor): Promise<Answer> {
  const { browserOf, forCookie, inAccount, server } = person;
  const browser = browserOf(actor);
  const confirm = async (page: Page): Promise<Answer> => {
    if (saysNotProven(page)) return refused('factor_not_proven');
    const id = formOf(page.body).fields['factor'] ?? '';
    const app = appWith(secretOn(page));
    const done = await forCookie(actor, () => browser.submit(page, { code: app.codeAt(server.clock.now()) }));
    return done.kind === 'gives' ? gives({ kind: 'app', id, app }) : done;
  };
  if (!(await awaitsFactor(person, actor)))
    return inAccount(actor, { page: METHODS, form: `${METHODS}/apps/set-up` }, {}, confirm);
  const { csrf = '' } = formOf((await browser.get(FACTOR)).body).fields;
  return confirm(await browser.post(`${FACTOR}/set-up`, { csrf }));
}

export const newCodes = ({ inAccount }: Person, actor: Actor): Promise<Answer> =>
  inAccount(actor, { page: METHODS, form: `${METHODS}/recovery-codes` }, {}, (page) =>
    gives({ kind: 'recoveryCode', code: codesOn(page)[0] ?? '' }),
  );

/** The page of the second factor has a box, which its next form sends. */
const boxIsChecked = new WeakSet<Browser>();
export const checkTrustBox = async ({ browserOf }: Person, actor: Actor): Promise<Answer> => {
  boxIsChecked.add(browserOf(actor));
  return DONE;
};

export const trustNoBrowser = ({ inAccount }: Person, actor: Actor): Promise<Answer> =>
  inAccount(actor, { page: DEVICES, form: `${DEVICES}/end-all-trust` }, {});

export async function presentCode(
  { browserOf, forCookie, whyNotIn }: Person,
  actor: Actor,
  { code }: CredentialOf<'appCode' | 'recoveryCode'>,
): Promise<Answer> {
  const page = await browserOf(actor).get(FACTOR);
  if (!page.body.includes('name="code"')) return refused(await whyNotIn(actor));
  const { csrf = '' } = formOf(page.body).fields;
  return forCookie(actor, (browser) => {
    const isChecked = boxIsChecked.delete(browser) && page.body.includes('name="trust"');
    return browser.post(FACTOR, { csrf, code, ...(isChecked && { trust: 'yes' }) });
  });
}

export async function addPasskey({ section, forCookie, server, user }: Person, actor: Actor): Promise<Answer> {
  const entered = await section(actor, `${METHODS}/passkey`);
  if (entered.kind !== 'in') return entered;
  const { credential, passkey } = makePasskey(optionsOn(entered.page.body), server.issuer, FIRST_COUNTER);
  const done = await forCookie(actor, (browser) =>
    browser.post(`${METHODS}/passkeys`, { csrf: entered.csrf, credential, name: passkey.id }),
  );
  if (done.kind !== 'gives') return done;
  const all = await server.deps.secondFactors.listPasskeys(user.id);
  const id = all.find(({ name }) => name === passkey.id)?.id ?? '';
  return gives({ kind: 'passkey', passkey, id, copies: new Map() });
}

export function presentPasskey(
  person: Person,
  actor: Actor,
  { passkey, copies }: CredentialOf<'passkey'>,
): Promise<Answer> {
  const counter = (copies.get(actor.name) ?? FIRST_COUNTER) + 1;
  copies.set(actor.name, counter);
  return person.forCookie(actor, async (browser) => {
    // After a password the page asks for the second factor.
    const awaits = await awaitsFactor(person, actor);
    const page = await (awaits ? browser.get(FACTOR) : signInPage(browser));
    const credential = signWithPasskey(passkey, optionsOn(page.body), person.server.issuer, counter);
    return browser.post(awaits ? `${FACTOR}/passkey` : '/sign-in/passkey', {
      csrf: formOf(page.body).fields['csrf'] ?? '',
      credential,
    });
  });
}

export const removeApp = ({ inAccount }: Person, actor: Actor, { id }: CredentialOf<'app'>): Promise<Answer> =>
  inAccount(actor, { page: METHODS, form: `${METHODS}/apps/remove` }, { id });

export const removePasskey = ({ inAccount }: Person, actor: Actor, { id }: CredentialOf<'passkey'>): Promise<Answer> =>
  inAccount(actor, { page: METHODS, form: `${METHODS}/passkeys/remove` }, { id });

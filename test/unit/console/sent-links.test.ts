/** Links that operators send: for a new password, and to invite a person. The operator never sees the link. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transitions } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD } from '../../support/actors.ts';
import { disableUser } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';

const LINK = '/console/end-user/link';
const INVITATIONS = '/console/invitations';
const CHOSEN = 'another long passphrase';

let opened: TestDatabase;
let test: ConsoleApp;
let operator: Browser;
let serial = 0;
const mails = keptMails();
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  const signIn = { ...shippedConfiguration.signIn, signUp: 'invitation' } as const;
  test = await openConsoleApp(opened.database, { configuration: { ...shippedConfiguration, signIn }, mail: mails });
  mails.of(test);
  operator = consoleBrowser(test);
  await openPage(operator, test.operator);
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
});

const personWith = async (isVerified: boolean) => {
  const email = `grace-${++serial}@example.com`;
  return { email, ...(await makeUser(test, undefined, { email, email_verified: isVerified })) };
};
const linkPage = (id: string) => operator.get(`${LINK}?id=${id}`);
const signsIn = async (username: string, password: string) => {
  const browser = new Browser(test.app);
  return (await browser.submit(await browser.get('/sign-in'), { username, password })).url === '/account';
};

describe('a link for a new password', () => {
  it('reaches the verified address, sets a password, and is in no answer of the console', async () => {
    const { id, username, email } = await personWith(true);
    expect((await operator.get(`/console/end-user?id=${id}`)).body).toContain('Send a link…');
    const page = await linkPage(id);
    expect(page.body).toContain(email);
    const form = formTo(page, LINK);
    const done = await operator.post(LINK, form);
    expect(done.body).toContain('The server sends the link within a second or two');
    // The same form again, as after a double click, sends no second mail.
    await operator.post(LINK, form);
    expect(await mails.to(email)).toHaveLength(1);
    const link = await mails.link(email);
    expect(`${page.body}${done.body}`).not.toContain('email/link');
    expect(await signsIn(username, PASSWORD)).toBe(true);
    const owner = new Browser(test.app);
    await owner.submit(await owner.get(link), { password: CHOSEN });
    expect([await signsIn(username, PASSWORD), await signsIn(username, CHOSEN)]).toEqual([false, true]);
    const lines = await test.database.drizzle.select().from(transitions);
    const line = lines.find(({ machine, userId }) => machine === 'emailChallenge' && userId === id);
    expect(line).toMatchObject({ event: 'requested', actor: `operator ${test.operator.id}` });
  });

  it('verifies an address that is not verified, and sets no password there', async () => {
    const { id, username, email } = await personWith(false);
    const page = await linkPage(id);
    expect(page.body).toContain('not verified');
    await operator.post(LINK, formTo(page, LINK));
    const owner = new Browser(test.app);
    const shown = await owner.get(await mails.link(email));
    expect(shown.body).not.toContain('name="password"');
    await owner.submit(shown, {});
    expect(await signsIn(username, PASSWORD)).toBe(true);
    expect((await linkPage(id)).body).not.toContain('not verified');
  });

  it('is offered neither without an address nor to a disabled end-user, and the API refuses both', async () => {
    const { id: without } = await makeUser(test);
    const ended = await personWith(true);
    await disableUser(test.database.drizzle, ended.username);
    for (const [id, words] of [
      [without, 'no e-mail address'],
      [ended.id, 'A disabled end-user gets no link'],
    ] as const) {
      const { body } = await linkPage(id);
      expect(body).toContain(words);
      expect(body).not.toContain(`action="${LINK}"`);
      const form = formTo(await linkPage((await personWith(true)).id), LINK);
      expect((await operator.post(LINK, { ...form, id })).status).toBe(409);
    }
    expect(await mails.to(ended.email)).toEqual([]);
  });
});

describe('a server without a mail server', () => {
  it('says so before an operator sends anything', async () => {
    const without = await openTestDatabase('embedded');
    const silent = await openConsoleApp(without.database);
    const browser = consoleBrowser(silent);
    await openPage(browser, silent.operator);
    const { id } = await makeUser(silent, undefined, { email: 'grace@example.com', email_verified: true });
    for (const path of [`${LINK}?id=${id}`, INVITATIONS]) {
      const { body } = await browser.get(path);
      expect(body).toContain('This server sends no mails.');
      expect(body).not.toContain(`action="${path.split('?')[0]}"`);
    }
    await silent.app.close();
    await without.close();
  });
});

describe('invitations in the console', () => {
  it('are sent, listed and withdrawn', async () => {
    const email = 'hedy@example.com';
    const sent = await operator.post(INVITATIONS, { ...formTo(await operator.get(INVITATIONS), INVITATIONS), email });
    expect(sent.body).toContain('The server sends the invitation');
    expect(sent.body).toContain(email);
    const link = await mails.link(email);
    expect(sent.body).not.toContain('email/link');
    const done = await operator.post(`${INVITATIONS}/withdraw`, formTo(sent, `${INVITATIONS}/withdraw`));
    expect(done.body).toContain('Withdrawn');
    expect(done.body).toContain('Invitations that can still be used: none.');
    expect((await new Browser(test.app).get(link)).body).not.toContain('name="username"');
  });

  it('keep the typed text where it is no address', async () => {
    const form = formTo(await operator.get(INVITATIONS), INVITATIONS);
    const { status, body } = await operator.post(INVITATIONS, { ...form, email: 'hedy at example' });
    expect(status).toBe(400);
    expect(body).toContain('value="hedy at example"');
    expect(body).toContain('Expected an address such as');
  });
});

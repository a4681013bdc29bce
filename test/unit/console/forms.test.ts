/** Forms of the console: only the recipient of a form can send it, and the page shows every rejection by the API. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { consoleSessions, grants } from '../../../src/storage/schema.ts';
import { findUserForSignIn } from '../../../src/storage/users.ts';
import { makeClient, makeUser, obtainTokens, PASSWORD, refresh, type TestClient } from '../../support/actors.ts';
import { disableUser, enableUser, saveClient } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import type { Answer, Browser } from '../../support/browser.ts';
import {
  type ConsoleApp,
  consoleBrowser,
  formTo,
  OPERATOR,
  openConsoleApp,
  openPage,
  SAME_ORIGIN,
} from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { findClient } from '../../support/stored-clients.ts';
import { trustedBrowser } from '../../support/trusted-browser.ts';

const DELETE = '/console/client/delete';

let opened: TestDatabase;
let test: ConsoleApp;
let client: TestClient;
let browser: Browser;
let page: Answer;
let fields: Readonly<Record<string, string>>;
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  const signIn = { ...shippedConfiguration.signIn, trustedBrowserLifetimeSeconds: 86_400 };
  test = await openConsoleApp(opened.database, { configuration: { ...shippedConfiguration, signIn } });
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
});
beforeEach(async () => {
  // A person has at most twenty, and the clock stands still.
  await test.database.drizzle.delete(consoleSessions);
  client = await makeClient(test);
  browser = consoleBrowser(test);
  page = await openPage(browser, test.operator, `${DELETE}?id=${client.clientId}`);
  fields = formTo(page, DELETE);
});

const lives = async () => (await findClient(test.database.drizzle, client.clientId)) !== null;

/** Another browser, with the cookies of this browser. */
function posing(headers: Readonly<Record<string, string>>): Browser {
  const other = consoleBrowser(test, headers);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

describe('a form', () => {
  it('announces the consequences before it is sent, and carries them out', async () => {
    await obtainTokens(test, client, await makeUser(test));
    page = await browser.get(`${DELETE}?id=${client.clientId}`);
    expect(page.body).toContain('1 chain of 1 end-user');
    const done = await browser.post(DELETE, formTo(page, DELETE));
    expect(done.url).toBe('/console/clients?done=deleted');
    expect(await lives()).toBe(false);
  });

  it.each([
    ['without its token', ({ csrf: _, ...rest }: Record<string, string>) => rest],
    ['with a changed token', (sent: Record<string, string>) => ({ ...sent, csrf: `${sent['csrf']?.slice(0, -2)}AA` })],
  ])('%s changes nothing', async (_, change) => {
    const refused = await browser.post(DELETE, change({ ...fields }));
    expect(refused.status).toBe(403);
    expect(refused.body).toContain('This form cannot be accepted');
    expect(await lives()).toBe(true);
  });

  it('of another administrator changes nothing', async () => {
    test.setOperators({ operators: [OPERATOR, 'oscar'] });
    const other = consoleBrowser(test);
    const foreign = await openPage(other, await makeUser(test, `oscar`), `${DELETE}?id=${client.clientId}`);
    test.setOperators({});
    expect((await browser.post(DELETE, formTo(foreign, DELETE))).status).toBe(403);
    expect(await lives()).toBe(true);
  });

  it.each([
    ['another origin', { ...SAME_ORIGIN, origin: 'https://evil.test' }],
    ['an origin that hides', { origin: 'null' }],
    ['a site beside this', { origin: 'https://as.test', 'sec-fetch-site': 'same-site' }],
    ['another site', { origin: 'https://as.test', 'sec-fetch-site': 'cross-site' }],
    ['nowhere', {}],
  ])('from %s changes nothing, whatever its fields', async (_, headers: Readonly<Record<string, string>>) => {
    const refused = await posing(headers).post(DELETE, fields);
    expect(refused.status).toBe(403);
    expect(await lives()).toBe(true);
  });

  it('that is sent after the token has ended changes nothing, and is valid again after a renewed sign-in', async () => {
    const DISABLE = '/console/end-user/disable';
    const person = await makeUser(test);
    const isDisabled = async () => (await test.deps.users.findForSignIn(person.username))?.disabledAt !== null;
    const form = formTo(await browser.get(`${DISABLE}?id=${person.id}`), DISABLE);
    test.clock.advanceSeconds(901);
    const refused = await browser.post(DISABLE, form);
    expect(refused.status).toBe(403);
    expect(refused.body).toContain('Renew the sign-in');
    expect(await isDisabled()).toBe(false);
    await openPage(browser, test.operator);
    await browser.post(DISABLE, form);
    expect(await isDisabled()).toBe(true);
  });

  it('that was shown before another administrator changed the client changes nothing', async () => {
    const edit = await browser.get(`/console/client/edit?id=${client.clientId}`);
    await browser.post('/console/client/edit', {
      ...formTo(edit, '/console/client/edit'),
      client_name: 'First',
      redirect_uris: 'https://client.test/callback',
      grant_types: 'authorization_code',
    });
    const late = await browser.post(DELETE, fields);
    expect(late.status).toBe(412);
    expect(late.body).toContain('Another change came first');
    expect(await lives()).toBe(true);
  });

  it('that generates a secret generates one, however often it is sent', async () => {
    const shown = await browser.get(`/console/client?id=${client.clientId}`);
    const sent = formTo(shown, '/console/client/secrets');
    const secretIn = ({ body }: Answer) => /id="secret">([^<]+)</.exec(body)?.[1];
    const first = secretIn(await browser.post('/console/client/secrets', sent));
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(secretIn(await browser.post('/console/client/secrets', sent))).toBe(first);
    expect((await findClient(test.database.drizzle, client.clientId))?.secretMacs).toHaveLength(2);
    expect(test.logs()).not.toContain(first);
  });
});

it('a narrowed scope: the form lists the effects before it is saved, and the page of the client lists them afterwards', async () => {
  const edit = `/console/client/edit?id=${client.clientId}`;
  const shown = `/console/client?id=${client.clientId}`;
  expect((await browser.get(edit)).body).not.toContain('active grant');
  const { refreshToken } = await obtainTokens(test, client, await makeUser(test), { scope: 'read write' });
  const form = await browser.get(edit);
  expect(form.body).toContain('This client has <strong>1 active grant</strong>');
  expect((await browser.get(shown)).body).not.toContain('more scope than the client has now');
  const { secret: _, ...registration } = client;
  await saveClient(test.database.drizzle, { ...registration, scope: ['read'] });
  expect((await browser.get(shown)).body).toContain(
    '<strong>1 active grant</strong> was given more scope than the client has now',
  );
  expect((await refresh(test, client, refreshToken)).json.scope).toBe('read');
});

describe('an auditor', () => {
  const forms = [
    ['/console/client/new', { client_id: 'smuggled', grant_types: 'client_credentials' }],
    ['/console/client/edit', { client_name: 'x' }],
    ['/console/client/secrets', {}],
    ['/console/client/secrets/remove', { secret: 'first' }],
    [DELETE, {}],
    ['/console/end-user/new', { username: 'smuggled', password: 'another long password' }],
    ['/console/end-user/disable', {}],
    ['/console/end-user/enable', {}],
    ['/console/end-user/password', { password: 'another long password' }],
    ['/console/end-user/delete', {}],
    ['/console/grant/end', {}],
    ['/console/session/end', {}],
    ['/console/trusted-browser/end', {}],
    ['/console/keys/rotate', { alg: 'ES256' }],
    ['/console/key/revoke', {}],
    ['/console/webhooks/delivery/repeat', {}],
    ['/console/webhooks/test', { receiver: 'crm' }],
    ['/console/secret/set', { name: 'SMUGGLED', value: 'a smuggled secret' }],
    ['/console/secret/remove', { name: 'SMUGGLED' }],
    ['/console/mails/test', { kind: 'sign_up', language: 'en' }],
  ] as const;

  it.each(forms)('is rejected at %s, with the token of a form of their own', async (path, values) => {
    const auditing = consoleBrowser(test);
    const signedIn = await openPage(auditing, test.auditor);
    expect(signedIn.body).toContain('auditor: changes nothing');
    const sent = { ...formTo(signedIn, '/console/sign-out'), id: client.clientId, ...values };
    const refused = await auditing.post(path, sent);
    expect(refused.status).toBe(403);
    expect(refused.body).toContain('Your role does not allow this');
    expect(await lives()).toBe(true);
    expect(await findClient(test.database.drizzle, 'smuggled')).toBeNull();
    expect(await findUserForSignIn(test.database.drizzle, 'smuggled')).toBeNull();
  });
});

describe('an administrator who has just lost the role', () => {
  it('changes nothing with an open form', async () => {
    test.setOperators({ operators: [] });
    const refused = await browser.post(DELETE, fields);
    test.setOperators({});
    expect(refused.status).toBe(403);
    expect(refused.body).toContain('You have no role here');
    expect(await lives()).toBe(true);
  });

  it('sees, as an auditor, and changes nothing', async () => {
    test.setOperators({ operators: [], auditors: [OPERATOR] });
    const refused = await browser.post(DELETE, fields);
    const seen = await browser.get('/console/clients');
    test.setOperators({});
    expect(refused.body).toContain('clients:write');
    expect(seen.status).toBe(200);
    expect(seen.body).not.toContain('Register a client');
    expect(await lives()).toBe(true);
  });

  it('filters the clients by how the server learned of them', async () => {
    const shown = async (through: string) =>
      (await browser.get(`/console/clients?q=${client.clientId}&registered_through=${through}`)).body;
    expect(await shown('operator')).toContain(`>${client.clientId}<`);
    expect(await shown('operator')).toMatch(/<option value="operator" selected/);
    for (const another of ['configuration', 'document', 'registration'])
      expect(await shown(another)).not.toContain(`>${client.clientId}<`);
  });

  it('sees no page', async () => {
    test.setOperators({ operators: [] });
    const refused = await browser.get('/console/clients');
    test.setOperators({});
    expect(refused.status).toBe(403);
    expect(refused.body).not.toContain(client.clientId);
  });

  it('is signed out of the console when disabled', async () => {
    await disableUser(test.database.drizzle, OPERATOR);
    const refused = await browser.post(DELETE, fields);
    const seen = await browser.send('GET', '/console/clients', null);
    await enableUser(test.database.drizzle, OPERATOR);
    expect(refused.status).toBe(403);
    expect(seen.status).toBe(303);
    expect(await lives()).toBe(true);
  });

  it('is signed out of the console when its grant is revoked', async () => {
    const living = async () =>
      (await test.database.drizzle.select().from(grants)).filter(({ state }) => state === 'active');
    const before = (await living()).map(({ id }) => id);
    const another = consoleBrowser(test);
    const shown = await openPage(another, test.operator, `${DELETE}?id=${client.clientId}`);
    const [own] = (await living()).filter(({ id }) => !before.includes(id));
    const asked = await browser.get(`/console/grant/end?id=${own?.id}`);
    await browser.post('/console/grant/end', formTo(asked, '/console/grant/end'));
    const refused = await another.post(DELETE, formTo(shown, DELETE));
    expect(refused.status).toBe(403);
    expect(refused.body).toContain('Renew the sign-in');
    expect(another.cookies.get('__Host-statehouse-console')).toBe('');
    expect(await lives()).toBe(true);
  });
});

describe('end-users', () => {
  it('are disabled, enabled, given a password and deleted, with the consequences shown before', async () => {
    const person = await makeUser(test);
    const { refreshToken } = await obtainTokens(test, client, person);
    const at = (rest: string) => browser.get(`/console/end-user${rest}?id=${person.id}`);
    const disabling = await at('/disable');
    expect(disabling.body).toMatch(/1 chain of 1 client<\/strong> and <strong>1 session/);
    const disabled = await browser.post('/console/end-user/disable', formTo(disabling, '/console/end-user/disable'));
    expect(disabled.body).toContain('signed out everywhere');
    expect((await refresh(test, client, refreshToken)).json.error).toBe('invalid_grant');
    const enabled = await browser.post('/console/end-user/enable', formTo(disabled, '/console/end-user/enable'));
    expect(enabled.body).toContain('Enabled.');
    const password = 'a new and longer passphrase';
    const set = await browser.post('/console/end-user/password', {
      ...formTo(await at('/password'), '/console/end-user/password'),
      password,
    });
    expect(set.body).toContain('The password is set');
    expect(test.logs()).not.toContain(password);
    const deleting = await at('/delete');
    const deleted = await browser.post('/console/end-user/delete', formTo(deleting, '/console/end-user/delete'));
    expect(deleted.url).toBe('/console/end-users?done=deleted');
    expect(await findUserForSignIn(test.database.drizzle, person.username)).toBeNull();
  });

  it('are registered, and found by username wherever a list has a filter for them', async () => {
    const asked = await browser.get('/console/end-user/new');
    const password = 'a long passphrase of hers';
    const sent = { ...formTo(asked, '/console/end-user/new'), username: 'Grace', password };
    const registered = await browser.post('/console/end-user/new', sent);
    expect(registered.body).toContain('Registered.');
    const twice = await browser.post('/console/end-user/new', { ...sent, once: 'another' });
    expect(twice.status).toBe(400);
    expect(twice.body).toContain('value="Grace"');
    expect(twice.body).not.toContain(password);
    const person = await findUserForSignIn(test.database.drizzle, 'grace');
    await obtainTokens(test, client, await makeUser(test));
    for (const list of ['ledger', 'grants', 'sessions']) {
      const { body, status } = await browser.get(`/console/${list}?sub=grace`);
      expect(status).toBe(200);
      // Only her entries: she has registered, and done nothing more.
      expect(body.includes(client.clientId)).toBe(false);
      expect(body.includes(person?.id.slice(0, 8) ?? '-')).toBe(list === 'ledger');
      expect((await browser.get(`/console/${list}?sub=unknown-user`)).body).toContain('Username not found');
    }
  });

  it('keep their password where the new one is rejected, and the form does not show it again', async () => {
    const person = await makeUser(test);
    const asked = await browser.get(`/console/end-user/password?id=${person.id}`);
    const sent = { ...formTo(asked, '/console/end-user/password'), password: 'short' };
    const refused = await browser.post('/console/end-user/password', sent);
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('role="alert"');
    expect(refused.body).not.toContain('value="short"');
    expect(PASSWORD).not.toBe('short');
  });
});

describe('sessions and keys', () => {
  it('a session is ended', async () => {
    const person = await makeUser(test);
    await obtainTokens(test, client, person);
    const list = await browser.get(`/console/sessions?sub=${person.id}&state=active`);
    const sid = /session\/end\?id&#61;([0-9a-f-]{36})/.exec(list.body)?.[1];
    const asked = await browser.get(`/console/session/end?id=${sid}`);
    const ended = await browser.post('/console/session/end', formTo(asked, '/console/session/end'));
    expect(ended.body).toContain('that browser has to sign in again');
    expect((await browser.get(`/console/sessions?sub=${person.id}&state=active`)).body).toContain('none.');
  });

  it('the trust in a browser is ended, in one and in all', async () => {
    const person = await makeUser(test);
    for (let count = 0; count < 3; count++) await trustedBrowser(test, person);
    const shown = await browser.get(`/console/end-user?id=${person.id}`);
    expect(shown.body.match(/End the trust</g)).toHaveLength(3);
    const one = await browser.post('/console/trusted-browser/end', formTo(shown, '/console/trusted-browser/end'));
    expect(one.body).toContain('the next sign-in in that browser asks for the second factor');
    expect(one.body.match(/End the trust</g)).toHaveLength(2);
    const { browser: _, ...all } = formTo(one, '/console/trusted-browser/end');
    const none = await browser.post('/console/trusted-browser/end', all);
    expect(none.body).not.toContain('End the trust');
  });

  it('a key is rotated, and revoked with the consequences shown', async () => {
    const asked = await browser.get('/console/keys/rotate?alg=ES256');
    const rotated = await browser.post('/console/keys/rotate', formTo(asked, '/console/keys/rotate'));
    expect(rotated.body).toContain('Rotated.');
    expect(rotated.body).toContain('published');
    const kid = /key\/revoke\?id&#61;([\w-]+)/.exec(rotated.body)?.[1] ?? '';
    expect(kid).not.toBe('');
    const revoking = await browser.get(`/console/key/revoke?id=${kid}`);
    expect(revoking.body).toContain('Every access token and ID Token that this key has signed is refused');
    await browser.post('/console/key/revoke', formTo(revoking, '/console/key/revoke'));
    expect((await browser.get('/console/keys')).body).toContain('retired');
  });
});

/** Mails at the management API: their preview, and a test to the caller's own verified address. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MAIL_KINDS } from '../../../src/people/mail/mail.ts';
import { authorizeUrl, exchange, goThrough, makeClient, makePkce, makeUser } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';
import { API, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const LOGO = { hash: 'a-hash', type: 'image/png', bytes: PNG } as const;
const SCOPES = ['configuration:read', 'mails:send'];

function configured(operators: readonly string[]) {
  const given = withBot();
  return {
    ...given,
    branding: { ...given.branding, organization: 'Example Ltd', mailLogo: LOGO },
    ownMails: [{ mail: 'sign_up', language: 'en', subject: 'Welcome to {organization}' } as const],
    operators: { ...given.operators, operators: [...operators] },
  };
}

/** As this operator, by a token of the authorization endpoint. */
async function callerOf(scene: Scene, username: string, claims: Readonly<Record<string, unknown>>): Promise<Caller> {
  const user = await makeUser(scene, username, claims);
  const client = await makeClient(scene, { scope: SCOPES });
  const pkce = makePkce();
  const asked = authorizeUrl(client, pkce, { scope: SCOPES.join(' '), resource: API });
  const { url } = await goThrough(new Browser(scene.app), asked, user);
  const code = new URL(url).searchParams.get('code') ?? '';
  const { json } = await exchange(scene, client, { code, verifier: pkce.verifier });
  return callerWith(scene, () => json.access_token ?? '');
}

describe('mails at the management API', () => {
  let scene: Scene;
  const mails = keptMails();
  let bot: Caller;
  let olga: Caller;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: configured(['olga', 'nora', 'uma']), mail: mails });
    mails.of(scene);
    await makeBot(scene);
    bot = callerWith(scene, () => tokenOf(scene, SCOPES));
    olga = await callerOf(scene, 'olga', { email: 'olga@example.com', email_verified: true });
  });
  afterAll(() => scene.close());

  it('lists every kind, with the languages of the server', async () => {
    const { items } = (await bot('GET', '/mails')).json();
    expect(items.map(({ kind }: { kind: string }) => kind)).toEqual(MAIL_KINDS);
    for (const { languages } of items) expect(languages).toEqual(['ar', 'de', 'en', 'es', 'fr']);
  });

  it('shows a mail with the look and the texts in force, and its logo within', async () => {
    const { html, ...rest } = (await bot('GET', '/mails/sign_up')).json();
    expect(rest).toMatchObject({ kind: 'sign_up', language: 'en', subject: 'Welcome to Example Ltd' });
    expect(rest.text).toMatch(/^Hello,\n/);
    expect(html).toContain(`<img src="data:image/png;base64,${PNG.toString('base64')}"`);
    expect(html).not.toContain('cid:');
  });

  it.each(MAIL_KINDS)('shows %s in each language', async (kind) => {
    const found = await Promise.all(
      ['ar', 'de', 'en', 'es', 'fr'].map(async (language) =>
        (await bot('GET', `/mails/${kind}?language=${language}`)).json(),
      ),
    );
    expect(new Set(found.map(({ subject }) => subject)).size).toBe(found.length);
    expect(found[0].html).toContain('dir="rtl"');
  });

  it('rejects an unknown mail and an unknown language', async () => {
    expect((await bot('GET', '/mails/sing_up')).statusCode).toBe(404);
    const unknown = await bot('GET', '/mails/sign_up?language=tlh');
    expect([unknown.statusCode, unknown.json().errors]).toEqual([
      400,
      [{ field: 'language', detail: 'Expected one of ar, de, en, es, fr.' }],
    ]);
    const sent = await olga('POST', '/mails/sign_up/tests', { body: { language: 'tlh' } });
    expect([sent.statusCode, sent.json().errors[0].field]).toEqual([422, 'language']);
  });

  it('sends a test to the verified address of the operator, once for the same Idempotency-Key', async () => {
    const before = (await mails.to('olga@example.com')).length;
    expect((await olga('GET', '/mails/sign_up')).json()).toMatchObject({
      sends_mails: true,
      test_recipient: 'olga@example.com',
    });
    const headers = { 'idempotency-key': '"test"' };
    const send = () => olga('POST', '/mails/sign_up/tests', { body: { language: 'fr' }, headers });
    const [first, second] = [await send(), await send()];
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(first.json()).toEqual({ kind: 'sign_up', language: 'fr', to: 'olga@example.com' });
    const sent = (await mails.to('olga@example.com')).slice(before);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ language: 'fr', text: expect.stringContaining('/email/link?t=sample') });
  });

  it('takes no address from the request', async () => {
    const answer = await olga('POST', '/mails/sign_up/tests', { body: { to: 'stranger@example.com' } });
    expect([answer.statusCode, answer.json().errors[0].field]).toEqual([422, 'to']);
    expect(await mails.to('stranger@example.com')).toEqual([]);
  });

  it.each([
    ['an address that is not verified', 'uma', { email: 'uma@example.com' }],
    ['no address', 'nora', {}],
  ])('sends nothing to an operator with %s', async (_, username, claims) => {
    const call = await callerOf(scene, username, claims);
    expect((await call('GET', '/mails/sign_up')).json().test_recipient).toBeNull();
    const answer = await call('POST', '/mails/sign_up/tests');
    expect([answer.statusCode, answer.json().type]).toEqual([409, `${API}/problems/no_verified_address`]);
    expect(await mails.to('uma@example.com')).toEqual([]);
  });

  it('sends nothing to a client, nor without the scope', async () => {
    expect((await bot('POST', '/mails/sign_up/tests')).json().type).toBe(`${API}/problems/no_verified_address`);
    const reader = callerWith(scene, () => tokenOf(scene, ['configuration:read']));
    expect((await reader('POST', '/mails/sign_up/tests')).statusCode).toBe(403);
  });

  it('says that a server without mails sends none', async () => {
    const silent = await openScene(anyDatabase, { configuration: configured(['olga']) });
    onTestFinished(() => silent.close());
    const call = await callerOf(silent, 'olga', { email: 'olga@example.com', email_verified: true });
    expect((await call('GET', '/mails/sign_up')).json()).toMatchObject({ sends_mails: false, test_recipient: null });
    const answer = await call('POST', '/mails/sign_up/tests');
    expect([answer.statusCode, answer.json().type]).toEqual([409, `${API}/problems/mails_off`]);
  });
});

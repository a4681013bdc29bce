/** "Step 2 of 2": only where the number of steps is known, and never before the user has shown the account to be theirs. */
import { afterEach, describe, expect, it } from 'vitest';
import { authorizeUrl, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';

type Policy = Partial<(typeof shippedConfiguration)['signIn']>;
let scene: Scene;
let mails: Mails;
let browser: Browser;

async function open(policy: Policy = {}) {
  mails = keptMails();
  const signIn = { ...shippedConfiguration.signIn, signUp: 'open', ...policy } as const;
  scene = await openScene(anyDatabase, { mail: mails, configuration: { ...shippedConfiguration, signIn } });
  mails.of(scene);
  browser = new Browser(scene.app);
}
afterEach(() => scene.close());

const progressOn = ({ body }: Answer): string | null => /Step \d+ of \d+/.exec(body)?.[0] ?? null;

describe('a sign-up', () => {
  const pages = async (path: string) => {
    const first = await browser.get(path);
    await browser.submit(first, { email: 'new@example.com' });
    const second = await browser.get(await mails.link('new@example.com'));
    return [progressOn(first), progressOn(second)];
  };

  it('has two steps: the address and the password', async () => {
    await open();
    expect(await pages('/sign-up')).toEqual(['Step 1 of 2', 'Step 2 of 2']);
  });

  it.each<[string, Policy]>([
    ['a passkey brings recovery codes', { signUpWith: 'passkeyOrPassword' }],
    ['a second factor follows', { secondFactor: 'everyone' }],
  ])('counts no steps where %s', async (_, policy) => {
    await open(policy);
    expect(await pages('/sign-up')).toEqual([null, null]);
  });

  it('counts no steps where an app continues', async () => {
    await open();
    const page = await browser.get(authorizeUrl(scene.client, makePkce()));
    const path = /href="(\/sign-up\?for[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&#61;', '=') ?? '';
    expect(await pages(path)).toEqual([null, null]);
  });
});

describe('a sign-in', () => {
  const pages = async (path: string) => {
    const user = await makeUser(scene, 'alice');
    await registeredPasskey(scene, user);
    const first = await browser.get(path);
    const second = await browser.submit(first, { username: 'alice', password: PASSWORD });
    expect(second.body).toContain('Confirm that it is you');
    return [progressOn(first), progressOn(second)];
  };

  it('counts the second factor after the password, and nothing before it', async () => {
    await open();
    expect(await pages('/sign-in')).toEqual([null, 'Step 2 of 2']);
  });

  it('counts no steps where an app may ask for consent', async () => {
    await open();
    expect(await pages(authorizeUrl(scene.client, makePkce()))).toEqual([null, null]);
  });

  it('counts no steps after two pages, and reveals no account on the second', async () => {
    await open({ signInPage: 'identifierFirst' });
    expect(await pages('/sign-in')).toEqual([null, null]);
    for (const username of ['alice', 'unknown'])
      expect(progressOn(await browser.submit(await browser.get('/sign-in?another=yes'), { username }))).toBe(null);
  });
});

/** A page that ends a sign-in links back to the app that sent the browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, makeClient, makePkce, PASSWORD, type TestClient } from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { ISSUER } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const HOME = { clientUri: 'https://shop.example/?from=sign-in' };
const STARTS = { ...HOME, initiateLoginUri: 'https://shop.example/login?tenant=a&iss=https%3A%2F%2Fevil.example' };
const LINK = /<a class="button" href="([^"]*)">Back to (.*?)<\/a>/;

const decoded = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

describe('a page that ends a sign-in', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  const begun = async (client: TestClient) => {
    const browser = new Browser(scene.app);
    return { browser, page: await browser.get(authorizeUrl(client, makePkce())) };
  };
  const linkOf = ({ body }: Answer) => {
    const [, href, name] = LINK.exec(body) ?? [];
    return href === undefined ? null : { href: decoded(href), name: decoded(name ?? '') };
  };

  it('leads to the home page of the app, when the sign-in took too long', async () => {
    const { browser, page } = await begun(await makeClient(scene, { ...HOME, clientName: 'The <b>shop</b>' }));
    scene.clock.advanceSeconds(3600);
    const answer = await browser.submit(page, { username: scene.user.username, password: PASSWORD });
    expect(answer.status).toBe(400);
    expect(linkOf(answer)).toEqual({ href: HOME.clientUri, name: 'The <b>shop</b>' });
  });

  it('leads to where the app starts a sign-in again, with the issuer as the only iss', async () => {
    const client = await makeClient(scene, STARTS);
    const { page } = await begun(client);
    const answer = await new Browser(scene.app).get(page.url);
    expect(answer.status).toBe(403);
    const url = new URL(linkOf(answer)?.href ?? '');
    expect(url.origin + url.pathname).toBe('https://shop.example/login');
    expect([...url.searchParams]).toEqual([
      ['tenant', 'a'],
      ['iss', ISSUER],
    ]);
  });

  it('has no link for a client without such an address', async () => {
    const { page } = await begun(await makeClient(scene));
    expect(linkOf(await new Browser(scene.app).get(page.url))).toBeNull();
  });

  it('has no link to a client that was deleted meanwhile', async () => {
    const client = await makeClient(scene, STARTS);
    const { browser, page } = await begun(client);
    await deleteClient(scene.database.drizzle, client.clientId);
    const answer = await browser.submit(page, { username: scene.user.username, password: PASSWORD });
    expect(answer.body).toContain('no longer registered');
    expect(linkOf(answer)).toBeNull();
  });
});

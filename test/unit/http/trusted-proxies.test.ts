/** Behind a configured proxy, the address is the one that this proxy sends; a header of any other sender is ignored. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PROXY = '10.1.2.3';
const configuration = {
  ...shippedConfiguration,
  signIn: { ...shippedConfiguration.signIn, failuresPerAccountAndAddress: 3 },
};

describe('a trusted proxy', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration, trustedProxies: ['10.0.0.0/8'] });
  });
  afterAll(() => scene.close());

  async function attempt(username: string, password: string, from: string, forwardedFor: string) {
    const browser = new Browser(scene.app, from, { 'x-forwarded-for': forwardedFor });
    return browser.submit(await browser.get(authorizeUrl(scene.client, makePkce())), { username, password });
  }
  const failThrice = async (username: string, from: string, forwardedFor: (n: number) => string) => {
    for (let n = 0; n < 3; n++) expect((await attempt(username, 'wrong', from, forwardedFor(n))).status).toBe(400);
  };

  it('separates one address from another', async () => {
    const { username } = await makeUser(scene);
    await failThrice(username, PROXY, () => '192.0.2.1');
    expect((await attempt(username, PASSWORD, PROXY, '192.0.2.1')).status).toBe(429);
    expect((await attempt(username, PASSWORD, PROXY, '192.0.2.2')).status).toBe(200);
  });

  it('is the last trusted hop: earlier addresses are ignored', async () => {
    const { username } = await makeUser(scene);
    await failThrice(username, PROXY, (n) => `198.51.100.${n}, 192.0.2.3`);
    expect((await attempt(username, PASSWORD, PROXY, '198.51.100.50, 192.0.2.3')).status).toBe(429);
  });

  it('is not any other sender of the header, who keeps their own address', async () => {
    const { username } = await makeUser(scene);
    await failThrice(username, '192.0.2.4', (n) => `198.51.100.${n}`);
    expect((await attempt(username, PASSWORD, '192.0.2.4', '198.51.100.60')).status).toBe(429);
  });

  it('does not determine host and scheme: URLs derive from the issuer', async () => {
    const headers = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http', host: 'evil.test' };
    const reply = await scene.app.inject({
      url: '/.well-known/oauth-authorization-server',
      remoteAddress: PROXY,
      headers,
    });
    expect(reply.body).not.toContain('evil.test');
    expect(reply.json().issuer).toBe(scene.issuer);
    const begun = await scene.app.inject({
      url: authorizeUrl(scene.client, makePkce()),
      remoteAddress: PROXY,
      headers,
    });
    expect(begun.headers['location']).toMatch(/^\/interactions\//);
    expect(begun.headers['set-cookie']).toMatch(/; Secure/);
  });
});

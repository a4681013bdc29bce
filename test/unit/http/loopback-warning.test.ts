/** RFC 8252 §8.6: a client whose every redirect URI leads to the user's own device proves no identity, and consent warns of it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, makeClient, makePkce, PASSWORD } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const WARNING = 'any app on this device could pretend to be this one';

describe('consent', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  const consentFor = async (...redirectUris: string[]) => {
    const client = await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      applicationType: 'native',
      redirectUris,
    });
    const browser = new Browser(scene.app);
    const signIn = await browser.get(authorizeUrl(client, makePkce()));
    const { body } = await browser.submit(signIn, { username: scene.user.username, password: PASSWORD });
    expect(body).toContain('name="decision"');
    return body;
  };

  it.each([
    ['http://127.0.0.1/callback', '127.0.0.1'],
    ['http://127.8.9.10:7777/callback', '127.8.9.10:7777'],
    ['http://[::1]:7777/callback', '[::1]:7777'],
    ['http://localhost:7777/callback', 'localhost:7777'],
    ['https://localhost/callback', 'localhost'],
    ['http://app.localhost/callback', 'app.localhost'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])('warns of a client at %s, and shows the target of the answer', async (redirectUri, destination) => {
    const body = await consentFor(redirectUri);
    expect(body).toContain(WARNING);
    expect(body).toContain(
      `${destination}</strong>`.replace('com.example.app:<', 'an app on this device (com.example.app:)<'),
    );
    expect(await consentFor(redirectUri, 'http://127.0.0.1/another')).toContain(WARNING);
  });
  it.each([
    ['https://client.test/callback'],
    ['http://client.test/callback'],
    ['https://localhost.example/callback'],
    ['https://127.0.0.1.example/callback'],
    ['http://127.0.0.1/callback', 'https://client.test/callback'],
    ['https://client.test/callback', 'http://127.0.0.1/callback'],
  ])('does not warn of a client at %s %s', async (...redirectUris) => {
    expect(await consentFor(...redirectUris.filter((one) => one !== undefined))).not.toContain(WARNING);
  });
});

/** The client's own data at consent: its image from this server, its terms and its privacy policy. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keepClientLogos } from '../../../src/boot/client-logos.ts';
import type { FetchedImage } from '../../../src/images/fetch-image.ts';
import { clientLogoStore } from '../../../src/storage/client-logos.ts';
import { clientLogos, clients } from '../../../src/storage/schema.ts';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, type TestClient } from '../../support/actors.ts';
import { deleteClient, saveClient } from '../../support/administration.ts';
import { Browser } from '../../support/browser.ts';
import { acceptingRegistrations } from '../../support/client-registrations.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const HOUR = 3600;
const LOGO = 'https://photos.example/logo.png';
const image = (letter: string): FetchedImage => ({
  hash: letter.repeat(43),
  type: 'image/png',
  bytes: Buffer.from(`\x89PNG ${letter}`, 'latin1'),
});

describe('images of clients', () => {
  let scene: Scene;
  let clock: TestClock;
  beforeAll(async () => {
    clock = testClock();
    scene = await openScene(anyDatabase, { clock, configuration: acceptingRegistrations() });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    await scene.database.drizzle.delete(clientLogos);
    await scene.database.drizzle.update(clients).set({ logoUri: null });
  });

  const logos = () => clientLogoStore(scene.database.drizzle, clock);
  async function round(fetchImage: (uri: string) => Promise<FetchedImage>): Promise<string[]> {
    const lines: string[] = [];
    const log = (_: object, message: string) => void lines.push(message);
    const logger = { info: log, warn: log } as never;
    await keepClientLogos({ logos: logos(), fetchImage, logger });
    return lines;
  }
  async function consentOf(client: TestClient, scope?: string): Promise<string> {
    const user = await makeUser(scene);
    const browser = new Browser(scene.app);
    const signIn = await browser.get(authorizeUrl(client, makePkce(), { scope }));
    return (await browser.submit(signIn, { username: user.username, password: PASSWORD })).body;
  }

  it('are shown from this server once they were fetched, and not before', async () => {
    const client = await makeClient(scene, { logoUri: LOGO, tosUri: 'https://photos.example/terms?a&b' });
    expect(await consentOf(client)).not.toContain('<img');
    expect(await round(async () => image('a'))).toEqual(['client logo fetched']);
    const page = await consentOf(client);
    expect(page).toContain(`<img class="logo" src="/images/${'a'.repeat(43)}"`);
    expect(page).not.toContain(LOGO);
    expect(page).toContain('<a href="https://photos.example/terms?a&#38;b">Terms of service of Test client</a>');
    expect(page).not.toContain('Privacy policy of');
    const served = await scene.app.inject(`/images/${'a'.repeat(43)}`);
    expect(served.statusCode).toBe(200);
    expect(served.headers['content-type']).toBe('image/png');
    expect(served.rawPayload.equals(Buffer.from(image('a').bytes))).toBe(true);
  });

  it('are fetched again after a day; a failure keeps the earlier image, and is retried after an hour', async () => {
    const client = await makeClient(scene, { logoUri: LOGO });
    const asked: string[] = [];
    const fetchImage = (letter: string) => async (uri: string) => {
      asked.push(uri);
      if (letter === 'x') throw new Error('The server of the image answered with status 500.');
      return image(letter);
    };
    expect(await round(fetchImage('x'))).toEqual(['client logo not fetched; the server retries in an hour']);
    expect(await round(fetchImage('a'))).toEqual([]);
    clock.advanceSeconds(HOUR + 1);
    expect(await round(fetchImage('a'))).toHaveLength(1);
    clock.advanceSeconds(23 * HOUR);
    expect(await round(fetchImage('b'))).toEqual([]);
    clock.advanceSeconds(2 * HOUR);
    await round(fetchImage('x'));
    expect(await consentOf(client)).toContain(`/images/${'a'.repeat(43)}`);
    clock.advanceSeconds(HOUR + 1);
    await round(fetchImage('b'));
    expect(await consentOf(client)).toContain(`/images/${'b'.repeat(43)}`);
    expect(asked).toEqual([LOGO, LOGO, LOGO, LOGO]);
    expect((await scene.app.inject(`/images/${'a'.repeat(43)}`)).statusCode).toBe(404);
  });

  it('are fetched once by two nodes', async () => {
    await makeClient(scene, { logoUri: LOGO });
    await makeClient(scene, { logoUri: LOGO });
    const taken = await Promise.all([logos().take(5), logos().take(5), logos().take(5)]);
    expect(taken.flat()).toEqual([LOGO]);
  });

  it('are deleted with the last client that names them', async () => {
    const client = await makeClient(scene, { logoUri: LOGO });
    await round(async () => image('a'));
    await deleteClient(scene.database.drizzle, client.clientId);
    expect(await round(async () => image('a'))).toEqual([]);
    expect(await scene.database.drizzle.select().from(clientLogos)).toEqual([]);
  });

  it('are not shown for a self-registered client, which could pose as another', async () => {
    const client = await makeClient(scene, { logoUri: LOGO, policyUri: 'https://photos.example/privacy' });
    await saveClient(scene.database.drizzle, client, false, 'self');
    await round(async () => image('a'));
    const page = await consentOf(client, 'openid');
    expect(page).toContain('name="decision"');
    expect(page).not.toMatch(/<img|photos\.example/);
  });
});

/** The origin of each session on /account/devices: the address of the ledger, and the place of the team's file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessions } from '../../../src/storage/schema.ts';
import { addressesOfSessions } from '../../../src/storage/session-origins.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { mmdbOf } from '../../support/mmdb.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const VIENNA = '203.0.113.7';
const UNKNOWN = '192.0.2.9';

describe('the origin of a session', () => {
  let folder: string;
  let scene: Scene;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-places-'));
    const placesFile = join(folder, 'places.mmdb');
    const names = { en: '<b>Vienna</b>', de: 'Wien' };
    writeFileSync(placesFile, mmdbOf({ '203.0.113.0/24': { city: { names }, country: { iso_code: 'AT' } } }));
    scene = await openScene(anyDatabase, { placesFile });
  });
  afterAll(async () => {
    await scene.close();
    rmSync(folder, { recursive: true });
  });

  async function signedIn(
    user: TestUser,
    address: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Browser> {
    const browser = new Browser(scene.app, address, headers);
    const page = await browser.submit(await browser.get('/account/devices'), {
      username: user.username,
      password: PASSWORD,
    });
    expect(page.url).toBe('/account/devices');
    return browser;
  }
  const originsOn = async (browser: Browser) => {
    const { body } = await browser.get('/account/devices');
    return [...body.matchAll(/<p class="quiet">((?:From|Von) [^\n]*)<\/p>/g)].map(([, text = '']) =>
      text.replaceAll(/<[^>]*>/g, ''),
    );
  };

  it('is the place in the language of the page, and the address', async () => {
    const user = await makeUser(scene);
    const browser = await signedIn(user, VIENNA);
    await signedIn(user, UNKNOWN);
    expect((await originsOn(browser)).toSorted()).toEqual([
      'From &#60;b&#62;Vienna&#60;/b&#62;, Austria (address 203.0.113.7).',
      'From the address 192.0.2.9.',
    ]);
    const german = await signedIn(user, VIENNA, { 'accept-language': 'de-AT' });
    expect(await originsOn(german)).toContain('Von Wien, Österreich (Adresse 203.0.113.7).');
  });

  it('ignores an address in a header that no trusted proxy added', async () => {
    const user = await makeUser(scene);
    const forged = { 'x-forwarded-for': VIENNA, forwarded: `for=${VIENNA}`, 'x-real-ip': VIENNA };
    expect(await originsOn(await signedIn(user, UNKNOWN, forged))).toEqual(['From the address 192.0.2.9.']);
  });

  it('is missing where the ledger has no entry, and stays out of the sessions', async () => {
    const user = await makeUser(scene);
    const browser = await signedIn(user, VIENNA);
    const [stored] = await scene.database.drizzle.select().from(sessions).where(eq(sessions.userId, user.id));
    expect(Object.values(stored ?? {})).not.toContain(VIENNA);
    const { sid = '', signedInAt = new Date(0) } = stored ?? {};
    const later = new Date(signedInAt.getTime() + 1);
    const asked = (at: Date) => addressesOfSessions(scene.database.drizzle, user.id, [{ sid, signedInAt: at }]);
    expect(await asked(signedInAt)).toEqual(new Map([[sid, VIENNA]]));
    expect(await asked(later)).toEqual(new Map());
    expect(await addressesOfSessions(scene.database.drizzle, user.id, [])).toEqual(new Map());
    expect(await browser.get('/account/devices')).toMatchObject({ status: 200 });
  });

  it('is that of no other end-user', async () => {
    const [alice, bob] = [await makeUser(scene), await makeUser(scene)];
    await signedIn(alice, VIENNA);
    expect(await originsOn(await signedIn(bob, UNKNOWN))).toEqual(['From the address 192.0.2.9.']);
    const [hers] = await scene.database.drizzle.select().from(sessions).where(eq(sessions.userId, alice.id));
    const asked = [{ sid: hers?.sid ?? '', signedInAt: new Date(0) }];
    expect(await addressesOfSessions(scene.database.drizzle, bob.id, asked)).toEqual(new Map());
  });

  it('is missing behind more entries of an attack than the server reads', async () => {
    const user = await makeUser(scene);
    const later = new Date(scene.clock.now().getTime() + 60_000).toISOString();
    await scene.database.drizzle.execute(sql`insert into transitions
      (at, machine, from_state, to_state, event, shard_key, user_id, address)
      select ${later}::timestamptz, 'signIn', 'attempted', 'refused', 'password', ${user.id}::uuid, ${user.id}::uuid, '192.0.2.1'
      from generate_series(1, 20000)`);
    expect(await originsOn(await signedIn(user, VIENNA))).toEqual([]);
  });
});

it('without a file of places the page shows the address', async () => {
  const scene = await openScene(anyDatabase);
  const browser = new Browser(scene.app, VIENNA);
  const page = await browser.submit(await browser.get('/account/devices'), {
    username: scene.user.username,
    password: PASSWORD,
  });
  expect(page.body).toContain('From the address <span dir="ltr">203.0.113.7</span>.');
  await scene.close();
});

/** Users of other software sign in once with the hash that it wrote, and with a hash of this server from then on. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { registerUser } from '../../../src/registration/register-user.ts';
import { readUserRecord } from '../../../src/registration/user-record.ts';
import { users } from '../../../src/storage/schema.ts';
import { authorizeUrl, makeClient, makePkce, type TestClient } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { HASHES_OF_OTHERS, PEPPER_OF_OTHERS } from '../../support/hashes-of-others.ts';
import { testMacs } from '../../support/macs.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
let client: TestClient;
let serial = 0;
beforeAll(async () => {
  scene = await openScene(anyDatabase, {
    change: (deps) => ({ ...deps, passwordPepper: rawSecret(PEPPER_OF_OTHERS) }),
  });
  client = await makeClient(scene, { tokenEndpointAuthMethod: 'none', redirectUris: ['http://client.test/cb'] });
});
afterAll(() => scene.close());

it.each(HASHES_OF_OTHERS.map((one, index) => ({ ...one, index })))(
  '$by: $command',
  async ({ index, hash, password }) => {
    const username = `moved-${index}`;
    const rules = { hashes: { fast: true, peppered: true } };
    const reading = readUserRecord({ username, password_hash: hash }, true, rules);
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    const deps = { db: scene.database.drizzle, actor: commandLine, random: systemRandom, macs: testMacs };
    const { id } = await registerUser(deps, reading.value);
    const stored = async () =>
      (await scene.database.drizzle.select().from(users).where(eq(users.id, id)))[0]?.passwordHash;

    expect(await signIn(username, `${password}x`)).toBe(false);
    expect(await stored()).toBe(hash);
    expect(await signIn(username, password)).toBe(true);
    expect(await stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await signIn(username, password)).toBe(true);
    expect(await signIn(username, `${password}x`)).toBe(false);
  },
);

/** In a browser of its own, at an address of its own: failures of others do not throttle it. */
async function signIn(username: string, password: string): Promise<boolean> {
  const browser = new Browser(scene.app, `2001:db8:${++serial}::1`);
  const { body } = await browser.submit(await browser.get(authorizeUrl(client, makePkce())), { username, password });
  return body.includes('name="decision"');
}

/** Requests without a sign-in store nothing, or a bounded number of rows for each address or end-user. */
import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delegatedSignInSchema } from '../../../policies/upstreams-schema.ts';
import { hmacSha256 } from '../../../src/crypto/digest.ts';
import { placeOfSignIn } from '../../../src/people/passkeys/ask.ts';
import { freshChallenge } from '../../../src/people/passkeys/challenge.ts';
import { signInByPasskey } from '../../../src/people/passkeys/sign-in.ts';
import { authorizeUrl, makeClient, makePkce, PASSWORD, type TestClient } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { databaseKinds } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { pressButton, signInPage } from '../../support/upstream.ts';

describe.each(databaseKinds)('requests without a sign-in, on %s', (kind) => {
  let scene: Scene;
  let client: TestClient;
  beforeAll(async () => {
    const delegatedSignIn = delegatedSignInSchema.parse({ url: 'https://login.team.example/sign-in' });
    scene = await openScene(kind, { reloaded: () => ({ delegatedSignIn }) });
    client = await makeClient(scene);
  });
  afterAll(() => scene.close());

  const rowsOf = async <Row>(text: string): Promise<Row[]> => {
    const result: unknown = await scene.database.drizzle.execute(sql.raw(text));
    return (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as Row[];
  };
  /** How many rows all tables have together. */
  async function rows(): Promise<number> {
    const tables = await rowsOf<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    const counts = tables.map(({ name }) => `(select count(*) from "${name}")`);
    const [row] = await rowsOf<{ count: string }>(`select ${counts.join(' + ')} as count`);
    return Number(row?.count);
  }

  it('with unknown passkeys store no row, however many challenges they take', async () => {
    const before = await rows();
    const cookie = { old: null, new: randomBytes(32), browser: randomBytes(32) };
    for (let n = 0; n < 20; n++) {
      const challenge = freshChallenge(scene.deps, placeOfSignIn(cookie.browser, 'here')).toString('base64url');
      const clientDataJSON = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: scene.issuer }));
      const octets = () => randomBytes(32).toString('base64url');
      const id = octets();
      const response = {
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: octets(),
        signature: octets(),
      };
      const credential = JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
      const sent = { credential, place: 'here', cookie, userAgent: null };
      expect(await signInByPasskey(scene.deps, sent)).toMatchObject({ reason: 'passkey_unknown' });
    }
    expect(await rows()).toBe(before);
  });

  it('that redirect to another sign-in store a row each, until the address has begun 2000 in its window', async () => {
    const address = '198.51.100.22';
    const one = new Browser(scene.app, address);
    const page = await signInPage(one, client);
    const press = () => pressButton(one, page, 'delegated');
    await press();
    const before = await rows();
    expect((await press()).status).toBe(303);
    expect(await rows()).toBe(before + 1);
    const counted = hmacSha256(scene.keys.first.key('throttle'), 'external sign-in\n', address).toString('hex');
    await rowsOf(`update sign_in_failures set failures = 1999 where key_hash = '\\x${counted}'`);
    expect((await press()).status).toBe(303);
    for (let n = 0; n < 10; n++) expect((await press()).status).toBe(429);
    expect(await rows()).toBe(before + 2);
  });

  it('that are throttled store no row', async () => {
    const one = new Browser(scene.app, '198.51.100.20');
    const page = await one.get(authorizeUrl(client, makePkce()));
    const guess = () => one.submit(page, { username: scene.user.username, password: 'wrong' });
    const isSlowed = () => scene.logs().includes('throttled_account');
    for (let n = 0; n < 200 && !isSlowed(); n++) await guess();
    expect(isSlowed()).toBe(true);
    const before = await rows();
    for (let n = 0; n < 10; n++) expect((await guess()).status).toBe(429);
    expect((await one.submit(page, { username: scene.user.username, password: PASSWORD })).status).toBe(429);
    expect(await rows()).toBe(before);
  });

  it('from an address with many failures store no row for unknown usernames', async () => {
    const one = new Browser(scene.app, '198.51.100.21');
    const page = await one.get(authorizeUrl(client, makePkce()));
    let name = 0;
    const guess = () => one.submit(page, { username: `unknown-${++name}`, password: 'wrong' });
    const isThrottled = () => scene.logs().includes('throttled_address');
    for (let n = 0; n < 500 && !isThrottled(); n++) await guess();
    expect(isThrottled()).toBe(true);
    const before = await rows();
    for (let n = 0; n < 20; n++) expect((await guess()).status).toBe(429);
    expect(await rows()).toBe(before);
  });
});

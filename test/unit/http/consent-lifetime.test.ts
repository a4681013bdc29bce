/** A remembered consent can expire: the page of consent and the account show when, and then consent is required again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '../../../policies/schema.ts';
import { consents } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
} from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const DAY = 86_400;
const given = shippedConfiguration.policies.get('default') as Policy;
const policies = new Map([
  ...shippedConfiguration.policies,
  ['ending', { ...given, consentLifetimeSeconds: 2 * DAY }] as const,
]);
const configuration = {
  ...shippedConfiguration,
  policies,
  signIn: { ...shippedConfiguration.signIn, sessionLifetimeSeconds: 30 * DAY, sessionIdleLifetimeSeconds: 30 * DAY },
};

describe('a consent with an expiry', () => {
  let scene: Scene;
  let client: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
    client = await makeClient(scene, { policy: 'ending' });
  });
  afterAll(() => scene.close());

  const asked = (by: Browser, scope: string, more = {}) => by.get(authorizeUrl(client, makePkce(), { scope, ...more }));
  const isConsent = ({ body }: { readonly body: string }) => body.includes('name="decision"');
  async function person() {
    const user = await makeUser(scene);
    const by = new Browser(scene.app);
    await by.submit(await by.get('/sign-in'), { username: user.username, password: PASSWORD });
    const allow = (scope: string, more = {}) =>
      goThrough(by, authorizeUrl(client, makePkce(), { scope, ...more }), user);
    return { by, allow };
  }

  it('shows it before the approval, and in the account, in the same days', async () => {
    const { by, allow } = await person();
    expect((await asked(by, 'read')).body).toContain('Your answer is remembered for 2 days');
    await allow('read');
    const end = new Date(scene.clock.now().getTime() + 2 * DAY * 1000).toISOString();
    const apps = await by.get('/account/apps');
    expect(apps.body).toContain(`It does not have to ask you again until <time datetime="${end}">`);
    // It requests offline access each time: no text about remembering.
    expect((await asked(by, 'read offline_access')).body).not.toContain('is remembered for');
  });
  it('requires no page until then, and a page from then on', async () => {
    const { by, allow } = await person();
    await allow('read');
    scene.clock.advanceSeconds(2 * DAY - 1);
    expect(isConsent(await asked(by, 'read'))).toBe(false);
    scene.clock.advanceSeconds(1);
    expect(isConsent(await asked(by, 'read'))).toBe(true);
    expect((await by.get('/account/apps')).body).not.toContain('It does not have to ask you again');
  });
  it('is not revived by a narrower consent', async () => {
    const { by, allow } = await person();
    await allow('read write');
    scene.clock.advanceSeconds(2 * DAY);
    await allow('read');
    expect(isConsent(await asked(by, 'read'))).toBe(false);
    expect(isConsent(await asked(by, 'read write'))).toBe(true);
  });
  it('is not extended for scopes that are not requested again', async () => {
    const { by, allow } = await person();
    await allow('read write');
    scene.clock.advanceSeconds(DAY);
    await allow('read', { prompt: 'consent' });
    scene.clock.advanceSeconds(DAY);
    expect(isConsent(await asked(by, 'read write'))).toBe(true);
  });
  it('is extended when all of it is requested again', async () => {
    const { by, allow } = await person();
    await allow('read');
    scene.clock.advanceSeconds(DAY);
    await allow('read', { prompt: 'consent' });
    scene.clock.advanceSeconds(2 * DAY - 1);
    expect(isConsent(await asked(by, 'read'))).toBe(false);
  });
  it('has no expiry without the key, and no page mentions one', async () => {
    const other = await makeClient(scene);
    const { by } = await person();
    const page = await by.get(authorizeUrl(other, makePkce(), { scope: 'read' }));
    expect(page.body).not.toContain('is remembered for');
    await by.submit(page, { decision: 'approve' });
    expect((await by.get('/account/apps')).body).not.toContain('It does not have to ask you again');
    expect((await scene.database.drizzle.select().from(consents)).length).toBeGreaterThan(0);
  });
});

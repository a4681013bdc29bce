/** The browsers that end-users trust, as administrators see and end them: the API, and the command line on it. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { transitions, trustedBrowsers } from '../../../src/storage/schema.ts';
import { makeUser, type TestUser } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { BOT, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { trustedBrowser } from '../../support/trusted-browser.ts';

const HOUR = 3600;

describe('the trusted browsers of an end-user over the management API', () => {
  let scene: Scene;
  let call: Caller;
  let user: TestUser;
  beforeAll(async () => {
    const given = withBot();
    const signIn = { ...given.signIn, trustedBrowserLifetimeSeconds: HOUR };
    scene = await openScene(anyDatabase, { configuration: { ...given, signIn } });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    user = await makeUser(scene);
  });

  const at = (rest = '') => `/users/${user.id}/trusted-browsers${rest}`;
  const ids = async () =>
    (await call('GET', at())).json().items.map(({ id }: { readonly id: string }) => id) as readonly string[];

  it('are listed without the cookie, until the time of the current policy', async () => {
    const id = await trustedBrowser(scene, user);
    const { items } = (await call('GET', at())).json();
    expect(items).toEqual([
      {
        id,
        user_agent: 'Mozilla/5.0',
        trusted_at: scene.clock.now().toISOString(),
        last_used_at: null,
        ends_at: new Date(scene.clock.now().getTime() + HOUR * 1000).toISOString(),
        _links: { self: { href: expect.stringContaining(at(`/${id}`)) }, user: { href: expect.any(String) } },
      },
    ]);
    expect((await call('GET', at(`/${id}`))).json()).toEqual(items[0]);
    scene.clock.advanceSeconds(HOUR);
    expect(await ids()).toEqual([]);
    expect((await call('GET', at(`/${id}`))).statusCode).toBe(404);
  });

  it('end one by one; the entry names the actor, and another request changes nothing', async () => {
    const [first, second] = [await trustedBrowser(scene, user), await trustedBrowser(scene, user)];
    for (const status of [204, 204]) expect((await call('DELETE', at(`/${first}`))).statusCode).toBe(status);
    expect(await ids()).toEqual([second]);
    const [row] = await scene.database.drizzle.select().from(trustedBrowsers).where(eq(trustedBrowsers.id, first));
    expect(row).toMatchObject({ state: 'ended', secretHash: null });
    const entries = await scene.database.drizzle.select().from(transitions).where(eq(transitions.userId, user.id));
    expect(entries.filter(({ machine }) => machine === 'trustedBrowser')).toMatchObject([
      { event: 'endRequestedByAdministrator', reason: 'ended_by_administrator', actor: `client ${BOT}` },
    ]);
  });

  it('end all together, and those of another end-user stay', async () => {
    const other = await makeUser(scene);
    await trustedBrowser(scene, other);
    for (let count = 0; count < 3; count++) await trustedBrowser(scene, user);
    for (const status of [204, 204]) expect((await call('DELETE', at())).statusCode).toBe(status);
    expect(await ids()).toEqual([]);
    expect((await call('GET', `/users/${other.id}/trusted-browsers`)).json().items).toHaveLength(1);
  });

  it('are not found below another end-user', async () => {
    const id = await trustedBrowser(scene, user);
    const other = await makeUser(scene);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await call(method, `/users/${other.id}/trusted-browsers/${id}`)).statusCode).toBe(404);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await call(method, `/users/${randomUUID()}/trusted-browsers`)).statusCode).toBe(404);
    expect(await ids()).toEqual([id]);
  });
});

/** An end-user who is disabled or deleted while the password is checked: no session, no cookie, and no sign-in in the ledger. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastSignIns, sessions, transitions } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD } from '../../support/actors.ts';
import { deleteUser, disableUser, enableUser } from '../../support/administration.ts';
import { Browser } from '../../support/browser.ts';
import { databaseKinds } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

describe.each(databaseKinds)('on %s, an end-user who meanwhile was', (kind) => {
  let scene: Scene;
  let meanwhile: () => Promise<unknown> = async () => {};
  beforeAll(async () => {
    scene = await openScene(kind, {
      change: (deps) => ({
        ...deps,
        sessions: {
          ...deps.sessions,
          insert: async (session) => {
            await meanwhile();
            return deps.sessions.insert(session);
          },
        },
      }),
    });
  });
  afterAll(() => scene.close());
  const db = () => scene.database.drizzle;

  it.each([
    ['disabled', (username: string) => disableUser(db(), username)],
    ['deleted', (username: string) => deleteUser(db(), username)],
    [
      'disabled and enabled again',
      async (username: string) => (await disableUser(db(), username)) && enableUser(db(), username),
    ],
  ])('%s gets the answer to a wrong password, and is not signed in', async (_, end) => {
    const { id, username } = await makeUser(scene);
    const by = new Browser(scene.app);
    const page = await by.get('/sign-in');
    meanwhile = () => end(username);
    const answer = await by.submit(page, { username, password: PASSWORD });
    meanwhile = async () => {};
    expect(answer.status).toBe(400);
    expect([...by.cookies.keys()]).toEqual(['__Host-statehouse-browser']);
    expect(await db().select().from(sessions).where(eq(sessions.userId, id))).toEqual([]);
    expect(await db().select().from(lastSignIns).where(eq(lastSignIns.userId, id))).toEqual([]);
    const lines = await db().select().from(transitions).where(eq(transitions.userId, id));
    expect(lines.filter(({ toState }) => toState === 'accepted')).toEqual([]);
    expect(lines.filter(({ reason }) => reason === 'credentials_mismatch')).toHaveLength(1);
  });
});

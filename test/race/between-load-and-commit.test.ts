/** The narrowest race, made wide: after the server has loaded, before it commits. The guard sees the change. */

import { eq } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { revokeGrant } from '../../src/lifecycles/grant/lifecycle.ts';
import { endListedSession } from '../../src/protocol/browser-session.ts';
import { endPermission } from '../../src/protocol/permissions.ts';
import { grantStore } from '../../src/storage/grant-store.ts';
import { grants, sessions } from '../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../src/storage/server.ts';
import { authorizeUrl, exchange, goThrough, makeClient, makePkce, PASSWORD, refresh } from '../support/actors.ts';
import { deleteClient, disableUser, enableUser, saveClient } from '../support/administration.ts';
import { Browser } from '../support/browser.ts';
import { type DatabaseKind, databaseKinds } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { testClients } from '../support/macs.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { grantIdOfCode, placeOf, storedGrant } from '../support/stored.ts';

describe.each(databaseKinds)('between load and commit, on %s', (kind: DatabaseKind) => {
  let scene: Scene;
  /** Runs once, when a commit is about to be sent. */
  let beforeCommit: (() => Promise<unknown>) | null = null;
  /** Runs every time, when a revocation is about to be sent. */
  let beforeRevocation: (() => Promise<unknown>) | null = null;
  const interrupt = async () => {
    const now = beforeCommit;
    beforeCommit = null;
    await now?.();
  };
  beforeAll(async () => {
    scene = await openScene(kind, {
      change: (deps) => ({
        ...deps,
        store: {
          ...deps.store,
          commit: async (commit) => {
            if (commit.kind === 'moveHead') await interrupt();
            else await beforeRevocation?.();
            return deps.store.commit(commit);
          },
        },
        interactions: {
          ...deps.interactions,
          commit: async (commit) => {
            if (commit.kind === 'approve') await interrupt();
            return deps.interactions.commit(commit);
          },
        },
      }),
    });
  });
  afterAll(() => scene.close());
  const db = () => scene.database.drizzle;
  afterEach(async () => {
    const { secret: _, ...registration } = scene.client;
    await saveClient(db(), registration);
    await enableUser(db(), scene.user.username);
  });

  const endings: Readonly<Record<string, (grantId: string) => Promise<unknown>>> = {
    'the grant is revoked': async (grantId) => {
      const store = grantStore(db(), scene.clock, testClients);
      const loaded = await store.load({ clientId: scene.client.clientId, grantId });
      if (loaded.grant) await revokeGrant({ store, sleep: async () => {} }, { ...loaded, grant: loaded.grant });
    },
    'the person is disabled': () => disableUser(db(), scene.user.username),
    'the person is disabled and enabled again': async () => {
      await disableUser(db(), scene.user.username);
      await enableUser(db(), scene.user.username);
    },
    'the client is deleted': () => deleteClient(db(), scene.client.clientId),
    'the client is deleted and registered again': async () => {
      const { secret: _, ...registration } = scene.client;
      await deleteClient(db(), registration.clientId);
      await saveClient(db(), registration);
    },
    'the epoch of the server is raised': () => raiseServerEpoch(db()),
  };

  describe.each(Object.keys(endings))('%s:', (name) => {
    const end = endings[name] as (grantId: string) => Promise<unknown>;

    it('a rotation issues nothing', async () => {
      const token = await scene.chain();
      const { grantId } = placeOf(scene.keys, token);
      beforeCommit = () => end(grantId);
      const answer = await refresh(scene, scene.client, token);
      expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error: 'invalid_grant' });
      expect((await storedGrant(db(), grantId)).refreshGeneration).toBe(0n);
    });

    it('an exchange issues nothing', async () => {
      const code = await scene.code();
      const grantId = grantIdOfCode(code.code);
      beforeCommit = () => end(grantId);
      const answer = await exchange(scene, scene.client, code);
      expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error: 'invalid_grant' });
      expect((await storedGrant(db(), grantId)).refreshGeneration).toBeNull();
    });
  });

  describe('when the presented credential ends:', () => {
    const endsFirst = (endsAt: Date) => {
      beforeCommit = async () => scene.clock.set(endsAt);
    };

    const lastLine = () => JSON.parse(scene.logs().trimEnd().split('\n').at(-1) ?? '');

    it('a rotation issues nothing, and the chain is unchanged', async () => {
      const token = await scene.chain();
      const { grantId } = placeOf(scene.keys, token);
      const before = await storedGrant(db(), grantId);
      endsFirst(before.chainEndsAt as Date);
      const answer = await refresh(scene, scene.client, token);
      expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error: 'invalid_grant' });
      expect(lastLine()).toMatchObject({ reason: 'refresh_token_expired', grantId });
      expect(await storedGrant(db(), grantId)).toEqual(before);
    });

    it('an exchange issues nothing, and the code is unchanged', async () => {
      const code = await scene.code();
      const grantId = grantIdOfCode(code.code);
      const before = await storedGrant(db(), grantId);
      endsFirst(before.codeEndsAt);
      const answer = await exchange(scene, scene.client, code);
      expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error: 'invalid_grant' });
      expect(lastLine()).toMatchObject({ reason: 'authorization_code_expired', grantId });
      expect(await storedGrant(db(), grantId)).toEqual(before);
    });

    it('is issued at the last millisecond', async () => {
      const token = await scene.chain();
      const { chainEndsAt } = await storedGrant(db(), placeOf(scene.keys, token).grantId);
      endsFirst(new Date((chainEndsAt as Date).getTime() - 1));
      expect((await refresh(scene, scene.client, token)).status).toBe(200);
    });
  });

  it('a revocation commits even when an attacker rotates before each of its attempts', async () => {
    const used = await scene.chain();
    let head = (await refresh(scene, scene.client, used)).json.refresh_token ?? '';
    let rotations = 0;
    beforeRevocation = async () => {
      const { status, json } = await refresh(scene, scene.client, head);
      if (status !== 200) return;
      head = json.refresh_token ?? '';
      rotations++;
    };
    const reuse = await refresh(scene, scene.client, used);
    beforeRevocation = null;
    expect({ status: reuse.status, error: reuse.json.error }).toEqual({ status: 400, error: 'invalid_grant' });
    expect(rotations).toBe(1);
    expect((await storedGrant(db(), placeOf(scene.keys, used).grantId)).state).toBe('revoked');
    expect((await refresh(scene, scene.client, head)).json.error).toBe('invalid_grant');
  });

  it('concurrent presentation of the same token issues one of the two, and ends the chain', async () => {
    const token = await scene.chain();
    let first = 0;
    beforeCommit = async () => {
      first = (await refresh(scene, scene.client, token)).status;
    };
    const second = await refresh(scene, scene.client, token);
    expect([first, second.status]).toEqual([200, 400]);
    expect(await storedGrant(db(), placeOf(scene.keys, token).grantId)).toMatchObject({
      state: 'revoked',
      revokedReason: 'refresh_token_reused',
    });
  });

  it('concurrent presentation of the same code issues one of the two, and ends the chain', async () => {
    const code = await scene.code();
    let first = 0;
    beforeCommit = async () => {
      first = (await exchange(scene, scene.client, code)).status;
    };
    const second = await exchange(scene, scene.client, code);
    expect([first, second.status]).toEqual([200, 400]);
    expect(await storedGrant(db(), grantIdOfCode(code.code))).toMatchObject({
      state: 'revoked',
      revokedReason: 'authorization_code_reused',
    });
  });

  it.each(['the person is disabled', 'the client is deleted', 'the epoch of the server is raised'])(
    '%s: an approval makes no grant',
    async (name) => {
      const client = await makeClient(scene);
      beforeCommit = () =>
        name === 'the client is deleted'
          ? deleteClient(db(), client.clientId)
          : (endings[name] as (id: string) => Promise<unknown>)('');
      const answer = await goThrough(new Browser(scene.app), authorizeUrl(client, makePkce()), scene.user);
      expect(answer.url).not.toContain('code=');
      expect(await db().select().from(grants).where(eq(grants.clientId, client.clientId))).toEqual([]);
    },
  );

  describe('when the end-user signs out:', () => {
    const consenting = async () => {
      const client = await makeClient(scene);
      const browser = new Browser(scene.app);
      const signIn = await browser.get(authorizeUrl(client, makePkce()));
      const page = await browser.submit(signIn, { username: scene.user.username, password: PASSWORD });
      expect(page.body).toContain('name="decision"');
      return { client, browser, page };
    };
    const grantsOf = (clientId: string) => db().select().from(grants).where(eq(grants.clientId, clientId));
    /** In another tab of the same browser: after the confirmation page. */
    const signOut = async (browser: Browser) => {
      const asked = await browser.get('/oauth/logout');
      expect((await browser.submit(asked, { decision: 'approve' })).body).toContain('You are signed out');
    };

    it('a pending consent approves nothing, and requires a sign-in', async () => {
      const { client, browser, page } = await consenting();
      beforeCommit = () => signOut(browser);
      const answer = await browser.submit(page, { decision: 'approve' });
      expect(answer.url).not.toContain('code=');
      expect(answer.body).toContain('name="password"');
      expect(await grantsOf(client.clientId)).toEqual([]);
    });

    it('a pending silent request gets no code', async () => {
      const { client, browser, page } = await consenting();
      await browser.submit(page, { decision: 'approve' });
      beforeCommit = () => signOut(browser);
      const answer = await browser.get(authorizeUrl(client, makePkce(), { prompt: 'none' }));
      expect(new URL(answer.url).searchParams.get('error')).toBe('login_required');
      expect(await grantsOf(client.clientId)).toHaveLength(1);
    });

    it('a session that is terminated from the list approves nothing either', async () => {
      const { client, browser, page } = await consenting();
      const theirs = await db().select().from(sessions).where(eq(sessions.userId, scene.user.id));
      beforeCommit = () => Promise.all(theirs.map(({ sid }) => endListedSession(scene.deps, scene.user.id, sid)));
      expect((await browser.submit(page, { decision: 'approve' })).url).not.toContain('code=');
      expect(await grantsOf(client.clientId)).toEqual([]);
    });

    if (kind === 'postgres')
      it('a commit that is sent during the sign-out waits for it, and sees it', async () => {
        const { client, browser, page } = await consenting();
        const other = postgres(scene.url ?? '', { max: 2 });
        try {
          const answer = await other.begin(async (ending) => {
            await ending`update sessions set state = 'ended', ended_reason = 'signed_out' where state = 'active'`;
            let isDone = false;
            const approving = browser.submit(page, { decision: 'approve' }).finally(() => {
              isDone = true;
            });
            const isHeldUp = async () => (await other.unsafe(lockWaits())).length > 0;
            while (!isDone && !(await isHeldUp()));
            return { approving };
          });
          expect((await answer.approving).url).not.toContain('code=');
          expect(await grantsOf(client.clientId)).toEqual([]);
        } finally {
          await other.end();
        }
      });
  });

  describe('when the end-user revokes the access of a client:', () => {
    const allowed = async () => {
      const client = await makeClient(scene);
      const browser = new Browser(scene.app);
      await goThrough(browser, authorizeUrl(client, makePkce()), scene.user);
      const silent = () => browser.get(authorizeUrl(client, makePkce(), { prompt: 'none' }));
      return { client, browser, silent };
    };
    const errorIn = (url: string) => new URL(url).searchParams.get('error');
    const livingGrants = async (clientId: string) =>
      (await db().select().from(grants).where(eq(grants.clientId, clientId))).filter(({ state }) => state === 'active');

    it('the client gets no more tokens without consent, not even by a pending commit', async () => {
      const { client, silent } = await allowed();
      beforeCommit = () => endPermission(scene.deps, scene.user.id, client.clientId);
      expect(errorIn((await silent()).url)).toBe('consent_required');
      expect(await livingGrants(client.clientId)).toEqual([]);
    });

    it('a pending sign-in that remembered consent covered requires consent again', async () => {
      const { client } = await allowed();
      beforeCommit = () => endPermission(scene.deps, scene.user.id, client.clientId);
      const elsewhere = new Browser(scene.app);
      const signIn = await elsewhere.get(authorizeUrl(client, makePkce()));
      const page = await elsewhere.submit(signIn, { username: scene.user.username, password: PASSWORD });
      expect(page.body).toContain('name="decision"');
    });

    if (kind === 'postgres')
      it('a commit that is sent meanwhile waits for it, and sees it', async () => {
        const { client, silent } = await allowed();
        const other = postgres(scene.url ?? '', { max: 2 });
        try {
          const answer = await other.begin(async (ending) => {
            await ending`delete from consents where client_id = ${client.clientId}`;
            let isDone = false;
            const asking = silent().finally(() => {
              isDone = true;
            });
            const isHeldUp = async () => (await other.unsafe(lockWaits())).length > 0;
            while (!isDone && !(await isHeldUp()));
            return { asking };
          });
          expect(errorIn((await answer.asking).url)).toBe('consent_required');
        } finally {
          await other.end();
        }
      });
  });
});

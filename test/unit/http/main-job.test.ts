import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  exchange,
  makeClient,
  makeUser,
  obtainCode,
  obtainTokens,
  refresh,
  type TestClient,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { databaseKinds, openTestDatabase, type TestDatabase } from '../../support/database.ts';

describe.each(databaseKinds)('the main job on %s', (kind) => {
  let opened: TestDatabase;
  let test: TestApp;
  let client: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    opened = await openTestDatabase(kind);
    test = await openTestApp(opened.database);
    client = await makeClient(test);
    user = await makeUser(test);
  });
  afterAll(async () => {
    await test.app.close();
    await opened.close();
  });

  it('signs in, consents, exchanges, rotates, and detects reuse', async () => {
    const code = await obtainCode(test, client, user);
    const first = await exchange(test, client, code);
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'read write' });

    const second = await refresh(test, client, first.json.refresh_token ?? '');
    expect(second.status).toBe(200);
    expect(second.json.refresh_token).not.toBe(first.json.refresh_token);

    const reuse = await refresh(test, client, first.json.refresh_token ?? '');
    expect(reuse.status).toBe(400);
    expect(reuse.json.error).toBe('invalid_grant');
    const head = await refresh(test, client, second.json.refresh_token ?? '');
    expect(head.json.error).toBe('invalid_grant');
    expect(test.logs()).toContain('refresh_token_reused');
  });

  it('ends every token of a code that is presented twice', async () => {
    const code = await obtainCode(test, client, user);
    const first = await exchange(test, client, code);
    const again = await exchange(test, client, code);
    expect(again.json.error).toBe('invalid_grant');
    const head = await refresh(test, client, first.json.refresh_token ?? '');
    expect(head.json.error).toBe('invalid_grant');
  });

  it('gives a service its token, without a refresh token', async () => {
    const { status, json } = await token(test, client, { grant_type: 'client_credentials', scope: 'read' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', scope: 'read' });
    expect(json.refresh_token).toBeUndefined();
  });

  it('keeps every secret out of the log', async () => {
    const { accessToken, refreshToken } = await obtainTokens(test, client, user);
    const logs = test.logs();
    for (const secret of [accessToken, refreshToken, client.secret ?? '', 'correct horse']) {
      expect(logs).not.toContain(secret);
    }
  });
});

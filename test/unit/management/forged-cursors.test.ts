/** Cursors are opaque, and any client can decode them: the server rejects an invented cursor before the database sees it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyDatabase } from '../../support/database.ts';
import { API, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const SCOPE = ['clients:read', 'users:read', 'grants:read', 'sessions:read', 'ledger:read'];
const ID = '123e4567-e89b-42d3-a456-426614174000';
const YEAR_0 = '0000-01-01T00:00:00.000000Z';

describe('an invented cursor', () => {
  let scene: Scene;
  let call: Caller;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot() });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, SCOPE));
  });
  afterAll(() => scene.close());

  const cursor = (json: string) => Buffer.from(json).toString('base64url');

  it.each([
    ['/clients', '"a\\u0000b"'],
    ['/clients', '"\\ud800"'],
    ['/clients', JSON.stringify('x'.repeat(4609))],
    ['/users', '"a\\u0000b"'],
    ['/users', '"\\udfff"'],
    ['/grants', JSON.stringify({ at: YEAR_0, id: ID })],
    ['/grants', JSON.stringify({ at: '2026-13-01T00:00:00.000000Z', id: ID })],
    ['/sessions', JSON.stringify({ at: YEAR_0, id: ID })],
    ['/transitions', JSON.stringify({ at: YEAR_0, table: '1', row: '(0,1)' })],
    ['/transitions', JSON.stringify({ recordedIn: '18446744073709551616', position: '0' })],
    ['/transitions', JSON.stringify({ at: '2026-01-01T00:00:00.000000Z', table: '4294967296', row: '(0,1)' })],
  ])('%s: %s', async (path, json) => {
    const answer = await call('GET', `${path}?cursor=${cursor(json)}`);
    expect([answer.statusCode, answer.json().type], answer.body).toEqual([400, `${API}/problems/invalid_parameter`]);
    expect(answer.json().errors).toMatchObject([{ field: 'cursor' }]);
  });
});

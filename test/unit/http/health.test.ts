import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authorizeUrl, makePkce, token } from '../../support/actors.ts';
import { type DatabaseKind, databaseKinds } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

describe.each(databaseKinds)('health on %s', (kind: DatabaseKind) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(kind);
  });
  afterEach(() => scene.app.close());

  it('reports live and ready, uncached, to GET and to HEAD', async () => {
    for (const [what, json] of [
      ['live', { status: 'live' }],
      ['ready', { status: 'ready', database: 'available' }],
      ['database', { status: 'available' }],
    ] as const) {
      const reply = await scene.app.inject(`/health/${what}`);
      expect(reply.statusCode).toBe(200);
      expect(reply.json()).toEqual(json);
      expect(reply.headers['cache-control']).toBe('no-store');
      expect((await scene.app.inject({ method: 'HEAD', url: `/health/${what}` })).statusCode).toBe(200);
    }
    await scene.close();
  });

  it('without its database: live and ready, with keys and metadata; tokens and pages answer 503, not 500', async () => {
    const url = authorizeUrl(scene.client, makePkce());
    await scene.database.close();
    expect((await scene.app.inject('/health/live')).statusCode).toBe(200);
    const health = await scene.app.inject('/health/database');
    expect(health.statusCode).toBe(503);
    expect(health.json()).toEqual({ status: 'unavailable', reason: 'not reachable' });
    const ready = await scene.app.inject('/health/ready');
    expect(ready.statusCode).toBe(200);
    expect(ready.json()).toEqual({ status: 'ready', database: 'not reachable' });
    for (const document of ['jwks.json', 'oauth-authorization-server', 'openid-configuration'])
      expect((await scene.app.inject(`/.well-known/${document}`)).statusCode).toBe(200);
    if (kind === 'embedded') return;

    const { status, headers, json } = await token(scene, scene.client, { grant_type: 'client_credentials' });
    expect({ status, error: json.error }).toEqual({ status: 503, error: 'temporarily_unavailable' });
    expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
    const page = await scene.app.inject({ url, headers: { accept: 'text/html' } });
    expect(page.statusCode).toBe(503);
    expect(page.headers).toMatchObject({ 'retry-after': '1', 'content-type': 'text/html; charset=utf-8' });
    expect(page.body).toContain('Not available right now');
  });
});

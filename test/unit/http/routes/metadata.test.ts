/** Where the metadata stands, and for how long it may be kept. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { metadataRoutes } from '../../../../src/http/metadata-routes.ts';
import type { MetadataDeps } from '../../../../src/protocol/metadata.ts';
import { openRoutes } from '../../../support/use-cases.ts';

vi.mock('../../../../src/protocol/metadata.ts', () => ({
  serverMetadata: ({ issuer }: MetadataDeps) => ({ server: issuer }),
  resourceMetadata: ({ issuer }: MetadataDeps) => ({ resource: issuer }),
}));

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

describe.each([
  {
    issuer: 'https://as.test',
    server: [OAUTH, OPENID],
    resource: '/.well-known/oauth-protected-resource/oauth/userinfo',
    nowhere: [`/tenant${OAUTH}`, '/.well-known', '/.well-known/oauth-protected-resource'],
  },
  {
    issuer: 'https://as.test/tenant',
    server: [`${OAUTH}/tenant`, `/tenant${OAUTH}`, `${OPENID}/tenant`, `/tenant${OPENID}`],
    resource: '/.well-known/oauth-protected-resource/tenant/oauth/userinfo',
    nowhere: [OAUTH, OPENID, '/.well-known/oauth-protected-resource/oauth/userinfo'],
  },
  {
    issuer: 'https://as.test/a/b/',
    server: [`${OAUTH}/a/b`, `/a/b${OAUTH}`, `${OPENID}/a/b`, `/a/b${OPENID}`],
    resource: '/.well-known/oauth-protected-resource/a/b/oauth/userinfo',
    nowhere: [OAUTH, `/a/b/${OAUTH}`],
  },
])('the metadata of $issuer', ({ issuer, server, resource, nowhere }) => {
  let opened: Awaited<ReturnType<typeof openRoutes>>;
  beforeEach(async () => {
    opened = await openRoutes((app) => app.register(metadataRoutes, { issuer } as MetadataDeps));
    return () => opened.app.close();
  });

  it.each([...server.map((url) => [url, { server: issuer }] as const), [resource, { resource: issuer }] as const])(
    '%s',
    async (url, document) => {
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, cache, headers, body } = await opened.send(null, url, { method });
        expect({ status, cache }).toEqual({ status: 200, cache: 'public, max-age=300' });
        expect(headers).toMatchObject({
          'access-control-allow-origin': '*',
          'content-type': 'application/json; charset=utf-8',
        });
        if (method === 'GET') expect(JSON.parse(body)).toEqual(document);
      }
    },
  );
  it.each(nowhere)('nothing at %s', async (url) => {
    expect((await opened.send(null, url)).status).toBe(404);
  });
});

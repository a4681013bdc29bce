/** The public parts of the management API: its document, the reference, the pages about problems, the metadata. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { openApiDocument } from '../../../src/management/openapi/document.ts';
import { entityTag } from '../../../src/management/precondition.ts';
import { PROBLEMS } from '../../../src/management/problem.ts';
import { preparing } from '../../../src/management/public-document.ts';
import { ISSUER } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { API } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

it('a text is hashed and encoded once, however often it is requested', () => {
  const prepared = preparing();
  const first = prepared('text');
  expect(prepared('text')).toBe(first);
  expect(prepared('other')).toMatchObject({ tag: entityTag('other'), bytes: Buffer.from('other') });
});

describe('the public part of the management API', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  const get = (url: string, headers: Readonly<Record<string, string>> = {}) => scene.app.inject({ url, headers });

  it.each(['/openapi.json', '/reference', '/reference/scalar.js', '/problems/not_found'])(
    'GET %s needs no token, and can be cached and revalidated',
    async (path) => {
      const answer = await get(`/management/v1${path}`);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers).toMatchObject({
        'cache-control': 'public, no-cache',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      });
      const etag = String(answer.headers.etag);
      const again = await get(`/management/v1${path}`, { 'if-none-match': etag });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
      const head = await scene.app.inject({ method: 'HEAD', url: `/management/v1${path}` });
      expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', etag]);
      const post = await scene.app.inject({ method: 'POST', url: `/management/v1${path}` });
      expect([post.statusCode, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    },
  );

  it('serves the document with its own URLs', async () => {
    const answer = await get('/management/v1/openapi.json');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument(ISSUER))));
    expect(answer.json().servers).toEqual([{ url: ISSUER }]);
  });

  it('has a page that loads no foreign content', async () => {
    const { body, headers } = await get('/management/v1/reference');
    const policy = String(headers['content-security-policy']);
    expect(policy).not.toContain('unsafe-eval');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(
      new RegExp(`script-src ${API}/reference/scalar\\.js 'sha256-[\\w+/=]{44}'; style-src 'unsafe-inline'`),
    );
    expect(policy).toContain(`connect-src ${API}/openapi.json;`);
    // Every address in the page is of this server.
    expect(body.match(/https?:\/\/[^"'\s]+/g)?.filter((url) => !url.startsWith(API))).toEqual([]);
    expect(body).toContain(`<noscript>`);
    expect(body).toContain(`<a href="${API}/openapi.json">`);
    const script = await get('/management/v1/reference/scalar.js');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.body).toContain('createApiReference');
    expect(script.body).not.toContain('sourceMappingURL=standalone');
  });

  it.each(Object.entries(PROBLEMS))('explains %s in words', async (reason, { status, title }) => {
    const answer = await get(`/management/v1/problems/${reason}`);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.body).toContain(`<h1>${title}</h1>`);
    expect(answer.body).toContain(`Status ${status}`);
    expect(answer.body).toContain('<h2>What to do</h2>');
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });

  it('has no page about an unknown problem', async () => {
    for (const reason of ['nothing', 'constructor', 'toString']) {
      const answer = await get(`/management/v1/problems/${reason}`);
      expect([answer.statusCode, answer.json().type]).toEqual([404, `${API}/problems/not_found`]);
    }
  });

  it('serves the metadata that a rejection names (RFC 9728)', async () => {
    const refusal = await get('/management/v1/clients');
    const [, url = ''] = /resource_metadata="([^"]+)"/.exec(String(refusal.headers['www-authenticate'])) ?? [];
    expect(url).toBe(`${ISSUER}/.well-known/oauth-protected-resource/management/v1`);
    const answer = await get(url.slice(ISSUER.length));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
    });
    expect(answer.json()).toEqual({
      resource: API,
      authorization_servers: [ISSUER],
      scopes_supported: MANAGEMENT_SCOPE_NAMES,
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256'],
      resource_name: 'Administration of this server',
      resource_documentation: `${API}/reference`,
    });
  });
});

describe('below an issuer with a path', () => {
  it('has the metadata between host and path', async () => {
    const scene = await openScene(anyDatabase, { issuer: 'https://as.test/tenant' });
    try {
      const refusal = await scene.app.inject('/tenant/management/v1/clients');
      expect(refusal.headers['www-authenticate']).toContain(
        'resource_metadata="https://as.test/.well-known/oauth-protected-resource/tenant/management/v1"',
      );
      const metadata = await scene.app.inject('/.well-known/oauth-protected-resource/tenant/management/v1');
      expect(metadata.json()).toMatchObject({ resource: 'https://as.test/tenant/management/v1' });
      const document = await scene.app.inject('/tenant/management/v1/openapi.json');
      expect(document.json().servers).toEqual([{ url: 'https://as.test/tenant' }]);
    } finally {
      await scene.close();
    }
  });
});

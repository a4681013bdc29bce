/** The guard as a Fastify plugin: every route declares its requirements, and every answer its caching. */
import fastify, { type FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type FastifyGuardOptions, fastifyGuard } from '../../../src/guard/fastify.ts';
import { FAKE_ISSUER, FAKE_METADATA, FAKE_RESOURCE, type FakeIssuer, fakeIssuer } from '../../support/fake-issuer.ts';

const METADATA = '/.well-known/oauth-protected-resource/photos';

describe('the Fastify plugin', () => {
  let issuer: FakeIssuer;
  let authorization: string;
  beforeEach(async () => {
    issuer = await fakeIssuer();
    authorization = `Bearer ${await issuer.token()}`;
  });

  const optionsOf = (more: Partial<FastifyGuardOptions> = {}): FastifyGuardOptions => ({
    issuer: FAKE_ISSUER,
    resource: FAKE_RESOURCE,
    fetch: issuer.fetch,
    now: () => issuer.clock.now(),
    ...more,
  });
  const lines: string[] = [];
  const opened = async (more: Partial<FastifyGuardOptions> = {}, routes: (app: FastifyInstance) => void = photos) => {
    const app = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
    onTestFinished(() => app.close());
    await app.register(fastifyGuard, optionsOf(more));
    routes(app);
    await app.ready();
    return app;
  };
  const photos = (app: FastifyInstance) => {
    app.get('/photos', { config: { scopes: ['read'] } }, async ({ access }) => ({ access }));
    app.post('/photos', { config: { scopes: ['read', 'write'] } }, async () => ({}));
    app.get('/status', { config: { public: true } }, async ({ access }) => ({ access }));
  };

  it('accepts an authorized caller, and passes the identity to the route', async () => {
    const app = await opened();
    const reply = await app.inject({ url: '/photos', headers: { authorization } });
    expect(reply.statusCode).toBe(200);
    expect(reply.json().access).toMatchObject({ subject: 'ada', clientId: 'photo-book', scopes: ['read'] });
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Authorization' });
    expect((await app.inject({ method: 'HEAD', url: '/photos', headers: { authorization } })).statusCode).toBe(200);
  });

  describe('a route that requires a stronger or a more recent sign-in (RFC 9470)', () => {
    const STRONG = ['urn:statehouse:acr:phishing-resistant', 'urn:statehouse:acr:multi-factor'];
    const routes = (app: FastifyInstance) => {
      app.get('/transfers', { config: { scopes: ['read'], acrValues: STRONG, maxAgeSeconds: 300 } }, async () => ({}));
    };
    const asked = async (claims: Readonly<Record<string, unknown>>) => {
      const app = await opened({}, routes);
      const token = await issuer.token({ claims });
      return app.inject({ url: '/transfers', headers: { authorization: `Bearer ${token}` } });
    };
    const now = () => Math.floor(issuer.clock.now().getTime() / 1000);

    it('accepts any of the classes, in time', async () => {
      for (const acr of STRONG) expect((await asked({ acr, auth_time: now() - 300 })).statusCode).toBe(200);
    });
    it.each<[string, () => Readonly<Record<string, unknown>>]>([
      ['a weaker sign-in', () => ({ acr: 'urn:statehouse:acr:password', auth_time: now() })],
      ['a token that says nothing of it', () => ({})],
      ['a class that is no text', () => ({ acr: STRONG, auth_time: now() })],
      ['an older sign-in', () => ({ acr: STRONG[0], auth_time: now() - 306 })],
      ['no instant', () => ({ acr: STRONG[0] })],
    ])('requests a new sign-in after %s', async (_, claims) => {
      const reply = await asked(claims());
      expect(reply.statusCode).toBe(401);
      expect(reply.json()).toMatchObject({ error: 'insufficient_user_authentication' });
      expect(reply.headers['www-authenticate']).toContain('error="insufficient_user_authentication"');
      expect(reply.headers['www-authenticate']).toContain(`acr_values="${STRONG.join(' ')}", max_age="300"`);
    });
    it.each([
      ['a class with a quote', { acrValues: ['a"b'] }],
      ['no class', { acrValues: [] }],
      ['half a second', { maxAgeSeconds: 0.5 }],
    ])('does not start with %s', async (_, config) => {
      const bad = (app: FastifyInstance) => {
        app.get('/transfers', { config: { scopes: ['read'], ...config } }, async () => ({}));
      };
      await expect(opened({}, bad)).rejects.toThrow(/acrValues|maxAgeSeconds/);
    });
  });

  it.each<[string, 'GET' | 'POST' | 'HEAD', () => Record<string, string>, number, object]>([
    ['no token', 'GET', () => ({}), 401, {}],
    ['HEAD without a token', 'HEAD', () => ({}), 401, {}],
    ['a malformed header', 'GET', () => ({ authorization: 'Bearer' }), 400, { error: 'invalid_request' }],
    ['a bad token', 'GET', () => ({ authorization: 'Bearer a.b.c' }), 401, { error: 'invalid_token' }],
    [
      'too little scope',
      'POST',
      () => ({ authorization }),
      403,
      { error: 'insufficient_scope', scope: 'read write', missing: 'write' },
    ],
  ])('rejects %s', async (_name, method, headers, status, body) => {
    const app = await opened();
    const reply = await app.inject({ method, url: '/photos', headers: headers() });
    expect(reply.statusCode).toBe(status);
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Authorization' });
    expect(reply.headers['www-authenticate']).toContain(`resource_metadata="${FAKE_METADATA}"`);
    if (method !== 'HEAD') expect(reply.json()).toMatchObject(body);
  });

  it('answers 503 with Retry-After when the keys are unavailable, and logs why, without the token', async () => {
    issuer.answers.keys = () => new Response('', { status: 500 });
    lines.length = 0;
    const app = await opened();
    const reply = await app.inject({ url: '/photos', headers: { authorization } });
    expect(reply.statusCode).toBe(503);
    expect(reply.headers['retry-after']).toBe('2');
    const log = lines.join('');
    expect(log).toContain(`GET ${FAKE_ISSUER}/keys: answered 500`);
    expect(log).not.toContain(authorization.slice(7));
  });

  it('reads no token on a public route, and leaves its answer unchanged', async () => {
    const app = await opened();
    const reply = await app.inject({ url: '/status', headers: { authorization: 'Bearer garbage' } });
    expect(reply.json()).toEqual({ access: null });
    expect(reply.headers).not.toHaveProperty('vary');
    expect(issuer.asked).toEqual([]);
  });

  it('keeps the caching headers of a route, and adds to its Vary header', async () => {
    const app = await opened({}, (routes) => {
      const config = { scopes: ['read'] };
      routes.get('/kept', { config }, (_request, reply) =>
        reply.header('cache-control', 'private, max-age=60').header('vary', 'Accept, Origin').send('x'),
      );
      routes.get('/named', { config }, (_request, reply) =>
        reply.header('vary', ['accept', 'AUTHORIZATION']).send('x'),
      );
      routes.get('/all', { config }, (_request, reply) => reply.header('vary', '*').send('x'));
      routes.get('/broken', { config }, async () => {
        throw new Error('broken');
      });
    });
    const headersOf = async (url: string) => {
      const { headers } = await app.inject({ url, headers: { authorization } });
      return [headers['cache-control'], headers.vary];
    };
    expect(await headersOf('/kept')).toEqual(['private, max-age=60', 'Accept, Origin, Authorization']);
    expect(await headersOf('/named')).toEqual(['no-store', 'accept, AUTHORIZATION']);
    expect(await headersOf('/all')).toEqual(['no-store', '*']);
    expect(await headersOf('/broken')).toEqual(['no-store', 'Authorization']);
  });

  it('serves the metadata of the API to every caller, with the scopes of its routes', async () => {
    const app = await opened({ name: 'Photos', documentation: 'https://api.example/help' });
    const reply = await app.inject(METADATA);
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' });
    expect(reply.json()).toEqual({
      resource: FAKE_RESOURCE,
      authorization_servers: [FAKE_ISSUER],
      bearer_methods_supported: ['header'],
      scopes_supported: ['read', 'write'],
      resource_name: 'Photos',
      resource_documentation: 'https://api.example/help',
    });
  });

  it('serves the configured scopes, and no others from routes', async () => {
    const app = await opened({ scopes: ['read', 'write', 'admin'] });
    expect((await app.inject(METADATA)).json().scopes_supported).toEqual(['read', 'write', 'admin']);
    await expect(opened({ scopes: ['read'] })).rejects.toThrow(
      'POST /photos: the scopes of this API are read; found: write.',
    );
  });

  it.each<[string, object, RegExp]>([
    ['nothing', {}, /GET \/x: say what it takes/],
    ['no list', { scopes: 'read' }, /GET \/x: it has to name its scopes as a list/],
    ['public: false alone', { public: false }, /GET \/x: say what it takes/],
    ['introspection that there is not', { scopes: [], introspect: true }, /GET \/x: it asks for introspection/],
  ])('does not start with a route that declares %s', async (_name, config, words) => {
    const starting = opened({}, (app) => void app.get('/x', { config }, async () => 'open'));
    await expect(starting).rejects.toThrow(words);
  });

  it('sends no answer from a route that was declared before it without requirements', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    app.get('/x', async () => 'open');
    await app.register(fastifyGuard, optionsOf());
    const reply = await app.inject({ url: '/x', headers: { authorization } });
    expect(reply.statusCode).toBe(500);
    expect(reply.body).not.toContain('open');
  });

  it('does not affect missing routes, and the preflight of CORS', async () => {
    const app = await opened({}, (routes) => {
      routes.options('/photos', (_request, reply) => reply.code(204).send());
      routes.options('/closed', { config: { scopes: ['read'] } }, (_request, reply) => reply.code(204).send());
    });
    expect((await app.inject('/nothing')).statusCode).toBe(404);
    expect((await app.inject({ method: 'OPTIONS', url: '/photos' })).statusCode).toBe(204);
    expect((await app.inject({ method: 'OPTIONS', url: '/closed' })).statusCode).toBe(401);
  });

  it('guards its scope and the scopes below, and none beside it', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    app.get('/open', async () => 'open');
    await app.register(async (inner) => {
      await inner.register(fastifyGuard, optionsOf());
      await inner.register(
        async (deeper) => void deeper.get('/deep', { config: { scopes: ['read'] } }, async () => 'in'),
      );
    });
    expect((await app.inject('/open')).body).toBe('open');
    expect((await app.inject('/deep')).statusCode).toBe(401);
    expect((await app.inject({ url: '/deep', headers: { authorization } })).body).toBe('in');
    expect((await app.inject(METADATA)).statusCode).toBe(200);
  });

  it('needs a configured address for the metadata below a prefix', async () => {
    const below = (serveMetadata: boolean) => {
      const app = fastify();
      onTestFinished(() => app.close());
      app.register(
        async (inner) => {
          await inner.register(fastifyGuard, optionsOf({ serveMetadata }));
          inner.get('/photos', { config: { scopes: ['read'] } }, async () => inner.guard.metadata);
        },
        { prefix: '/api' },
      );
      return app;
    };
    await expect(below(true).ready()).rejects.toThrow(/not below \/api/);
    const reply = await below(false).inject({ url: '/api/photos', headers: { authorization } });
    expect(reply.json()).toMatchObject({ url: FAKE_METADATA, path: METADATA });
  });

  it('sends rejections in the format of the API, with the same status and headers', async () => {
    const app = await opened({
      sendRefusal: (reply, outcome) =>
        reply.type('application/problem+json').send({ type: `https://api.example/problems/${outcome.reason}` }),
    });
    const reply = await app.inject('/photos');
    expect(reply.statusCode).toBe(401);
    expect(reply.headers).toMatchObject({
      'content-type': expect.stringContaining('problem+json'),
      vary: 'Authorization',
    });
    expect(reply.json()).toEqual({ type: 'https://api.example/problems/no_credentials' });
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer scope="read"/);
  });

  it('introspects where a route does not opt out', async () => {
    issuer.answers.introspection = () => Response.json({ active: false });
    const app = await opened({ introspection: { clientId: 'a', clientSecret: 'b' } }, (routes) => {
      routes.get('/asked', { config: { scopes: ['read'] } }, async () => 'in');
      routes.get('/not-asked', { config: { scopes: ['read'], introspect: false } }, async () => 'in');
    });
    expect((await app.inject({ url: '/asked', headers: { authorization } })).statusCode).toBe(401);
    expect((await app.inject({ url: '/not-asked', headers: { authorization } })).statusCode).toBe(200);
  });
});

/** The log of a guard that rejects every caller, word for word, and the decisions at the bounds of its parts. */
import fastify, { type FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { metadataUrlOf } from '../../../src/guard/discovery.ts';
import { type FastifyGuardOptions, fastifyGuard } from '../../../src/guard/fastify.ts';
import { createGuard, type GuardOptions } from '../../../src/guard/index.ts';
import type { Needs } from '../../../src/guard/needs.ts';
import { refused } from '../../../src/guard/outcome.ts';
import {
  bearer,
  FAKE_ISSUER,
  FAKE_RESOURCE,
  type FakeIssuer,
  fakeIssuer,
  sharedKey,
} from '../../support/fake-issuer.ts';

const METADATA = `${FAKE_ISSUER}/.well-known/oauth-authorization-server`;
const NEEDS: Needs = { scopes: ['read'] };
const CLIENT = { clientId: 'photos', clientSecret: 'a secret' };
const DAY_MILLISECONDS = 86_400_000;

let issuer: FakeIssuer;
beforeEach(async () => {
  issuer = await fakeIssuer();
});

describe('the log has the reason why a guard rejects every caller:', () => {
  const json = (value: unknown) => () => Response.json(value);
  const failed = () => new Response('', { status: 500 });
  const detailOf = async (options: Partial<GuardOptions> = {}, needs = NEEDS, request?: object) => {
    const outcome = await issuer.guard(options).check((request ?? bearer(await issuer.token())) as never, needs);
    return outcome.kind === 'unavailable' ? [outcome.reason, outcome.detail] : outcome.kind;
  };

  it.each<[string, () => Response, string]>([
    ['not there', failed, `GET ${METADATA}: answered 500`],
    ['of another issuer', json({ issuer: 'https://x' }), `it is not the metadata of the issuer ${FAKE_ISSUER}`],
    ['no object', json([FAKE_ISSUER]), `GET ${METADATA}: it is not the metadata of the issuer ${FAKE_ISSUER}`],
    ['nothing', json(null), `GET ${METADATA}: it is not the metadata of the issuer ${FAKE_ISSUER}`],
    [
      'without keys',
      json({ issuer: FAKE_ISSUER }),
      `GET ${METADATA}: its jwks_uri is missing, or not a URL that an API may ask`,
    ],
  ])('the metadata are %s', async (_, answer, detail) => {
    issuer.answers.metadata = answer;
    expect(await detailOf()).toEqual(['keys', expect.stringContaining(detail)]);
  });

  it('the metadata name no endpoint for introspection', async () => {
    issuer.answers.metadata = json({ issuer: FAKE_ISSUER, jwks_uri: `${FAKE_ISSUER}/keys` });
    const detail = `GET ${METADATA}: its introspection_endpoint is missing, or not a URL that an API may ask`;
    expect(await detailOf({ introspection: CLIENT })).toEqual(['introspection', detail]);
  });

  it('the only key is not for signatures', async () => {
    for (const change of [{ use: 'enc' }, { kty: 'oct' }, { kid: undefined }]) {
      issuer.published = [{ ...issuer.key.jwk, ...change }];
      const detail = `GET ${FAKE_ISSUER}/keys: there is no key for signatures in it`;
      expect(await detailOf()).toEqual(['keys', detail]);
    }
  });

  it.each<[string, unknown, string]>([
    ['an error', new RangeError('with the token'), 'the check of the proof failed (RangeError)'],
    ['a text', 'with the token', 'the check of the proof failed (string)'],
  ])('the check of a proof throws %s', async (_, thrown, detail) => {
    const proof = () => {
      throw thrown;
    };
    const token = await issuer.token({ claims: { cnf: { 'x5t#S256': 'a' } } });
    expect(await detailOf({ proof }, NEEDS, bearer(token))).toEqual(['proof', detail]);
  });

  it('the request cannot be read', async () => {
    const request = {
      get headers() {
        throw new SyntaxError('with the token');
      },
    };
    expect(await detailOf({}, NEEDS, request)).toEqual(['internal', 'the check failed (SyntaxError)']);
  });

  it.each<[string, object, object, string]>([
    [
      'has no list of scopes',
      {},
      { scopes: 'read' },
      'it has to name its scopes as a list; an empty list lets in any token for this API',
    ],
    [
      'has scopes of another API',
      { scopes: ['read', 'write'] },
      { scopes: ['read', 'print', 'send'] },
      'the scopes of this API are read, write; found: print, send',
    ],
    [
      'may be older by less than nothing',
      {},
      { scopes: [], maxAgeSeconds: -1 },
      'maxAgeSeconds has to be a whole number of seconds',
    ],
  ])('the requirements of the request %s', async (_, options, needs, problem) => {
    expect(issuer.guard(options).problemOf(needs as Needs)).toBe(problem);
    expect(await detailOf(options, needs as Needs)).toEqual(['internal', `the needs of a request: ${problem}`]);
  });

  it('accepts a maximum age of zero as a requirement', () => {
    expect(issuer.guard().problemOf({ scopes: [], maxAgeSeconds: 0 })).toBeNull();
  });
});

describe('a guard', () => {
  it('requests metadata again after a failure', async () => {
    const { metadata } = issuer.answers;
    issuer.answers.metadata = () => new Response('', { status: 500 });
    const guard = issuer.guard();
    const token = await issuer.token();
    expect((await guard.check(bearer(token), NEEDS)).kind).toBe('unavailable');
    issuer.answers.metadata = metadata;
    issuer.clock.advanceSeconds(3);
    expect((await guard.check(bearer(token), NEEDS)).kind).toBe('granted');
  });

  it('uses the configured endpoint, whatever the metadata say, in the form of RFC 7662', async () => {
    const asked: string[] = [];
    const types: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = async (input, init = {}) => {
      asked.push(`${init.method} ${String(input)}`);
      types.push(new Headers(init.headers).get('content-type'));
      if (String(input).endsWith('/ask')) return Response.json({ active: true, scope: 'read' });
      return issuer.fetch(input, init);
    };
    const guard = issuer.guard({ fetch, introspection: { ...CLIENT, endpoint: `${FAKE_ISSUER}/ask` } });
    expect((await guard.check(bearer(await issuer.token()), NEEDS)).kind).toBe('granted');
    expect(asked).toEqual([`GET ${METADATA}`, `GET ${FAKE_ISSUER}/keys`, `POST ${FAKE_ISSUER}/ask`]);
    expect(types[2]).toBe('application/x-www-form-urlencoded');
  });

  it('expires its cache when the clock was set back', async () => {
    const guard = issuer.guard({ introspection: { ...CLIENT, cacheSeconds: 60 } });
    const token = await issuer.token({ claims: { iat: 1 } });
    await guard.check(bearer(token), NEEDS);
    issuer.clock.set(new Date(issuer.clock.now().getTime() - DAY_MILLISECONDS));
    await guard.check(bearer(token), NEEDS);
    expect(issuer.asked.filter((one) => one === 'introspect')).toHaveLength(2);
  });

  it('uses the clock of its machine', async () => {
    const guard = createGuard({ issuer: FAKE_ISSUER, resource: FAKE_RESOURCE, fetch: issuer.fetch });
    const seconds = Math.floor(Date.now() / 1000);
    const verdict = async (exp: number) =>
      (await guard.check(bearer(await issuer.token({ claims: { iat: seconds - 3600, exp } })), NEEDS)).kind;
    expect(await verdict(seconds + 3600)).toBe('granted');
    expect(await verdict(seconds - 600)).toBe('refused');
  });

  it('rejects a textual auth_time', async () => {
    const seconds = Math.floor(issuer.clock.now().getTime() / 1000);
    const check = async (auth_time: unknown) =>
      (
        await issuer
          .guard()
          .check(bearer(await issuer.token({ claims: { auth_time } })), { ...NEEDS, maxAgeSeconds: 60 })
      ).kind;
    expect([await check(seconds), await check(String(seconds)), await check(null)]).toEqual([
      'granted',
      'refused',
      'refused',
    ]);
  });

  it('ignores a key without an id', async () => {
    const { kid: _, ...nameless } = (await sharedKey('second')).jwk;
    issuer.published = [issuer.key.jwk, nameless];
    const token = await issuer.token({ signer: await sharedKey('second'), header: { kid: undefined } });
    expect(await issuer.guard().check(bearer(token), NEEDS)).toMatchObject({ reason: 'unknown_key' });
  });

  it.each([
    ['https://login.example', 'https://login.example/.well-known/oauth-authorization-server'],
    ['https://login.example/', 'https://login.example/.well-known/oauth-authorization-server'],
    ['https://login.example/one/two/', 'https://login.example/.well-known/oauth-authorization-server/one/two'],
  ])('finds the metadata of %s at %s', (of, url) => {
    expect(metadataUrlOf(of)).toBe(url);
  });

  it.each([
    [{}, {}],
    [{ scopes: [] }, {}],
    [{ scopes: ['read'] }, { scopes_supported: ['read'] }],
    [{ name: 'Photos' }, { resource_name: 'Photos' }],
    [{ documentation: 'https://api.example' }, { resource_documentation: 'https://api.example' }],
  ])('with %j publishes in its metadata %j', (options, said) => {
    expect(issuer.guard(options).metadata.document).toStrictEqual({
      resource: FAKE_RESOURCE,
      authorization_servers: [FAKE_ISSUER],
      bearer_methods_supported: ['header'],
      ...said,
    });
  });

  it('has no metadata address for a resource that is no URL of the web', () => {
    for (const resource of ['urn:photos', 'urn:https://api.example', 'photos:http:one'])
      expect(issuer.guard({ resource }).metadata).toMatchObject({ url: null, path: null });
  });

  it.each(['ftp://login.example', 'ftp://login.example/https://login.example', 'https://', 'login.example', 7])(
    'is not created for the issuer %j',
    (of) => {
      expect(() => issuer.guard({ issuer: of as string })).toThrow(/needs issuer: the URL/);
    },
  );
});

describe('a challenge', () => {
  const signIn = { acrValues: ['strong'], maxAgeSeconds: null };
  const facts = { scopes: [], metadataUrl: null, signIn };

  it('names the sign-in where it was not enough, and in no other case', () => {
    expect(refused('sign_in_too_weak', facts).headers['www-authenticate']).toBe(
      'Bearer error="insufficient_user_authentication", ' +
        'error_description="The end-user has to sign in again, more recently or more strongly.", acr_values="strong"',
    );
    expect(refused('expired', facts).headers['www-authenticate']).not.toContain('acr_values');
    const { signIn: _, ...without } = facts;
    expect(refused('sign_in_too_weak', without).headers['www-authenticate']).not.toContain('acr_values');
  });
});

describe('the Fastify plugin', () => {
  const opened = async (more: Partial<FastifyGuardOptions>, routes: (app: FastifyInstance) => void) => {
    const lines: string[] = [];
    const app = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
    onTestFinished(() => app.close());
    const { fetch, clock } = issuer;
    const options = { issuer: FAKE_ISSUER, resource: FAKE_RESOURCE, fetch, now: () => clock.now(), ...more };
    await app.register(fastifyGuard, options);
    routes(app);
    await app.ready();
    return { app, lines };
  };
  const photos = (app: FastifyInstance) => {
    app.get('/photos', { config: { scopes: ['read'] } }, async (_, reply) =>
      reply.header('vary', 'Accept,Origin').send({}),
    );
  };
  const lineWith = (lines: readonly string[], text: string) =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === text);

  it('logs the reason for a rejection, and for an unavailable answer', async () => {
    const { app, lines } = await opened({}, photos);
    await app.inject('/photos');
    expect(lineWith(lines, 'access refused')).toMatchObject([{ level: 30, reason: 'no_credentials' }]);
    expect(lineWith(lines, 'access tokens cannot be checked')).toEqual([]);
    issuer.answers.keys = () => new Response('', { status: 500 });
    await app.inject({ url: '/photos', headers: { authorization: `Bearer ${await issuer.token()}` } });
    expect(lineWith(lines, 'access tokens cannot be checked')).toMatchObject([{ level: 50, reason: 'keys' }]);
    expect(lineWith(lines, 'access refused')).toHaveLength(1);
  });

  it('adds to the Vary header of a route, in any spelling', async () => {
    const { app } = await opened({}, photos);
    const headers = { authorization: `Bearer ${await issuer.token()}` };
    expect((await app.inject({ url: '/photos', headers })).headers['vary']).toBe('Accept, Origin, Authorization');
  });

  it('names the route without requirements', async () => {
    const silent = (method: string[]) => (app: FastifyInstance) =>
      void app.route({ method, url: '/silent', handler: async () => ({}) });
    const words = 'say what it takes: config: { scopes: […] }, or config: { public: true }.';
    await expect(opened({}, silent(['GET', 'POST']))).rejects.toThrow(`GET, POST /silent: ${words}`);
    await expect(opened({}, silent(['OPTIONS', 'GET']))).rejects.toThrow('OPTIONS, GET /silent');
    await expect(opened({}, silent(['OPTIONS']))).resolves.toBeDefined();
  });

  it('names the request to a route that was declared before it', async () => {
    const lines: string[] = [];
    const app = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
    onTestFinished(() => app.close());
    app.register(async (scope) => {
      scope.get('/early', async () => ({}));
      await scope.register(fastifyGuard, { issuer: FAKE_ISSUER, resource: FAKE_RESOURCE, serveMetadata: false });
    });
    expect((await app.inject('/early')).statusCode).toBe(500);
    expect(lines.join('')).toContain('GET /early: say what it takes');
  });

  it('serves metadata at a path with a colon, and none for a resource that is no URL', async () => {
    const { app } = await opened({ resource: 'https://api.example/photos:print' }, photos);
    const reply = await app.inject('/.well-known/oauth-protected-resource/photos:print');
    expect(reply.json()).toMatchObject({ resource: 'https://api.example/photos:print', scopes_supported: ['read'] });
    const other = await opened({ resource: 'urn:photos' }, photos);
    expect(other.app.printRoutes({ commonPrefix: false })).not.toContain('null');
  });

  it('explains below a prefix where to register it', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    const below = async (scope: FastifyInstance) => {
      await scope.register(fastifyGuard, { issuer: FAKE_ISSUER, resource: FAKE_RESOURCE });
    };
    app.register(below, { prefix: '/v1' });
    await expect(Promise.resolve(app.ready())).rejects.toThrow(
      'The metadata of https://api.example/photos are served at /.well-known/oauth-protected-resource/photos, ' +
        'which is not below /v1. Register the guard without a prefix, or with serveMetadata: false.',
    );
  });

  it('is marked for Fastify 5', () => {
    const marks = fastifyGuard as unknown as Record<symbol, unknown>;
    expect(marks[Symbol.for('plugin-meta')]).toEqual({ name: 'statehouse-guard', fastify: '5.x' });
    expect(marks[Symbol.for('fastify.display-name')]).toBe('statehouse-guard');
  });
});

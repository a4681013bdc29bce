/** Each kind of answer as HTTP and in the log, with resources whose work the test plays: without a database. */
import type { InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailable, Unavailable } from '../../../src/engine/errors.ts';
import { answerOperation } from '../../../src/management/answers.ts';
import { managementApi, prepareApi, sendFailure } from '../../../src/management/api.ts';
import type { GuardDeps, ManagementDeps } from '../../../src/management/deps.ts';
import { entityTag } from '../../../src/management/precondition.ts';
import { problem } from '../../../src/management/problem.ts';
import { type Answer, created, document, done, found } from '../../../src/management/resource.ts';
import { client } from '../../../src/management/resources/clients.ts';
import { clientCollection, userCollection } from '../../../src/management/resources/collections.ts';
import { policies } from '../../../src/management/resources/configuration.ts';
import { explanations } from '../../../src/management/resources/explanations.ts';
import { machine, machinePicture } from '../../../src/management/resources/machines.ts';
import { operationRoutes } from '../../../src/management/routes.ts';
import type { Me } from '../../../src/management/who.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type BareApp, bareApp } from '../../support/bare-app.ts';
import { testClock } from '../../support/clock.ts';

const ISSUER = 'https://as.test/x';
const PREFIX = '/x/management/v1';
const OLGA: Me = { kind: 'operator', id: '00000000-0000-4000-8000-00000000000a', username: 'olga', scopes: [] };
const deps = {
  issuer: ISSUER,
  configuration: () => shippedConfiguration,
  sendsMail: () => true,
} as unknown as ManagementDeps;

let bare: BareApp;
/** As the guard leaves it; null: it admitted no caller. */
let me: Me | null = OLGA;
beforeEach(async () => {
  me = OLGA;
  bare = await bareApp();
  await bare.app.register(
    async (api) => {
      prepareApi(api, ISSUER);
      api.setErrorHandler((error, request, reply) => sendFailure(error as never, request, reply, ISSUER));
      api.addHook('onRequest', async (request) => {
        request.me = me;
        request.actor = me && { kind: me.kind, id: me.id, addressHash: null };
      });
      operationRoutes(api, deps);
    },
    { prefix: PREFIX },
  );
});
afterEach(async () => {
  vi.restoreAllMocks();
  await bare.app.close();
});

const JSON_BODY = { 'content-type': 'application/json' };
const call = (
  method: NonNullable<InjectOptions['method']>,
  path: string,
  { headers = {}, payload }: { readonly headers?: Readonly<Record<string, string>>; readonly payload?: unknown } = {},
) =>
  bare.app.inject({
    method,
    url: `${PREFIX}${path}`,
    headers: { ...(payload !== undefined && JSON_BODY), ...headers },
    ...(payload !== undefined && {
      payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
    }),
  });
const lastLine = () => bare.lines().findLast(({ route }) => route !== undefined);
const playing = (operation: { readonly run: unknown }, answer: Answer) =>
  vi.spyOn(operation as { run: (...given: never[]) => Promise<Answer> }, 'run').mockResolvedValue(answer);
const BY = `operator ${OLGA.id}`;
const SENT = { credential: 'a credential' };

describe('an answer', () => {
  it.each([
    ['GET', '{"a":1}'],
    ['HEAD', ''],
  ] as const)('to %s is shown, with an entity tag', async (method, body) => {
    playing(policies.methods.GET, found({ a: 1 }));
    const answer = await call(method, '/policies');
    expect([answer.statusCode, answer.body]).toEqual([200, body]);
    expect(answer.headers).toMatchObject({
      etag: entityTag('{"a":1}'),
      'cache-control': 'private, no-cache',
      'content-type': 'application/json',
    });
    expect(answer.headers.link).toBeUndefined();
    expect(lastLine()).toMatchObject({ msg: 'shown', by: BY, status: 200, method, route: `${PREFIX}/policies` });
  });

  it.each(['GET', 'HEAD'] as const)('to %s is known by its tag', async (method) => {
    playing(policies.methods.GET, found({ a: 1 }));
    const headers = { 'if-none-match': entityTag('{"a":1}') };
    const answer = await call(method, '/policies', { headers });
    expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', headers['if-none-match']]);
    expect((await call(method, '/policies', { headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
  });

  it('with a secret is stored nowhere, and never known before', async () => {
    playing(explanations.methods.POST, found({ a: 1 }));
    const headers = { 'if-none-match': entityTag('{"a":1}') };
    const answer = await call('POST', '/explanations', { headers, payload: SENT });
    expect([answer.statusCode, answer.body, answer.headers['cache-control']]).toEqual([200, '{"a":1}', 'no-store']);
    expect(lastLine()).toMatchObject({ msg: 'managed', by: BY, status: 200 });
  });

  const next = 'https://as.test/x/management/v1/policies?cursor=abc';
  it.each([
    [{ items: [], _links: { next: { href: next } } }, `<${next}>; rel="next"`],
    [{ items: [{ next: { href: next } }], _links: {} }, undefined],
    [{ items: [{ next: { href: next } }] }, undefined],
    [{ items: [], _links: { self: { href: next } } }, undefined],
  ])('%j has the link %s', async (body, link) => {
    playing(policies.methods.GET, found(body));
    expect((await call('GET', '/policies')).headers.link).toBe(link);
  });

  it('has a link to the next page of what is read, and of nothing else', async () => {
    playing(explanations.methods.POST, found({ _links: { next: { href: next } } }));
    expect((await call('POST', '/explanations', { payload: SENT })).headers.link).toBeUndefined();
  });

  it('about something new has its address, and the tag of its representation', async () => {
    playing(userCollection.methods.POST, created({ a: 1, warnings: [] }, `${ISSUER}/there`, { a: 1 }));
    const answer = await call('POST', '/users', { payload: { username: 'ada' } });
    expect([answer.statusCode, answer.body, answer.headers.location, answer.headers.etag]).toEqual([
      201,
      '{"a":1,"warnings":[]}',
      `${ISSUER}/there`,
      entityTag('{"a":1}'),
    ]);
    expect(lastLine()).toMatchObject({ msg: 'managed', by: BY, status: 201 });
  });

  it('without a document is empty', async () => {
    playing(explanations.methods.POST, done);
    const answer = await call('POST', '/explanations', { payload: SENT });
    expect([answer.statusCode, answer.body, answer.headers['cache-control']]).toEqual([204, '', 'no-store']);
    expect(lastLine()).toMatchObject({ msg: 'managed', by: BY, status: 204 });
  });

  it('of another type has that type', async () => {
    playing(machinePicture.methods.GET, document('image/svg+xml', '<svg/>'));
    const answer = await call('GET', '/machines/grant/picture');
    expect([answer.statusCode, answer.body, answer.headers['content-type']]).toEqual([200, '<svg/>', 'image/svg+xml']);
    expect(answer.headers.etag).toBe(entityTag('<svg/>'));
    expect(lastLine()).toMatchObject({ msg: 'shown', by: BY });
  });

  it('that is a problem has its reason in the log', async () => {
    playing(policies.methods.GET, problem('not_found', 'It is gone.', [{ field: 'a', detail: 'b' }]));
    const answer = await call('GET', '/policies');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringContaining('application/problem+json'),
      'cache-control': 'no-store',
    });
    expect(answer.json()).toEqual({
      type: `${ISSUER}/management/v1/problems/not_found`,
      title: 'Not found',
      status: 404,
      detail: 'It is gone.',
      errors: [{ field: 'a', detail: 'b' }],
    });
    expect(lastLine()).toMatchObject({ msg: 'refused', reason: 'not_found', by: BY });
  });
});

describe('the work of a resource', () => {
  it('gets what was sent, and who sent it', async () => {
    const run = playing(policies.methods.GET, done);
    await call('GET', '/policies', { headers: { 'if-match': '"x"', 'if-none-match': '*', 'idempotency-key': 'é' } });
    const [given, request] = run.mock.calls[0] as unknown as [unknown, Record<string, unknown>];
    expect(given).toBe(deps);
    expect(request).toMatchObject({
      params: {},
      query: {},
      href: `${ISSUER}/management/v1/policies`,
      me: OLGA,
      actor: { kind: 'operator', id: OLGA.id },
      precondition: { isSeen: expect.any(Function), onlyNew: true },
      makes: { isDerived: false, isRepeated: false, wasCarriedOut: false },
    });
    expect([request['body'], request['sent']]).toEqual([undefined, undefined]);
  });

  it('gets the query as its schema reads it, and the address as it was sent', async () => {
    const run = playing(clientCollection.methods.GET, done);
    await call('GET', '/clients?limit=2&q=a?b');
    expect(run.mock.calls[0]?.[1]).toMatchObject({
      query: { limit: 2, q: 'a?b' },
      href: `${ISSUER}/management/v1/clients?limit=2&q=a?b`,
    });
  });

  it('of a change gets the condition of the caller, and the patch as it was sent', async () => {
    const run = playing(client.methods.PATCH, done);
    const headers = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };
    const answer = await call('PATCH', '/clients/shop', { payload: { client_name: null }, headers });
    expect(answer.statusCode).toBe(204);
    expect(run.mock.calls[0]?.[1]).toMatchObject({ params: { client_id: 'shop' }, sent: { client_name: null } });
  });

  it('gets a body without its null members', async () => {
    const run = playing(explanations.methods.POST, done);
    await call('POST', '/explanations', { payload: { ...SENT, more: null } });
    expect(run.mock.calls[0]?.[1]).toMatchObject({ body: SENT, sent: SENT });
  });

  it.each<[string, string, object, number, string, unknown]>([
    ['GET', '/policies?a=1', {}, 400, 'invalid_parameter', 'a'],
    ['GET', '/clients?limit=1&limit=1', {}, 400, 'invalid_parameter', 'limit'],
    ['GET', '/clients?limit=0', {}, 400, 'invalid_parameter', 'limit'],
    ['GET', `/machines/${'x'.repeat(65)}`, {}, 404, 'not_found', undefined],
    ['GET', '/users/%20', {}, 404, 'not_found', undefined],
    ['GET', '/none', {}, 404, 'not_found', undefined],
    ['GET', '/', {}, 404, 'not_found', undefined],
    ['GET', '/policies/', {}, 404, 'not_found', undefined],
    ['PUT', '/policies', {}, 405, 'method_not_allowed', undefined],
    ['GET', '/policies', { headers: { accept: 'text/html' } }, 406, 'not_acceptable', undefined],
    ['GET', '/policies', { headers: { accept: 'application/problem+json' } }, 406, 'not_acceptable', undefined],
    ['GET', '/machines/grant/picture', { headers: { accept: 'application/json' } }, 406, 'not_acceptable', undefined],
    ['POST', '/explanations', { payload: '{' }, 400, 'malformed_json', undefined],
    ['POST', '/explanations', { payload: '' }, 400, 'malformed_json', undefined],
    ['POST', '/explanations', { payload: Buffer.from('"\xff"', 'latin1') }, 400, 'malformed_json', undefined],
    ['POST', '/explanations', { payload: {} }, 422, 'invalid_fields', 'credential'],
    ['POST', '/explanations', { payload: [] }, 422, 'invalid_fields', null],
    [
      'POST',
      '/explanations',
      { payload: SENT, headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
      undefined,
    ],
    [
      'POST',
      '/users',
      { payload: { username: 'ada' }, headers: { 'idempotency-key': 'é' } },
      400,
      'invalid_idempotency_key',
      undefined,
    ],
    ['PATCH', '/clients/shop', { payload: {}, headers: PATCHING() }, 428, 'precondition_required', undefined],
    ['PATCH', '/clients/shop', { payload: [], headers: PATCHING() }, 422, 'invalid_fields', null],
  ])('is not begun for %s %s %j: %d %s', async (method, path, given, status, reason, field) => {
    const runs = [
      policies.methods.GET,
      machine.methods.GET,
      explanations.methods.POST,
      userCollection.methods.POST,
    ].map((operation) => playing(operation, done));
    const answer = await call(method as 'GET', path, given);
    expect([answer.statusCode, answer.json().type]).toEqual([status, `${ISSUER}/management/v1/problems/${reason}`]);
    expect(answer.json().errors?.[0]?.field).toBe(field);
    expect(lastLine()).toMatchObject({ msg: 'refused', status });
    for (const run of runs) expect(run).not.toHaveBeenCalled();
  });
  function PATCHING() {
    return { 'content-type': 'application/merge-patch+json' };
  }

  it.each(['*/*', 'application/*', 'application/json;q=0.1, text/html', 'APPLICATION/JSON'])(
    'is done for the media types %s',
    async (accept) => {
      playing(policies.methods.GET, found({}));
      expect((await call('GET', '/policies', { headers: { accept } })).statusCode).toBe(200);
    },
  );

  it('names what it did not find', async () => {
    expect((await call('GET', `/machines/${'x'.repeat(65)}`)).json().detail).toBe('The machine was not found.');
    expect((await call('GET', '/users/%20')).json().detail).toBe('The end-user was not found.');
    const { detail: of } = (await call('GET', '/users/%20/consequences')).json();
    expect(of).toBe('The consequences for an end-user was not found.');
    expect((await call('GET', '/policies/none')).json().detail).toBe('The policy was not found.');
    expect((await call('GET', '/none')).json().detail).toBe('The API has no resource under this address.');
    const { detail } = (await call('GET', '/policies', { headers: { accept: 'text/html' } })).json();
    expect(detail).toBe('This resource has the type application/json.');
  });

  it.each([
    ['/none', 'GET', 'Nothing answers GET /none.'],
    ['/policies', 'PUT', 'Nothing answers PUT /policies.'],
    ['/policies', 'GET', 'A guarded route without a caller.'],
  ])('is a fault at %s for %s: %s', async (address, method, words) => {
    for (const caller of [
      { me: null, actor: null },
      { me: OLGA, actor: null },
      { me: null, actor: {} },
    ]) {
      const given = [deps, { address, method }, { ...caller, headers: {}, params: {}, url: '' }, {}];
      await expect(answerOperation(...(given as unknown as Parameters<typeof answerOperation>))).rejects.toThrow(words);
    }
  });

  it('is a fault without a caller', async () => {
    me = null;
    const answer = await call('GET', '/policies');
    expect(answer.statusCode).toBe(500);
    expect(lastLine()).toMatchObject({ msg: 'failed', err: { stack: expect.stringContaining('answerTo') } });
  });
});

describe('the methods of an address', () => {
  it.each([
    ['/policies', 'GET, HEAD, OPTIONS', undefined],
    ['/explanations', 'POST, OPTIONS', undefined],
    ['/clients/shop', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS', 'application/merge-patch+json'],
  ])('%s: %s', async (path, allow, patch) => {
    const answer = await call('OPTIONS', path);
    expect([answer.statusCode, answer.body, answer.headers.allow]).toEqual([204, '', allow]);
    expect([answer.headers['accept-patch'], answer.headers['cache-control']]).toEqual([patch, 'no-store']);
    const other = await call('TRACE' as 'GET', path);
    expect([other.statusCode, other.headers.allow]).toEqual([405, allow]);
    expect(other.json().detail).toBe('The methods of this resource are in the header "Allow".');
  });

  it('of no resource are not there', async () => {
    expect((await call('OPTIONS', '/none')).statusCode).toBe(404);
    expect((await call('OPTIONS', '/polici%65s')).statusCode).toBe(404);
  });
});

describe('a failure', () => {
  const failing = async (method: 'GET' | 'PATCH', error: object) => {
    const { app, lines } = await bareApp();
    app.setErrorHandler((thrown, request, reply) => sendFailure(thrown as never, request, reply, ISSUER));
    app.route({ method, url: '/', handler: () => Promise.reject(error) });
    const answer = await app.inject({ method, url: '/' });
    await app.close();
    return { answer, line: lines().findLast(({ route }) => route !== undefined) };
  };
  const withStatus = (statusCode: number) => Object.assign(new Error('said'), { statusCode, code: 'SOME_CODE' });
  const NOTHING_CHANGED = 'The server cannot answer at the moment. Nothing was changed; try again.';

  it.each([
    [400, 400, 'invalid_request', 'The request cannot be read'],
    [404, 404, 'not_found', 'Not found'],
    [408, 408, 'request_timeout', 'The body did not arrive in time. Nothing was changed. Try again.'],
    [413, 413, 'content_too_large', 'A body has at most 32 KB, one of a batch 1 MB. Nothing was changed.'],
    [
      415,
      415,
      'unsupported_media_type',
      'Send application/json; for PATCH, application/merge-patch+json. Nothing was changed.',
    ],
    [431, 400, 'invalid_request', 'The request cannot be read'],
    [418, 500, 'server_error', 'The operator finds the reason in the log.'],
    [500, 500, 'server_error', 'The operator finds the reason in the log.'],
  ])('with the status %d is %d %s', async (statusCode, status, reason, detail) => {
    const { answer, line } = await failing('GET', withStatus(statusCode));
    expect([answer.statusCode, answer.json().type, answer.json().detail]).toEqual([
      status,
      `${ISSUER}/management/v1/problems/${reason}`,
      detail,
    ]);
    const isOurs = status === 500;
    expect(line).toMatchObject({ msg: isOurs ? 'failed' : 'refused', level: isOurs ? 50 : 30, reason: 'SOME_CODE' });
    expect(answer.body).not.toContain('said');
  });

  it('without a status is ours', async () => {
    const { answer } = await failing('GET', new Error('said'));
    expect(answer.json().type).toBe(`${ISSUER}/management/v1/problems/server_error`);
  });

  it.each([
    ['GET', { accept: 'application/json', 'accept-patch': undefined }],
    ['PATCH', { accept: undefined, 'accept-patch': 'application/merge-patch+json' }],
  ] as const)('of the media type names those of %s', async (method, expected) => {
    const { answer } = await failing(method, withStatus(415));
    expect({ accept: answer.headers['accept'], 'accept-patch': answer.headers['accept-patch'] }).toEqual(expected);
    const { answer: other } = await failing(method, withStatus(400));
    expect([other.headers['accept'], other.headers['accept-patch']]).toEqual([undefined, undefined]);
  });

  it.each([
    [new StoreUnavailable(false), 'temporarily_unavailable', '1', NOTHING_CHANGED],
    [new Unavailable('too_many_conflicts'), 'temporarily_unavailable', '1', NOTHING_CHANGED],
    [new Unavailable('signing_unavailable'), 'temporarily_unavailable', '1', NOTHING_CHANGED],
    [
      new Unavailable('commit_unknown'),
      'commit_unknown',
      undefined,
      expect.stringMatching(/^The server lost its .* Idempotency-Key\.$/),
    ],
  ])('of the database: %s', async (error, reason, retryAfter, detail) => {
    const { answer, line } = await failing('GET', error);
    expect([answer.statusCode, answer.json().type, answer.headers['retry-after']]).toEqual([
      503,
      `${ISSUER}/management/v1/problems/${reason}`,
      retryAfter,
    ]);
    expect(answer.json().detail).toEqual(detail);
    expect(line).toMatchObject({ msg: 'unavailable', level: 50 });
  });
});

describe('the guard', () => {
  const guarded = async (authorization?: string) => {
    const { app, lines } = await bareApp();
    const clock = testClock(new Date('2030-01-01T00:00:00Z'));
    await app.register(managementApi, { prefix: PREFIX, ...deps, clock } as unknown as GuardDeps);
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await app.inject({ url: `${PREFIX}/policies`, headers });
    await app.close();
    return { answer, line: lines().findLast(({ route }) => route !== undefined) };
  };
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('rejects a request without a token', async () => {
    const { answer, line } = await guarded();
    expect([answer.statusCode, answer.json().type, answer.json().detail]).toEqual([
      401,
      `${ISSUER}/management/v1/problems/no_credentials`,
      'Send an access token: "Authorization: Bearer …".',
    ]);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    expect(line).toMatchObject({ msg: 'refused', reason: 'no_credentials' });
  });

  it.each([
    ['Bearer garbage', 401, 'invalid_token', 'token_malformed'],
    ['Bearer a b', 400, 'invalid_request', 'malformed_credentials'],
  ])('rejects %s: %d %s', async (authorization, status, name, reason) => {
    const { answer, line } = await guarded(authorization);
    expect([answer.statusCode, answer.json().type]).toEqual([status, `${ISSUER}/management/v1/problems/${name}`]);
    expect(answer.json().detail).not.toBe('');
    expect(answer.json()).not.toHaveProperty('errors');
    expect(line).toMatchObject({ msg: 'refused', reason });
  });

  it('answers 503 while the keys cannot be read', async () => {
    const token = [encoded({ typ: 'at+jwt', alg: 'ES256', kid: 'k' }), encoded({}), 'x'.repeat(86)].join('.');
    const { answer, line } = await guarded(`Bearer ${token}`);
    expect([answer.statusCode, answer.json().type, answer.json().detail]).toEqual([
      503,
      `${ISSUER}/management/v1/problems/temporarily_unavailable`,
      'The server cannot answer at the moment. Nothing was changed; try again.',
    ]);
    expect(line).toMatchObject({ msg: 'unavailable', level: 50, reason: expect.any(String) });
  });
});

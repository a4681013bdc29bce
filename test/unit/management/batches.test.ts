/** Many operations of the management API in one request. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ManagementResource } from '../../../src/management/resource.ts';
import { RESOURCES } from '../../../src/management/resources/all.ts';
import { Browser } from '../../support/browser.ts';
import { inClientCert, testCertificate } from '../../support/client-certificates.ts';
import { anyDatabase } from '../../support/database.ts';
import { proofKey, proofOf } from '../../support/dpop.ts';
import { dumpOf } from '../../support/dump.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { API, BOT, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { withDeadlines } from '../../support/patience.ts';
import { openScene, type Scene } from '../../support/scene.ts';

type Outcome = { status: number; location?: string; etag?: string; body?: Record<string, unknown> };

describe('a batch of operations', () => {
  let scene: Scene;
  let call: Caller;
  let serial = 0;
  let username = '';
  const PASSWORD = 'a long enough password';
  beforeAll(async () => {
    scene = await openScene(anyDatabase, {
      configuration: withBot(),
      trustedProxies: ['10.0.0.0/8'],
      clientCertificates: { header: 'client-cert', form: 'rfc9440', authorities: null, aliasOrigin: null },
    });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, ['users:read', 'users:write', 'ledger:read']));
  });
  afterAll(() => scene.close());
  beforeEach(() => {
    username = `batch-${++serial}`;
  });

  const send = async (operations: readonly object[], query = ''): Promise<readonly Outcome[]> => {
    const answer = await call('POST', `/batches${query}`, { body: { operations } });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json().outcomes;
  };
  const registration = (name = username) => ({
    method: 'POST',
    path: '/users',
    body: { username: name, password: PASSWORD },
  });
  const reasonOf = ({ status, body }: Outcome) => [status, String(body?.['type']).replace(`${API}/problems/`, '')];

  it('carries out each operation in its order, with its own status, address and entity tag', async () => {
    const [made] = await send([registration()]);
    expect(made).toMatchObject({ status: 201, body: { username }, location: expect.stringContaining(`${API}/users/`) });
    const path = `/users/${made?.body?.['sub']}`;
    const patch = (if_match: string | undefined, body: object) => ({ method: 'PATCH', path, if_match, body });
    const outcomes = await send([
      patch(made?.etag, { disabled: true }),
      patch(made?.etag, { disabled: false }),
      patch(undefined, { disabled: false }),
      { method: 'DELETE', path },
      { method: 'DELETE', path },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([200, 412, 428, 204, 404]);
    expect(outcomes[0]?.etag).not.toBe(made?.etag);
    expect((await call('GET', path)).statusCode).toBe(404);
  });

  it('refuses an operation without its scope, and carries out the others', async () => {
    const outcomes = await send([{ method: 'DELETE', path: `/clients/${BOT}` }, registration()]);
    expect(outcomes.map(({ status }) => status)).toEqual([403, 201]);
  });

  it.each(['DPoP', 'Bearer'])('carries out each operation for the holder of a bound token (%s)', async (scheme) => {
    const [key, certificate] = [await proofKey(), await testCertificate()];
    const thumbprint = createHash('sha256').update(certificate.der).digest('base64url');
    const cnf = scheme === 'DPoP' ? { jkt: key.jkt } : { 'x5t#S256': thumbprint };
    const token = tokenOf(scene, ['users:write'], { cnf });
    const operations = [registration(), registration(), { method: 'DELETE', path: `/clients/${BOT}` }];
    const sent = async (isHeld: boolean) => {
      const dpop = proofOf(key, { url: `${API}/batches`, now: scene.clock.now(), accessToken: token });
      const held = scheme === 'DPoP' ? { dpop } : { 'client-cert': inClientCert(certificate) };
      const reply = await scene.app.inject({
        ...{ method: 'POST', url: '/management/v1/batches', remoteAddress: '10.0.0.1', payload: { operations } },
        headers: { authorization: `${scheme} ${token}`, ...(isHeld && held) },
      });
      return [reply.statusCode, reply.json().outcomes?.map(({ status }: Outcome) => status)];
    };
    expect(await sent(false)).toEqual([401, undefined]);
    expect(await sent(true)).toEqual([200, [201, 409, 403]]);
  });

  it('names the caller and the address in the ledger, as for a request of its own', async () => {
    await send([registration(`${username}-in-a-batch`)]);
    await call('POST', '/users', { body: { username: `${username}-alone`, password: PASSWORD } });
    const [alone, batched] = (await call('GET', '/transitions?limit=2')).json().items;
    expect([batched.actor, batched.address_hash]).toEqual([`client ${BOT}`, alone.address_hash]);
  });

  it.each([
    ['/batches'],
    ['/batches?dry_run=true'],
    ['/../../oauth/token'],
    ['/%2e%2e/%2E%2e/oauth/token'],
    ['/users/../clients'],
    ['/users/./x'],
    ['//other.example/users'],
    ['/users#x'],
    ['/nothing'],
  ])('leads to no address outside of the resources: %s', async (path) => {
    const before = await dumpOf(scene.database.drizzle);
    const [outcome] = await send([{ method: 'POST', path, body: { operations: [registration()] } }]);
    expect(reasonOf(outcome as Outcome)).toEqual([404, 'not_found']);
    expect(await dumpOf(scene.database.drizzle)).toBe(before);
  });

  it.each([
    ['no operations', []],
    ['more operations than fit', Array.from({ length: 1001 }, () => ({ method: 'DELETE', path: '/users/x' }))],
    ['a method that reads', [{ method: 'GET', path: '/users' }]],
    ['a header of its own', [{ method: 'DELETE', path: '/users/x', headers: { authorization: 'Bearer x' } }]],
  ])('is refused whole with %s', async (_, operations) => {
    const answer = await call('POST', '/batches', { body: { operations } });
    expect(answer.statusCode).toBe(422);
  });

  it('creates nothing twice when it is sent again with the keys of its operations', async () => {
    const operations = [{ ...registration(), idempotency_key: `key-of-${username}` }];
    const [first, second] = [await send(operations), await send(operations)];
    expect(second).toEqual(first);
  });

  it('changes nothing in a dry run, and no operation sees another', async () => {
    const before = await dumpOf(scene.database.drizzle);
    const outcomes = await send([registration(), registration()], '?dry_run=true');
    expect(outcomes.map(({ status }) => status)).toEqual([201, 201]);
    expect(await dumpOf(scene.database.drizzle)).toBe(before);
    const really = await send([registration(), registration()]);
    expect(really.map(({ status }) => status)).toEqual([201, 409]);
  });

  it('begins no operation after its time, and says so for each of them', async () => {
    const before = await dumpOf(scene.database.drizzle);
    const outcomes = await withDeadlines({ batchMilliseconds: -1 }, () => send([registration(), registration()]));
    expect(outcomes.map(reasonOf)).toEqual([
      [503, 'not_attempted'],
      [503, 'not_attempted'],
    ]);
    expect(await dumpOf(scene.database.drizzle)).toBe(before);
  });

  it('carries out a thousand operations', async () => {
    const outcomes = await send(
      Array.from({ length: 1000 }, (_, at) => ({ method: 'DELETE', path: `/users/no-${at}` })),
    );
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([404]));
    expect(outcomes).toHaveLength(1000);
  });
});

describe('a dry run', () => {
  let scene: Scene;
  let mails: Mails;
  let call: Caller;
  beforeAll(async () => {
    mails = keptMails();
    scene = await openScene(anyDatabase, { configuration: withBot(), mail: mails });
    mails.of(scene);
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, ['users:read', 'users:write', 'clients:read', 'clients:write']));
  });
  afterAll(() => scene.close());

  it('answers as the change that follows it, but for what is made', async () => {
    const body = { client_id: 'shop', redirect_uris: ['https://shop.example/callback'] };
    const dry = (await call('POST', '/clients?dry_run=true', { body })).json();
    expect(dry.client_secret).toBe('dry-run');
    const { client_secret: secret, ...made } = (await call('POST', '/clients', { body })).json();
    expect(secret).not.toBe('dry-run');
    const { client_secret: _, ...without } = dry;
    // The instant is made, too.
    expect([dry.created_at, made.created_at].map((at) => new Date(at).toISOString())).toEqual([
      dry.created_at,
      made.created_at,
    ]);
    expect({ ...without, created_at: made.created_at }).toEqual(made);
  });

  it('finds the username of another, and still answers', async () => {
    const body = { username: 'twice', password: 'a long enough password' };
    await call('POST', '/users', { body });
    const answer = await call('POST', '/users?dry_run=true', { body });
    expect([answer.statusCode, answer.headers['dry-run']]).toEqual([409, 'true']);
  });

  it('mails no link to an address, and ends no older link', async () => {
    const email = 'grace@example.com';
    const body = { username: 'grace', password: 'a long enough password', claims: { email, email_verified: true } };
    const { sub } = (await call('POST', '/users', { body })).json();
    const links = `/users/${sub}/mailed-links`;
    const sent = await call('POST', links);
    expect(sent.statusCode, sent.body).toBe(201);
    const earlier = await mails.link(email);
    const before = await dumpOf(scene.database.drizzle);

    const dry = await call('POST', `${links}?dry_run=true`);
    expect([dry.statusCode, dry.headers['dry-run']]).toEqual([201, 'true']);
    expect(dry.json()).toEqual(sent.json());
    expect(await mails.to(email)).toHaveLength(1);
    expect(await dumpOf(scene.database.drizzle)).toBe(before);
    expect((await new Browser(scene.app).get(earlier)).status).toBe(200);
  });

  it('uses no Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'the-key-of-a-dry-run' };
    const post = (query: string, username: string) =>
      call('POST', `/users${query}`, { body: { username, password: 'a long enough password' }, headers });
    expect((await post('?dry_run=true', 'key-1')).statusCode).toBe(201);
    expect((await post('', 'key-2')).statusCode).toBe(201);
  });

  it.each(['yes', '', 'TRUE', '1'])('refuses dry_run=%s', async (value) => {
    const answer = await call('DELETE', `/users/x?dry_run=${value}`);
    expect([answer.statusCode, answer.json().errors[0].field]).toEqual([400, 'dry_run']);
  });

  it('is no parameter of a request that reads', async () => {
    expect((await call('GET', '/users?dry_run=true')).statusCode).toBe(400);
  });

  it('is a parameter of every operation that changes something, in the document', async () => {
    const { paths } = (await scene.app.inject('/management/v1/openapi.json')).json();
    const writes = (RESOURCES as readonly ManagementResource[]).flatMap(({ path, methods }) =>
      Object.keys(methods).flatMap((method) => (method === 'GET' ? [] : [`${method} ${path}`])),
    );
    const withParameter = Object.entries<Record<string, { parameters?: { name: string }[] }>>(paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).flatMap(([method, { parameters = [] }]) =>
          parameters.some(({ name }) => name === 'dry_run')
            ? [`${method.toUpperCase()} ${path.replace('/management/v1', '')}`]
            : [],
        ),
    );
    expect(withParameter.toSorted()).toEqual(writes.toSorted());
  });
});

/** The conventions of docs/resource-conventions.md and of HTTP, for every resource of the API: one table, made from the resources themselves. */

import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import { ADDRESSES, MAX_BODY_BYTES, type Method, methodsAt, scopesOf } from '../../../src/management/operations.ts';
import type { ManagementResource } from '../../../src/management/resource.ts';
import { RESOURCES } from '../../../src/management/resources/all.ts';
import { NO_PARAMETERS } from '../../../src/people/external/begin.ts';
import { externalSignInStore } from '../../../src/storage/external-sign-ins.ts';
import { grants, linkedIdentities, passkeys, sessions } from '../../../src/storage/schema.ts';
import { anyDatabase } from '../../support/database.ts';
import { dumpOf } from '../../support/dump.ts';
import { testMacs } from '../../support/macs.ts';
import { keptMails } from '../../support/mails.ts';
import { API, BOT, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { trustedBrowser } from '../../support/trusted-browser.ts';
import { webhooksFile } from '../../support/webhooks.ts';

const NOT_ANSWERED = {
  id: '00000000-0000-4000-8000-00000000000a',
  kind: 'delegated',
  purpose: 'signIn',
  provider: 'delegated',
  browserHash: sha256('a browser'),
  interactionId: null,
  interactionEndsAt: null,
  sealedInteraction: null,
  sealedSecrets: null,
  userId: null,
  requested: NO_PARAMETERS,
  lifetimeSeconds: 600,
} as const;

const LINKED = {
  id: '00000000-0000-4000-8000-00000000000b',
  issuer: 'https://login.example',
  subject: 'ada there',
  provider: 'company',
  linkedAt: new Date('2030-01-01T00:00:00Z'),
  state: 'active',
} as const;

const PASSKEY = {
  id: '00000000-0000-4000-8000-00000000000c',
  state: 'active',
  name: 'the phone',
  credentialId: Buffer.from('a credential'),
  publicKey: Buffer.from('a public key'),
  counter: 0,
  backupEligible: true,
  transports: [],
  createdAt: new Date('2030-01-01T00:00:00Z'),
} as const;

/** Where the example of the reference is about another resource. */
const IN_A_DRY_RUN: Readonly<Record<string, object>> = {
  '/clients/{client_id}': { client_name: 'Shop', redirect_uris: ['https://shop.example/callback'] },
  '/explanations': { credential: '00000000-0000-4000-8000-00000000000a' },
};
/** The machines refuse these here, in a dry run as always. */
const REFUSED: Readonly<Record<string, string>> = {
  '/clients/{client_id}/secrets/{secret_id}': 'last_secret',
  '/explanations': 'not_found',
  '/sign-ins/{reference}/answer': 'not_found',
  '/mails/{kind}/tests': 'no_verified_address',
  '/users/{sub}/mailed-links': 'no_email_address',
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'] as const;
const BODIES: Readonly<Record<string, object>> = {
  '/clients': { client_name: 'Shop', redirect_uris: ['https://shop.example/callback'] },
  '/invitations': { email: 'grace@example.com' },
  '/users': { username: 'new-user', password: 'a password for the user' },
};

it('the table of operations has every resource, and no other', () => {
  expect(ADDRESSES.flatMap((address) => methodsAt(address).map((method) => `${method} ${address}`))).toEqual(
    RESOURCES.flatMap(({ path, methods }) => Object.keys(methods).map((method) => `${method} ${path}`)),
  );
});

describe('every resource of the management API', () => {
  let scene: Scene;
  let call: Caller;
  /** The value of each parameter. */
  let values: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    const bot = withBot();
    scene = await openScene(anyDatabase, {
      configuration: {
        ...bot,
        signIn: { ...bot.signIn, signUp: 'invitation', trustedBrowserLifetimeSeconds: 86_400 },
        webhooks: webhooksFile([{ name: 'crm', url: 'https://crm.example.com/hooks' }]),
      },
      mail: keptMails(),
    });
    await makeBot(scene);
    await scene.chain();
    call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
    const [grant] = await scene.database.drizzle.select().from(grants);
    const [session] = await scene.database.drizzle.select().from(sessions);
    const invited = await call('POST', '/invitations', { body: { email: 'ada@example.com' } });
    const kid = scene.deps.keyRing.signerOf('ES256').kid;
    const reference = 'r'.repeat(43);
    const { db, fixture } = { db: scene.database.drizzle, fixture: NOT_ANSWERED };
    await externalSignInStore(db, scene.clock, testMacs).insert({ ...fixture, referenceHash: sha256(reference) });
    await db.insert(linkedIdentities).values({ ...LINKED, userId: scene.user.id });
    await db.insert(passkeys).values({ ...PASSKEY, userId: scene.user.id });
    await call('PUT', '/secrets/CRM_TOKEN', { body: { value: 'a secret that no file names' } });
    const test = await call('POST', '/webhook-receivers/crm/tests');
    values = {
      receiver: 'crm',
      secret_name: 'CRM_TOKEN',
      delivery_id: (test.json() as { delivery_id: string }).delivery_id,
      passkey_id: PASSKEY.id,
      trust_id: await trustedBrowser(scene, scene.user),
      reference,
      identity_id: LINKED.id,
      client_id: scene.client.clientId,
      secret_id: 'first',
      sub: scene.user.id,
      grant_id: grant?.id ?? '',
      sid: session?.sid ?? '',
      invitation_id: (invited.json() as { invitation_id: string }).invitation_id,
      kind: 'sign_up',
      file: 'default.policy.yaml',
      kid,
      alg: 'ES256',
      name: 'default',
    };
  });
  afterAll(() => scene.close());

  const addressOf = ({ path }: ManagementResource): string =>
    path
      .replace(/^\/$/, '')
      .replace(/\{(\w+)\}/g, (_, name: string) =>
        path.startsWith('/machines') ? 'refreshToken' : (values[name] ?? ''),
      );
  const problemOf = (answer: LightMyRequestResponse) => [
    answer.statusCode,
    answer.headers['content-type'],
    (answer.json() as { type: string }).type.replace(`${API}/problems/`, ''),
  ];
  const PROBLEM = expect.stringContaining('application/problem+json');
  const reading = RESOURCES.filter(({ methods }) => methods.GET);
  const named = (resources: readonly ManagementResource[]) =>
    resources.map((resource): [string, ManagementResource] => [resource.path, resource]);
  const operations = RESOURCES.flatMap((resource) =>
    Object.keys(resource.methods).map((method): [string, string, ManagementResource] => [
      method,
      resource.path,
      resource,
    ]),
  );

  it('has nouns for paths, in lower case, and no name of an action', () => {
    const words = RESOURCES.flatMap(({ path }) => path.split('/').filter((part) => /^[^{]/.test(part)));
    for (const word of words) expect(word).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(words.filter((word) => /^(get|list|create|update|delete|revoke|rotate|disable|end)/.test(word))).toEqual([]);
  });

  it.each(named(reading))('GET %s can be cached, revalidated, and read without its body', async (_, resource) => {
    const answer = await call('GET', addressOf(resource));
    expect(answer.statusCode, answer.body).toBe(200);
    const tag = String(answer.headers.etag);
    // Of an end-user: a part for the record, and one for the facts beside it.
    expect(tag).toMatch(resource.path === '/users/{sub}' ? /^"[\w-]{27}\.[\w-]{27}"$/ : /^"[\w-]{27}"$/);
    expect(answer.headers['cache-control']).toBe('private, no-cache');
    expect(answer.headers.vary).toContain('Authorization');
    expect(answer.headers['content-type']).toMatch(/^(application\/json$|image\/svg\+xml)/);
    const again = await call('GET', addressOf(resource), { headers: { 'if-none-match': `"other", ${tag}` } });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', tag]);
    const head = await call('HEAD', addressOf(resource));
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', tag]);
  });

  it.each(named(reading))('GET %s returns exactly what its schema describes', async (_, resource) => {
    const operation = resource.methods.GET;
    if (operation?.answerType) return;
    const body = (await call('GET', addressOf(resource))).json();
    const read = operation?.answer?.safeParse(body);
    expect(read?.error?.issues ?? []).toEqual([]);
    // A schema drops unnamed members.
    expect(read?.data).toMatchObject(body);
  });

  it.each(named(reading))('GET %s links to itself', async (_, resource) => {
    const answer = await call('GET', addressOf(resource));
    if (!answer.body.includes('"_links":{"self"')) return;
    const { href } = (answer.json() as { _links: { self: { href: string } } })._links.self;
    expect(href.startsWith(API)).toBe(true);
    expect((await call('GET', href.slice('https://as.test'.length))).statusCode).toBe(200);
  });

  const below = RESOURCES.filter(({ path }) => /^\/.*[a-z-]+$/.test(path)).flatMap((resource) => {
    const above = resource.path.replace(/\/[^/]+$/, '') || '/';
    const parent = reading.find(({ path }) => path === above);
    return parent ? [[resource.path, resource, parent] as const] : [];
  });
  it.each(below)('%s is linked to from the resource above it', async (_, resource, parent) => {
    const { _links } = (await call('GET', addressOf(parent))).json();
    const hrefs = Object.values<{ href: string }>(_links).map(({ href }) => href);
    expect(hrefs).toContain(`${API}${addressOf(resource)}`);
  });

  it.each(named(RESOURCES))('%s answers OPTIONS and rejects other methods, each with Allow', async (_, resource) => {
    const allowed = Object.keys(resource.methods);
    const allow = [...allowed, ...(resource.methods.GET ? ['HEAD'] : []), 'OPTIONS'];
    const options = await call('OPTIONS', addressOf(resource));
    expect([options.statusCode, options.headers.allow]).toEqual([204, allow.join(', ')]);
    for (const method of METHODS.filter((one) => !allow.includes(one))) {
      const answer = await call(method, addressOf(resource), { headers: { 'content-type': 'text/plain' } });
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, allow.join(', ')]);
      if (method !== 'HEAD') expect(problemOf(answer)).toEqual([405, PROBLEM, 'method_not_allowed']);
    }
  });

  it.each(operations)('%s %s requires a token, and its scope', async (method, _, resource) => {
    const [scope] = scopesOf(resource.path, method as Method);
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    const bare = await scene.app.inject({ method: method as 'GET', url: `/management/v1${addressOf(resource)}` });
    expect(problemOf(bare)).toEqual([401, PROBLEM, 'no_credentials']);
    expect(bare.headers['www-authenticate']).toContain('resource_metadata="https://as.test/.well-known/');
    if (!scope) return;
    const others = MANAGEMENT_SCOPE_NAMES.filter((name) => name !== scope);
    const answer = await callerWith(scene, () => tokenOf(scene, others))(method as 'GET', addressOf(resource), body);
    expect(problemOf(answer)).toEqual([403, PROBLEM, 'insufficient_scope']);
    expect(answer.headers['www-authenticate']).toContain(`scope="${scope}"`);
  });

  it.each(operations)('%s %s rejects unknown parameters of the query', async (method, _, resource) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    const answer = await call(method as 'GET', `${addressOf(resource)}?surprise=1`, body);
    expect(problemOf(answer)).toEqual([400, PROBLEM, 'invalid_parameter']);
    expect(answer.json().errors[0].field).toBe('surprise');
    expect(answer.json().errors[0].detail).toMatch(/^Expected (one of \w|no keys)/);
  });

  it.each(operations)('%s %s has no other media type than its own', async (method, _, resource) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    const answer = await call(method as 'GET', addressOf(resource), { ...body, headers: { accept: 'text/csv' } });
    expect(problemOf(answer)).toEqual([406, PROBLEM, 'not_acceptable']);
  });

  const writing = operations.filter(([method, , resource]) => resource.methods[method as 'PUT']?.body);
  it.each(writing)('%s %s accepts JSON alone, of a bounded size, and names the error', async (method, _, resource) => {
    const send = (body: string | Buffer, type: string) =>
      call(method as 'PUT', addressOf(resource), { body, headers: { 'content-type': type } });
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    expect(problemOf(await send('a=b', 'application/x-www-form-urlencoded'))).toEqual([
      415,
      PROBLEM,
      'unsupported_media_type',
    ]);
    expect(problemOf(await send('{"a":', type))).toEqual([400, PROBLEM, 'malformed_json']);
    const latin1 = Buffer.from('{"username":"Jos\u00e9"}', 'latin1');
    expect(problemOf(await send(latin1, type))).toEqual([400, PROBLEM, 'malformed_json']);
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    expect(problemOf(await send(deep, type))).toEqual([400, PROBLEM, 'malformed_json']);
    expect(problemOf(await send('[]', type))).toEqual([422, PROBLEM, 'invalid_fields']);
    const tooLong = (MAX_BODY_BYTES[resource.path] ?? 32_768) + 1;
    expect(problemOf(await send(`"${'x'.repeat(tooLong)}"`, type))).toEqual([413, PROBLEM, 'content_too_large']);
    if (method === 'PATCH') return;
    const unknown = await send('{"surprise":1}', type);
    expect(problemOf(unknown)).toEqual([422, PROBLEM, 'invalid_fields']);
    expect(unknown.json().errors.map(({ field }: { field: string }) => field)).toContain('surprise');
  });

  const changing = operations.filter(([method]) => method !== 'GET');
  it.each(changing)(
    '%s %s changes nothing in a dry run, and answers as the change does',
    async (method, path, resource) => {
      const { body: shape, example = {} } = resource.methods[method as 'PUT'] ?? {};
      const body = shape === undefined ? {} : { body: BODIES[path] ?? IN_A_DRY_RUN[path] ?? example };
      const headers = { 'if-match': '*', 'idempotency-key': `a dry run of ${method} ${path}`.replaceAll(' ', '-') };
      const before = await dumpOf(scene.database.drizzle);
      const answer = await call(method as 'PUT', `${addressOf(resource)}?dry_run=true`, { ...body, headers });
      const outcome = answer.statusCode < 300 ? undefined : problemOf(answer)[2];
      expect([outcome, answer.headers['dry-run']], answer.body).toEqual([
        REFUSED[path],
        path === '/batches' ? undefined : 'true',
      ]);
      expect(await dumpOf(scene.database.drizzle)).toBe(before);
      expect(answer.body).not.toMatch(/"client_secret":"(?!dry-run")|"link":"/);
    },
  );

  const conditional = operations.filter(
    ([method, , { methods }]) => methods[method as 'PATCH']?.ifMatch === 'required',
  );
  it.each(conditional)('%s %s requires If-Match, whatever it would change', async (method, _, resource) => {
    const answer = await call(method as 'PATCH', addressOf(resource), { body: {} });
    expect(problemOf(answer)).toEqual([428, PROBLEM, 'precondition_required']);
  });

  const lists = reading.filter(({ methods }) => 'cursor' in (methods.GET?.query?.shape ?? {}));
  it('has pages for its long lists', () => {
    expect(lists.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/clients', '/users', '/grants', '/sessions', '/users/{sub}/grants']),
    );
  });
  it.each(named(lists))('GET %s leads from page to page, and rejects foreign cursors', async (_, resource) => {
    const address = addressOf(resource);
    const first = await call('GET', `${address}?limit=1`);
    expect(first.json().items.length).toBeLessThanOrEqual(1);
    const { next } = first.json()._links;
    if (next) {
      expect(first.headers.link).toBe(`<${next.href}>; rel="next"`);
      expect((await call('GET', next.href.slice('https://as.test'.length))).statusCode).toBe(200);
    }
    for (const wrong of ['limit=0', 'limit=101', 'limit=ten', 'cursor=x', 'cursor=bnVsbA', 'limit=1&limit=2']) {
      expect([wrong, ...problemOf(await call('GET', `${address}?${wrong}`))]).toEqual([
        wrong,
        400,
        PROBLEM,
        'invalid_parameter',
      ]);
    }
  });

  const creating = RESOURCES.filter(({ methods }) => methods.POST && BODIES[pathIn(methods, RESOURCES)] !== undefined);
  it.each(named(creating))('POST %s creates one resource for the same Idempotency-Key', async (path, resource) => {
    const body = BODIES[path];
    const send = (sent: unknown) =>
      call('POST', addressOf(resource), { body: sent, headers: { 'idempotency-key': `key-of-${path}` } });
    const [first, second] = [await send(body), await send(body)];
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.json()).toEqual(first.json());
    expect(problemOf(await send({ ...body, surprise: 1 }))[0]).toBe(422);
    expect(first.headers.location).toBe(first.json()._links.self.href);
  });

  it('reveals nothing about a missing resource', async () => {
    for (const path of [
      '/nothing',
      '/clients/unknown',
      '/clients/unknown/consequences',
      '/users/019ab7c0-0000-7000-8000-000000000000/consequences',
      '/users/x',
      '/grants/x',
      '/sessions/x',
      '/machines/x',
      '/policies/x',
    ])
      expect([path, ...problemOf(await call('GET', path))]).toEqual([path, 404, PROBLEM, 'not_found']);
  });

  it('logs the caller, and no token', async () => {
    await call('GET', '/clients');
    expect(scene.logs()).toContain(`"by":"client ${BOT}"`);
    expect(scene.logs()).not.toContain(tokenOf(scene, MANAGEMENT_SCOPE_NAMES).slice(0, 20));
  });
});

function pathIn(methods: ManagementResource['methods'], all: readonly ManagementResource[]): string {
  return all.find((resource) => resource.methods === methods)?.path ?? '';
}

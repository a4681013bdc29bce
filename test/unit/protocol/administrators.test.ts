/** The scopes of the management API: granted by the current role, where a client names them, and in no other case. */
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { NOBODY_ADMINISTERS, type OperatorsFile } from '../../../policies/operators-schema.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import type { Client } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { accessToday } from '../../../src/protocol/access-today.ts';
import { type Administrator, grantableScope, scopeOfAdministrator } from '../../../src/protocol/administrators.ts';
import { handleIntrospectionRequest } from '../../../src/protocol/introspection-request.ts';
import { serverMetadata } from '../../../src/protocol/metadata.ts';
import { describeAccess, requestedAccess, requestedByClient } from '../../../src/protocol/requested-access.ts';
import { handleTokenRequest } from '../../../src/protocol/token-request.ts';
import {
  claimsIn,
  codeOf,
  keyRing,
  refreshTokenOf,
  SECRET,
  secretMacs,
  tokenEndpoints,
  VERIFIER,
  withChain,
  withCode,
} from './memory.ts';
import { API, BANK, client, configuration, grant, IDENTITY, USERINFO } from './ports.ts';

const MANAGEMENT = 'https://as.test/management/v1';
const words = (text: string) => text.split(' ').filter((word) => word !== '');
const granted = (scope: string, ...resources: string[]) => ({ scope: words(scope), resources });
const refused = (reason: string, scope: string | null = null) => ({ reason, scope });
const reading = MANAGEMENT_SCOPE_NAMES.filter((name) => name.endsWith(':read'));

const roles = (file: Partial<OperatorsFile>) => configuration({ operators: { ...NOBODY_ADMINISTERS, ...file } });
const today = roles({
  operators: ['Alice', 'rene\u0301'],
  auditors: ['bob'],
  clients: [{ client_id: 'bot', scope: ['clients:read', 'clients:write'] }],
});

describe('the current role', () => {
  const user = (username: string | null): Administrator => ({ kind: 'user', username });
  it.each<[string, Administrator, readonly string[]]>([
    ['an operator has every scope', user('Alice'), MANAGEMENT_SCOPE_NAMES],
    ['in letters of either case', user(' aLICE '), MANAGEMENT_SCOPE_NAMES],
    ['in either composition', user('Ren\u00e9'), MANAGEMENT_SCOPE_NAMES],
    ['an auditor has those that read', user('bob'), reading],
    ['another end-user has none', user('mallory'), []],
    ['nor a username that only looks alike', user('\u0430lice'), []],
    ['nor the name of a client', user('bot'), []],
    ['nor an end-user who is gone', user(null), []],
    ['a client has what is listed', { kind: 'client', clientId: 'bot' }, ['clients:read', 'clients:write']],
    ['another client has none', { kind: 'client', clientId: 'Bot' }, []],
    ['nor a client that is called like an operator', { kind: 'client', clientId: 'Alice' }, []],
  ])('%s', (_, who, scope) => {
    expect(scopeOfAdministrator(today, who)).toEqual(scope);
    expect(scopeOfAdministrator(configuration(), who)).toEqual([]);
  });

  it('never gives an auditor a scope that changes data', () => {
    expect(reading).toEqual([
      'clients:read',
      'users:read',
      'grants:read',
      'sessions:read',
      'keys:read',
      'webhooks:read',
      'ledger:read',
      'configuration:read',
    ]);
  });

  it('limits the scopes of the management API alone, at the management API', () => {
    const asked = granted('openid clients:read clients:write offline_access', MANAGEMENT);
    expect(grantableScope(today, asked, 'alice')).toEqual(asked.scope);
    expect(grantableScope(today, asked, 'bob')).toEqual(['openid', 'clients:read', 'offline_access']);
    expect(grantableScope(today, asked, 'mallory')).toEqual(['openid', 'offline_access']);
    expect(grantableScope(today, asked, null)).toEqual(['openid', 'offline_access']);
    // An API may have scopes of the same name.
    expect(grantableScope(today, { ...asked, resources: [API] }, 'mallory')).toEqual(asked.scope);
  });
});

const naming = { scope: ['openid', 'read', ...MANAGEMENT_SCOPE_NAMES] };

describe('an authorization request', () => {
  it.each<[client: Partial<Client>, scope: string | null, resources: string[], meant: object]>([
    [naming, 'clients:read', [MANAGEMENT], granted('clients:read', MANAGEMENT)],
    [naming, 'openid users:write', [MANAGEMENT], granted('openid users:write', MANAGEMENT)],
    [naming, 'clients:read clients:lead', [MANAGEMENT], refused('scope_unknown', 'clients:lead')],
    [naming, 'clients:read read', [MANAGEMENT], refused('scope_of_other_resource', 'read')],
    // By name and by resource, or not at all.
    [naming, 'clients:read', [], refused('scope_of_other_resource', 'clients:read')],
    [naming, 'openid clients:read', [], refused('scope_of_other_resource', 'clients:read')],
    [naming, 'clients:read', [API], refused('scope_of_other_resource', 'clients:read')],
    [naming, null, [MANAGEMENT], refused('management_scope_missing')],
    [{ ...naming, defaultScope: ['clients:read'] }, null, [MANAGEMENT], refused('management_scope_missing')],
    [{ ...naming, defaultScope: ['clients:read'] }, null, [], refused('scope_not_allowed')],
    [naming, 'openid', [MANAGEMENT], refused('management_scope_missing')],
    [naming, null, [], granted('openid read', API, USERINFO)],
    [{}, null, [], granted('read write', API)],
    [{}, null, [MANAGEMENT], refused('management_scope_missing')],
    [{ ...naming, defaultResource: MANAGEMENT }, 'clients:read', [], refused('management_scope_missing')],
    // Its registration names them, or it may not have them.
    [{}, 'clients:read', [MANAGEMENT], refused('scope_not_allowed', 'clients:read')],
    [{ scope: ['read'] }, 'clients:read', [MANAGEMENT], refused('scope_not_allowed', 'clients:read')],
    [
      { scope: ['clients:read'] },
      'clients:read clients:write',
      [MANAGEMENT],
      refused('scope_not_allowed', 'clients:write'),
    ],
    // A token for it is for no other API.
    [naming, 'clients:read read', [MANAGEMENT, API], refused('management_not_alone')],
    [naming, 'openid clients:read', [MANAGEMENT, USERINFO], refused('management_not_alone')],
    [naming, 'clients:read', [MANAGEMENT, 'https://gone.test'], refused('resource_unknown')],
    [naming, 'clients:read', [`${MANAGEMENT}/`], refused('resource_unknown')],
  ])('of %j for %j at %j requests %j', (change, scope, resources, meant) => {
    expect(requestedAccess(today, client(change), { scope, resources })).toEqual(meant);
  });

  it('for an API with a scope of the same name concerns that API', () => {
    const own = {
      identifier: API,
      name: 'API',
      default: true,
      scopes: [{ name: 'users:read', description: 'see users' }],
    };
    const there = configuration({ resources: [own] });
    const asked = { scope: 'users:read', resources: [] };
    expect(requestedAccess(there, client(), asked)).toEqual(granted('users:read', API));
    expect(requestedAccess(there, client(), { ...asked, resources: [MANAGEMENT] })).toEqual(
      refused('scope_not_allowed', 'users:read'),
    );
  });
});

describe('a client on its own behalf', () => {
  const bot = { clientId: 'bot' };
  it.each<[client: Partial<Client>, scope: string | null, resources: string[], meant: object]>([
    [bot, 'clients:read', [MANAGEMENT], granted('clients:read', MANAGEMENT)],
    [bot, 'clients:read clients:write', [MANAGEMENT], granted('clients:read clients:write', MANAGEMENT)],
    [{ ...bot, scope: ['clients:read', 'read'] }, 'clients:read', [MANAGEMENT], granted('clients:read', MANAGEMENT)],
    [
      { ...bot, scope: ['clients:read', 'read'] },
      'clients:write',
      [MANAGEMENT],
      refused('scope_not_allowed', 'clients:write'),
    ],
    [{ ...bot, scope: ['read'] }, 'clients:read', [MANAGEMENT], refused('scope_not_allowed', 'clients:read')],
    [bot, 'users:read', [MANAGEMENT], refused('scope_not_allowed', 'users:read')],
    [bot, 'read', [MANAGEMENT], refused('management_scope_missing')],
    [bot, null, [MANAGEMENT], refused('management_scope_missing')],
    [bot, null, [], granted('read write', API)],
    [{ ...bot, defaultScope: ['clients:read'] }, null, [], refused('scope_not_allowed')],
    [bot, 'clients:read', [], refused('scope_of_other_resource', 'clients:read')],
    [bot, 'clients:read pay', [MANAGEMENT, BANK], refused('management_not_alone')],
    // For any content of its registration.
    [{ ...naming, clientId: 'another' }, 'clients:read', [MANAGEMENT], refused('scope_not_allowed', 'clients:read')],
    [{ clientId: 'alice' }, 'clients:read', [MANAGEMENT], refused('scope_not_allowed', 'clients:read')],
  ])('of %j for %j at %j gets %j', (change, scope, resources, meant) => {
    expect(requestedByClient(today, client(change), { scope, resources })).toEqual(meant);
  });
});

it('the metadata of the server does not offer it to clients that request every scope', () => {
  const found = serverMetadata({ issuer: 'https://as.test', configuration: () => today, keyRing, uiLocales: [] });
  expect(found['scopes_supported']).toContain('openid');
  expect(found['scopes_supported']).not.toContain('clients:read');
});

it('consent names the requested scopes of the management API', () => {
  expect(describeAccess(today, granted('openid clients:write', MANAGEMENT))).toEqual([
    { resource: null, scopes: [{ name: 'openid', description: 'know that it is you' }] },
    {
      resource: 'Administration of this server',
      scopes: [{ name: 'clients:write', description: 'register, change and delete clients' }],
    },
  ]);
});

describe('the effective access of a grant', () => {
  const all = granted('clients:read clients:write', MANAGEMENT);
  it.each<[string, grant: Partial<Grant>, client: Partial<Client>, username: string | null, left: object]>([
    ['all of it, for an operator', all, naming, 'alice', all],
    ['what reads, for an auditor', all, naming, 'bob', granted('clients:read', MANAGEMENT)],
    ['nothing, for others', all, naming, 'mallory', granted('')],
    ['nothing, where the end-user is gone', all, naming, null, granted('')],
    ['nothing, for an auditor who once was more', granted('clients:write', MANAGEMENT), naming, 'bob', granted('')],
    ['nothing, where the registration has no ceiling any more', all, {}, 'alice', granted('')],
    ['what the ceiling still has', all, { scope: ['clients:write'] }, 'alice', granted('clients:write', MANAGEMENT)],
    [
      'who the end-user is, for others',
      { ...granted('openid clients:read', MANAGEMENT), identity: IDENTITY },
      naming,
      'mallory',
      granted('openid', USERINFO),
    ],
    [
      'nothing but offline access, which is nothing',
      granted('clients:read offline_access', MANAGEMENT),
      { scope: [...naming.scope, 'offline_access'] },
      'mallory',
      granted(''),
    ],
  ])('%s', (_, change, itsRecord, username, left) => {
    const found = accessToday(today, grant(change), client(itsRecord), username);
    expect(found).toEqual({ ...left, mayRefresh: true });
  });
});

const ALL_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'];
const app = client({ ...naming, grantTypes: ALL_GRANTS, idTokenSignedResponseAlg: 'ES256' });
const bot = client({
  clientId: 'bot',
  tokenEndpointAuthMethod: 'client_secret_post',
  secretMacs,
  grantTypes: ALL_GRANTS,
});
const from = {
  authorization: undefined,
  address: () => '192.0.2.1',
  presenter: () => ({ address: '192.0.2.1', userAgent: null }),
  dpop: undefined,
};
type Given = ReturnType<typeof tokenEndpoints>;
const token = async ({ deps }: Given, fields: Readonly<Record<string, string>>) =>
  (await handleTokenRequest(deps, from, new URLSearchParams(fields).toString())).outcome;
const exchange = (given: Given, stored: Grant) =>
  token(given, { grant_type: 'authorization_code', client_id: 'shop', code: codeOf(stored), code_verifier: VERIFIER });
const refresh = (given: Given, refreshToken: string, more: Readonly<Record<string, string>> = {}) =>
  token(given, { grant_type: 'refresh_token', client_id: 'shop', refresh_token: refreshToken, ...more });

describe('the token endpoint', () => {
  it('looks up the role only for grants of the management API', async () => {
    const given = tokenEndpoints([app, bot], [withChain()], { configuration: today, username: 'alice' });
    expect(await refresh(given, refreshTokenOf(withChain()))).toMatchObject({ kind: 'issued' });
    await token(given, { grant_type: 'client_credentials', client_id: 'bot', client_secret: SECRET });
    expect(given.asked).toEqual([]);
    const stored = withCode(granted('clients:read', MANAGEMENT));
    const other = tokenEndpoints([app], [stored], { configuration: today, username: 'alice' });
    expect(await exchange(other, stored)).toMatchObject({ response: { scope: 'clients:read' } });
    expect(other.asked).toEqual([stored.userId]);
  });

  it('returns no administrative scope for an end-user without a role, and uses no credential', async () => {
    const stored = withCode(granted('clients:read', MANAGEMENT));
    const given = tokenEndpoints([app], [stored], { configuration: today, username: 'mallory' });
    expect(await exchange(given, stored)).toMatchObject({ kind: 'refused', reason: 'grant_has_nothing_left' });
    expect(given.done).toEqual([]);
  });

  it('returns the listed scopes to a client of operators.yaml, and none to another client', async () => {
    const given = tokenEndpoints([bot, { ...bot, clientId: 'another' }], [], { configuration: today });
    const ask = (id: string, scope: string) =>
      token(given, {
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: SECRET,
        scope,
        resource: MANAGEMENT,
      });
    const outcome = await ask('bot', 'clients:read');
    expect(outcome).toMatchObject({ kind: 'issued', response: { scope: 'clients:read' } });
    if (outcome.kind !== 'issued') throw new Error('refused');
    expect(claimsIn(outcome.response.access_token)).toMatchObject({
      aud: MANAGEMENT,
      sub: 'bot',
      scope: 'clients:read',
    });
    expect(await ask('bot', 'users:read')).toMatchObject({ reason: 'scope_not_allowed', scope: 'users:read' });
    expect(await ask('another', 'clients:read')).toMatchObject({ reason: 'scope_not_allowed', scope: 'clients:read' });
  });

  it('describes what a refresh token would yield now', async () => {
    const secured = client({
      ...app,
      ...naming,
      clientId: 'bot',
      tokenEndpointAuthMethod: 'client_secret_post',
      secretMacs,
      grantTypes: ALL_GRANTS,
    });
    const stored = withChain({ clientId: 'bot', ...granted('clients:read clients:write', MANAGEMENT) });
    const introspected = async (username: string) => {
      const given = tokenEndpoints([secured], [stored], { configuration: today, username });
      const fields = { client_id: 'bot', client_secret: SECRET, token: refreshTokenOf(stored) };
      const outcome = await handleIntrospectionRequest(given.deps, from, new URLSearchParams(fields).toString());
      return outcome.kind === 'answered' ? outcome.body : outcome;
    };
    expect(await introspected('alice')).toMatchObject({ active: true, scope: 'clients:read clients:write' });
    expect(await introspected('bob')).toMatchObject({ active: true, scope: 'clients:read' });
    expect(await introspected('mallory')).toEqual({ active: false });
  });
});

/** One role after the other, over the life of one chain. */
const role = fc.constantFrom<'operators' | 'auditors' | null>('operators', 'auditors', null);
const asked = fc.option(fc.subarray(['openid', ...MANAGEMENT_SCOPE_NAMES], { minLength: 1 }));

property.prop([
  fc.subarray([...MANAGEMENT_SCOPE_NAMES], { minLength: 1 }),
  fc.boolean(),
  fc.array(fc.record({ role, scope: asked }), { minLength: 1, maxLength: 8 }),
])('no token says more than the role of the moment', async (scope, withOpenid, steps) => {
  const openid: Partial<Grant> & Pick<Grant, 'scope'> = withOpenid
    ? { scope: ['openid', ...scope], identity: IDENTITY }
    : { scope };
  const stored = withChain({ ...openid, resources: [MANAGEMENT] });
  const given: { configuration: ReturnType<typeof roles>; username: string } = {
    configuration: today,
    username: 'zoe',
  };
  const endpoints = tokenEndpoints([app], [stored], given);
  let head = refreshTokenOf(stored);
  for (const step of steps) {
    given.configuration = roles(step.role === null ? {} : { [step.role]: ['Zoe'] });
    const may = { operators: MANAGEMENT_SCOPE_NAMES, auditors: reading, none: [] as readonly string[] }[
      step.role ?? 'none'
    ];
    const outcome = await refresh(endpoints, head, step.scope === null ? {} : { scope: step.scope.join(' ') });
    if (outcome.kind === 'refused') continue;
    const { scope: said, aud } = claimsIn(outcome.response.access_token) as { scope: string; aud: string };
    const administrative = words(said).filter((name) => name !== 'openid');
    expect(administrative.filter((name) => !may.includes(name) || !scope.includes(name))).toEqual([]);
    expect([aud, administrative.length > 0]).toEqual(
      administrative.length > 0 ? [MANAGEMENT, true] : [USERINFO, false],
    );
    expect(words(outcome.response.scope).filter((name) => name !== 'openid' && !may.includes(name))).toEqual([]);
    head = outcome.response.refresh_token ?? '';
  }
  // A rejection used no credential, and a restored role restores the full access.
  given.configuration = today;
  given.username = 'alice';
  expect(await refresh(endpoints, head)).toMatchObject({ response: { scope: openid.scope.join(' ') } });
});

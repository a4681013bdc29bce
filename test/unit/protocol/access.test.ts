/** The access of a client: the requested scope, the effective scope of a grant, and what a token request may narrow it to. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { parseParameters } from '../../../src/oauth/parameters.ts';
import { continuesWhileAway, wouldContinueWhileAway } from '../../../src/protocol/absence.ts';
import { accessToday } from '../../../src/protocol/access-today.ts';
import { TOKEN_PARAMETERS } from '../../../src/protocol/grant-type.ts';
import { narrowedAccess, RefusedAtIssue, readNarrowing } from '../../../src/protocol/narrowing.ts';
import { describeAccess, requestedAccess, requestedByClient } from '../../../src/protocol/requested-access.ts';
import { API, ARCHIVE, BANK, client, configuration, grant, IDENTITY, USERINFO, VAULT } from './ports.ts';

const words = (text: string) => text.split(' ').filter((word) => word !== '');
const granted = (scope: string, ...resources: string[]) => ({ scope: words(scope), resources });
const refused = (reason: string, scope: string | null = null) => ({ reason, scope });
const onlyCode = { grantTypes: ['authorization_code'] };

describe('a client that introduced itself and names no resource', () => {
  const stranger = { clientId: 'https://agent.test/client.json', registeredBy: 'self', defaultResource: BANK } as const;
  const ceiling = ['openid', 'email', 'read', 'write', 'pay', 'audit', 'offline_access'];
  const meant = (allowed: readonly string[], scope: string | null, change: Partial<Client> = {}) =>
    requestedAccess(
      configuration({
        registration: {
          metadataDocuments: {
            origins: 'any',
            scopes: ceiling,
            resources: [...allowed],
            policy: 'default',
            maxDocuments: 10,
          },
        },
      }),
      client({ scope: ceiling, ...stranger, ...change }),
      { scope, resources: [] },
    );

  it.each<[allowed: string[], scope: string | null, meant: object, change?: Partial<Client>]>([
    // One is allowed: that one, whatever is the default of the server or stands in the row.
    [[ARCHIVE], 'audit', granted('audit', ARCHIVE)],
    [[ARCHIVE], null, granted('openid email audit offline_access', ARCHIVE, USERINFO)],
    [[ARCHIVE], 'openid audit', granted('openid audit', ARCHIVE, USERINFO)],
    [[ARCHIVE], 'read', refused('scope_of_other_resource', 'read')],
    [[ARCHIVE], 'fly', refused('scope_unknown', 'fly')],
    // One of several has every scope of the request.
    [[API, ARCHIVE], 'audit', granted('audit', ARCHIVE)],
    [[API, ARCHIVE], 'write offline_access', granted('write offline_access', API)],
    [[API, ARCHIVE], 'openid email audit', granted('openid email audit', ARCHIVE, USERINFO)],
    [[API, BANK], 'read pay', granted('read pay', BANK)],
    // Several have it, the default of the server and of the row among them: the server does not guess.
    [[API, BANK], 'read', refused('resource_not_named')],
    [[API, BANK], 'openid read', refused('resource_not_named')],
    [[API, ARCHIVE], null, refused('resource_not_named')],
    [[API, ARCHIVE], 'offline_access', refused('resource_not_named')],
    // None has all of it.
    [[API, ARCHIVE], 'write audit', refused('resource_not_named')],
    [[BANK, ARCHIVE], 'fly', refused('resource_not_named')],
    [[API, ARCHIVE], 'fly', refused('scope_unknown', 'fly')],
    // The ceiling of the client leaves one, or none.
    [[API, ARCHIVE], null, granted('audit', ARCHIVE), { scope: ['audit'] }],
    [[API, ARCHIVE], 'audit', granted('audit', ARCHIVE), { scope: ['audit'] }],
    [[API, ARCHIVE], 'openid pay', refused('scope_not_allowed', 'pay'), { scope: ['openid', 'pay'] }],
    [[], null, refused('scope_not_allowed')],
    // The identity of the end-user needs no API.
    [[API, ARCHIVE], 'openid email', granted('openid email', USERINFO)],
    // A client of an operator has its default.
    [[API, ARCHIVE], 'read', granted('read', BANK), { registeredBy: 'operator' }],
    // A client that registered itself has no rules here.
    [[ARCHIVE], 'audit', refused('scope_not_allowed', 'audit'), { clientId: 'agent' }],
  ])('of the resources %j, with the scope %j, requests %j', (allowed, scope, expected, change) => {
    expect(meant(allowed, scope, change)).toEqual(expected);
  });
});

it.each(['https://agent.test/client.json', 'agent'])(
  'a client that introduced itself as %s gets no token for the management API, whatever an API calls its scopes',
  (clientId) => {
    const scope = ['read', 'users:read'];
    const access = { scopes: scope, resources: [API], policy: 'default' };
    const base = configuration();
    const api = base.resources.find(({ identifier }) => identifier === API);
    const rules = configuration({
      // The resource has a scope of the same name as one of the management API.
      resources: base.resources.map((one) =>
        one === api ? { ...one, scopes: [...one.scopes, { name: 'users:read', description: 'see users' }] } : one,
      ),
      registration: {
        metadataDocuments: { ...access, origins: 'any', maxDocuments: 10 },
        dynamicRegistration: {
          ...access,
          access: 'open',
          registrationsPerHour: 10,
          maxRegistrations: 10,
          unusedDays: 1,
        },
      },
    });
    const { identifier: management } = rules.management;
    const ask = (registeredBy: 'self' | 'operator', resources: readonly string[]) =>
      requestedAccess(rules, client({ clientId, registeredBy, scope }), { scope: 'users:read', resources });
    expect(ask('self', [API])).toEqual(granted('users:read', API));
    expect(ask('self', [management])).toEqual(refused('resource_unknown'));
    expect(ask('self', [`${management}/`])).toEqual(refused('resource_unknown'));
    expect(ask('self', [management, API])).toEqual(refused('resource_unknown'));
    expect(ask('operator', [management])).toEqual(granted('users:read', management));
  },
);

describe('an authorization request', () => {
  it.each<[client: Partial<Client>, scope: string | null, resources: string[], meant: object]>([
    // No resource: the default of the client, else of the server; with `openid` the UserInfo Endpoint too, and for identity alone only that.
    [{}, 'read', [], granted('read', API)],
    [{ defaultResource: BANK }, 'read pay', [], granted('read pay', BANK)],
    [{}, 'openid', [], granted('openid', USERINFO)],
    [{}, 'openid email offline_access', [], granted('openid email offline_access', USERINFO)],
    [{}, 'openid email read', [], granted('openid email read', API, USERINFO)],
    [{ defaultResource: BANK }, 'openid pay', [], granted('openid pay', BANK, USERINFO)],
    [{ scope: ['openid', 'read'] }, 'openid read', [], granted('openid read', API, USERINFO)],
    [{ scope: ['openid', 'read'] }, null, [], granted('openid read', API, USERINFO)],
    [{ scope: ['read'], defaultScope: ['openid', 'read'] }, null, [], granted('read', API)],
    // Only the named scopes.
    [{}, 'openid email read', [API], granted('openid email read', API)],
    // A resource with `userInfo: false` stands alone, unless the client names both.
    [{ defaultResource: VAULT }, 'openid open', [], granted('openid open', VAULT)],
    [{ defaultResource: VAULT }, 'openid', [], granted('openid', USERINFO)],
    [{}, 'openid open', [VAULT, USERINFO], granted('openid open', VAULT, USERINFO)],
    // No scope: the default of the client, else its ceiling, else all scopes of the resources.
    [{}, null, [], granted('read write', API)],
    [{}, null, [BANK, ARCHIVE], granted('pay read audit', BANK, ARCHIVE)],
    [{ defaultResource: ARCHIVE }, null, [], granted('audit', ARCHIVE)],
    [{ scope: ['write'] }, null, [], granted('write', API)],
    [{ scope: ['read', 'write'], defaultScope: ['read'] }, null, [], granted('read', API)],
    // A default covers more than the named resources: a scope without effect there is left out.
    [{ scope: ['pay', 'write'] }, null, [BANK], granted('pay', BANK)],
    [{ defaultScope: ['write'] }, null, [BANK], refused('scope_not_allowed')],
    // Named resources, each once, in the order of the configuration.
    [{}, 'read', [API, BANK, API], granted('read', BANK, API)],
    [{}, 'openid read', [USERINFO, API], granted('openid read', API, USERINFO)],
    // Written as browsers write URLs.
    [{}, 'read', [`${API}/`], granted('read', API)],
    [{}, null, [`${ARCHIVE}/`], granted('audit', ARCHIVE)],
    [{}, 'read', [`${API}/mcp`], refused('resource_unknown')],
    [{}, 'read', ['https://elsewhere.test'], refused('resource_unknown')],
    [{}, 'read', [API, 'https://elsewhere.test'], refused('resource_unknown')],
    [{}, 'read', [API, USERINFO], refused('openid_missing')],
    // The ceiling of the client.
    [{ scope: ['read'] }, 'read write', [], refused('scope_not_allowed', 'write')],
    [{ scope: ['read'] }, 'read', [ARCHIVE], refused('resource_unknown')],
    [{ scope: ['read', 'offline_access'] }, 'read', [API, ARCHIVE], refused('resource_unknown')],
    [{ scope: ['read'] }, 'openid read', [API, USERINFO], refused('scope_not_allowed', 'openid')],
    [{ scope: ['read'] }, 'read', [API, USERINFO], refused('openid_missing')],
    [{ scope: ['openid', 'read'] }, 'openid read', [USERINFO, API], granted('openid read', API, USERINFO)],
    // A scope that no resource describes belongs to the default one, for a client that was registered with it.
    [{ scope: ['legacy'] }, 'legacy', [], granted('legacy', API)],
    [{ scope: ['legacy', 'pay'] }, 'legacy', [BANK], refused('scope_of_other_resource', 'legacy')],
    [{ scope: ['legacy', 'read'] }, 'legacy', [BANK, API], granted('legacy', BANK, API)],
    [{ scope: ['legacy', 'read'] }, null, [], granted('legacy read', API)],
    // An unknown or foreign scope is named; OpenID Connect ignores unknown ones.
    [{}, 'read fly', [], refused('scope_unknown', 'fly')],
    [{}, 'read pay', [], refused('scope_of_other_resource', 'pay')],
    [{ scope: ['read', 'pay'] }, 'read pay', [API], refused('scope_of_other_resource', 'pay')],
    [{}, 'openid read fly', [], granted('openid read', API, USERINFO)],
    [{ scope: ['openid', 'read'] }, 'openid read write', [], refused('scope_not_allowed', 'write')],
    [{}, 'profile', [], refused('openid_missing', 'profile')],
    [{}, 'read email', [], refused('openid_missing', 'email')],
    [{}, 'read "', [], refused('scope_malformed')],
    // Offline access: ignored where it is impossible, and without effect by itself.
    [{}, 'read offline_access', [], granted('read offline_access', API)],
    [onlyCode, 'read offline_access', [], granted('read', API)],
    [{ scope: ['read'] }, 'read offline_access', [], granted('read', API)],
    [{ scope: ['read', 'offline_access'] }, 'read offline_access', [], granted('read offline_access', API)],
    [{}, 'offline_access', [], refused('scope_not_allowed')],
  ])('of the client %j for %j at %j requests %j', (change, scope, resources, meant) => {
    expect(requestedAccess(configuration(), client(change), { scope, resources })).toEqual(meant);
  });
});

it('a scope of an API with a name of OpenID Connect needs no openid there', () => {
  const email = { name: 'email', description: 'send email' };
  const resources = configuration().resources.map((one) => ({ ...one, scopes: [...one.scopes, email] }));
  const asked = { scope: 'email', resources: [] };
  const there = configuration({ resources });
  expect(requestedAccess(there, client(), asked)).toEqual(granted('email', API));
  expect(requestedByClient(there, client(), asked)).toEqual(granted('email', API));
  const withOpenid = { ...asked, scope: 'openid email' };
  expect(requestedAccess(there, client(), withOpenid)).toEqual(granted('openid email', API, USERINFO));
});

describe('a client on its own behalf', () => {
  it.each<[client: Partial<Client>, scope: string | null, resources: string[], meant: object]>([
    [{}, 'read', [], granted('read', API)],
    [{}, null, [], granted('read write', API)],
    [{ scope: ['read', 'openid', 'offline_access'] }, null, [], granted('read', API)],
    [{ defaultScope: ['openid', 'write'] }, null, [], granted('write', API)],
    [{}, 'openid', [], refused('scope_not_allowed', 'openid')],
    [{}, 'read email', [], refused('scope_not_allowed', 'email')],
    [{}, 'read offline_access', [], refused('scope_not_allowed', 'offline_access')],
    [{ scope: ['openid'] }, null, [USERINFO], refused('resource_unknown')],
    [{}, 'read', [USERINFO], refused('resource_unknown')],
    [{}, '"', [], refused('scope_malformed')],
  ])('of %j for %j at %j gets %j', (change, scope, resources, meant) => {
    expect(requestedByClient(configuration(), client(change), { scope, resources })).toEqual(meant);
  });
});

describe('the texts for consent', () => {
  it('are those of each resource, and name an API that has none of the scopes', () => {
    expect(
      describeAccess(configuration(), granted('openid email read offline_access legacy', API, BANK, ARCHIVE)),
    ).toEqual([
      {
        resource: null,
        scopes: [
          { name: 'openid', description: 'know that it is you' },
          { name: 'email', description: 'see your email address' },
        ],
      },
      { resource: 'Bank', scopes: [{ name: 'read', description: 'see your account' }] },
      {
        resource: 'API',
        scopes: [
          { name: 'read', description: 'see your data' },
          { name: 'legacy', description: null },
        ],
      },
      { resource: 'Archive', scopes: [] },
    ]);
  });
  it('omit an API without an audience in the token', () => {
    const described = describeAccess(configuration(), granted('openid read', API));
    expect(described.map(({ resource }) => resource)).toEqual([null, 'API']);
  });
  it('omit an identity that is not requested', () => {
    expect(describeAccess(configuration(), granted('read', API)).map(({ resource }) => resource)).toEqual(['API']);
    expect(describeAccess(configuration(), granted('read', API, USERINFO)).map(({ resource }) => resource)).toEqual([
      'API',
    ]);
  });
});

const openid = { identity: IDENTITY };

describe('the effective access of a grant', () => {
  it.each<[string, grant: Partial<Grant>, client: Partial<Client>, left: object]>([
    ['all of it', granted('read write', API), {}, { ...granted('read write', API), mayRefresh: true }],
    [
      'what is under the ceiling',
      granted('read write', API),
      { scope: ['read'] },
      { ...granted('read', API), mayRefresh: true },
    ],
    [
      'no refresh without the grant type',
      granted('read', API),
      onlyCode,
      { ...granted('read', API), mayRefresh: false },
    ],
    [
      'no resource without a scope under the ceiling',
      granted('read pay', API, BANK),
      { scope: ['write'] },
      { scope: [], resources: [API], mayRefresh: true },
    ],
    [
      'no resource that is gone',
      granted('read', API, 'https://gone.test'),
      {},
      { ...granted('read', API), mayRefresh: true },
    ],
    [
      'offline access under the ceiling',
      granted('read offline_access', API),
      { scope: ['read', 'offline_access'] },
      { ...granted('read offline_access', API), mayRefresh: true },
    ],
    [
      'no offline access above it',
      granted('read offline_access', API),
      { scope: ['read'] },
      { ...granted('read', API), mayRefresh: true },
    ],
    [
      'nothing where offline access alone is left',
      granted('read offline_access', API),
      { scope: ['offline_access', 'write'] },
      { scope: [], resources: [API], mayRefresh: true },
    ],
    [
      'the UserInfo Endpoint beside an API',
      { ...granted('openid read', API), ...openid },
      {},
      { ...granted('openid read', API, USERINFO), mayRefresh: true },
    ],
    [
      'the UserInfo Endpoint once',
      { ...granted('openid', USERINFO), ...openid },
      {},
      { ...granted('openid', USERINFO), mayRefresh: true },
    ],
    [
      'no UserInfo Endpoint without openid under the ceiling',
      { ...granted('openid read', API, USERINFO), ...openid },
      { scope: ['read', 'email'] },
      { ...granted('read', API), mayRefresh: true },
    ],
    [
      'the UserInfo Endpoint with openid under the ceiling',
      { ...granted('openid read', API, USERINFO), ...openid },
      { scope: ['openid'] },
      { ...granted('openid', USERINFO), mayRefresh: true },
    ],
    [
      'no UserInfo Endpoint without identity',
      granted('read', API, USERINFO),
      {},
      { ...granted('read', API), mayRefresh: true },
    ],
    [
      'refresh tokens where the policy needs offline access, and it is there',
      granted('read offline_access', API),
      { policy: 'absent' },
      { ...granted('read offline_access', API), mayRefresh: true },
    ],
    [
      'no refresh tokens where it is not',
      granted('read', API),
      { policy: 'absent' },
      { ...granted('read', API), mayRefresh: false },
    ],
    [
      'no refresh tokens where it is above the ceiling',
      granted('read offline_access', API),
      { policy: 'absent', scope: ['read'] },
      { ...granted('read', API), mayRefresh: false },
    ],
  ])('%s', (_, change, registered, left) => {
    expect(accessToday(configuration(), grant(change), client(registered), null)).toEqual(left);
  });

  it('continues while the end-user is away where a refresh token is possible', () => {
    const offline = grant({ scope: ['read', 'offline_access'] });
    const both = (registered: Partial<Client>, given = grant()) => [
      wouldContinueWhileAway(configuration(), client(registered), given),
      continuesWhileAway(configuration(), client(registered), given),
    ];
    expect(both({})).toEqual([true, true]);
    expect(both(onlyCode)).toEqual([false, false]);
    expect(both({ policy: 'absent' })).toEqual([false, false]);
    expect(both({ policy: 'absent' }, offline)).toEqual([true, true]);
    expect(both({ policy: 'absent', scope: ['read'] }, offline)).toEqual([true, false]);
    // A policy without its file grants no access, and is no error on a page.
    expect(both({ policy: 'gone' }, offline)).toEqual([false, false]);
  });
});

describe('a token request', () => {
  const narrowing = (query: string) => readNarrowing(parseParameters(query, TOKEN_PARAMETERS).parameters);
  it('without parameters narrows nothing', () => {
    expect(narrowing('')).toEqual({ scope: null, resources: null });
    expect(narrowing('scope=read%20read%20pay&resource=a%3A&resource=b%3A&resource=a%3A')).toEqual({
      scope: ['read', 'pay'],
      resources: ['a:', 'b:'],
    });
    expect(narrowing('scope=%22')).toBeNull();
  });

  const both = grant({ scope: ['openid', 'email', 'read', 'pay'], resources: [API, BANK], ...openid });
  const today = granted('openid email read pay', API, BANK, USERINFO);
  const narrowed = (query: string, change: Partial<typeof today> = {}, given = both) => {
    const asked = narrowing(query);
    if (asked === null) throw new Error('malformed');
    try {
      return narrowedAccess(configuration(), given, { ...today, mayRefresh: true, ...change }, asked);
    } catch (error) {
      if (error instanceof RefusedAtIssue) return error.reason;
      throw error;
    }
  };
  const resource = (...uris: string[]) => uris.map((uri) => `resource=${encodeURIComponent(uri)}`).join('&');

  it.each<[string, query: string, change: object, scope: string, answered: string, asked: string, resources: string[]]>(
    [
      [
        'all that was granted, at its APIs',
        '',
        {},
        'read pay',
        'openid email read pay',
        'openid email read pay',
        [API, BANK],
      ],
      ['one API', resource(BANK), {}, 'read pay', 'read pay', 'openid email read pay', [BANK]],
      [
        'the UserInfo Endpoint, by name',
        resource(USERINFO),
        {},
        'openid email',
        'openid email',
        'openid email read pay',
        [USERINFO],
      ],
      [
        'the UserInfo Endpoint, since nothing else is asked for',
        'scope=openid',
        {},
        'openid',
        'openid',
        'openid',
        [USERINFO],
      ],
      ['an API, with openid beside it', 'scope=openid+read', {}, 'read', 'openid read', 'openid read', [API, BANK]],
      ['scopes above the current ceiling are left out', '', { scope: ['read'] }, 'read', 'read', 'read', [API, BANK]],
      [
        'requested scopes above the current ceiling, too',
        'scope=read+pay',
        { scope: ['read'] },
        'read',
        'read',
        'read',
        [API, BANK],
      ],
      ['resources with current access', '', { resources: [API] }, 'read', 'read', 'openid email read pay', [API]],
    ],
  )('%s', (_, query, change, scope, answered, asked, resources) => {
    expect(narrowed(query, change)).toEqual({
      scope: words(scope),
      answered: words(answered),
      asked: words(asked),
      resources,
    });
  });

  describe('of a grant that opens the UserInfo Endpoint beside an API', () => {
    const openingBoth = (...resources: string[]) => grant({ ...both, resources });
    const left = (query: string, resources: readonly string[] = [API, USERINFO], change: Partial<typeof today> = {}) =>
      narrowed(
        query,
        { resources: [...resources.filter((one) => one !== USERINFO), USERINFO], ...change },
        openingBoth(...resources),
      );

    it.each<[string, query: string, resources: readonly string[], scope: string, audience: readonly string[]]>([
      ['both, where nothing is named', '', [API, USERINFO], 'openid email read', [API, USERINFO]],
      ['both for openid and a scope of the API', 'scope=openid+read', [API, USERINFO], 'openid read', [API, USERINFO]],
      ['the API, where openid is left out', 'scope=read', [API, USERINFO], 'read', [API]],
      ['the UserInfo Endpoint, where nothing else is asked for', 'scope=openid', [API, USERINFO], 'openid', [USERINFO]],
      ['the API, by name', resource(API), [API, USERINFO], 'read', [API]],
      ['the UserInfo Endpoint, by name', resource(USERINFO), [API, USERINFO], 'openid email', [USERINFO]],
      ['both, by name', resource(API, USERINFO), [API, USERINFO], 'openid email read', [API, USERINFO]],
    ])('yields %s', (_, query, resources, scope, audience) => {
      expect(left(query, resources)).toMatchObject({ scope: words(scope), resources: audience });
    });

    it('yields the API alone, once the resource has userInfo: false', () => {
      const opens = granted('openid email open', VAULT, USERINFO);
      const [atVault, given] = [{ ...opens, mayRefresh: true }, grant({ ...opens, ...openid })];
      expect(narrowed('', atVault, given)).toMatchObject({ scope: ['open'], resources: [VAULT] });
      expect(narrowed('scope=openid+open', atVault, given)).toMatchObject({
        answered: ['openid', 'open'],
        resources: [VAULT],
      });
      expect(narrowed(resource(USERINFO), atVault, given)).toMatchObject({ resources: [USERINFO] });
      expect(narrowed(resource(VAULT, USERINFO), atVault, given)).toBe('resource_without_userinfo');
    });

    it('yields the API alone, once openid is above the ceiling', () => {
      expect(left('', [API, USERINFO], granted('read', API))).toMatchObject({ scope: ['read'], resources: [API] });
    });
  });

  it('keeps offline access in addition', () => {
    const offline = granted('read offline_access', API);
    expect(narrowed('', offline, grant(offline))).toMatchObject({ scope: ['read', 'offline_access'] });
    const atTheBank = granted('pay offline_access', BANK);
    expect(narrowed('', atTheBank, grant(atTheBank))).toMatchObject({ scope: ['pay', 'offline_access'] });
  });

  it.each<[string, query: string, change?: object, given?: Grant]>([
    ['a scope that the resource does not have', `scope=read+pay&${resource(API)}`],
    ['a resource that has none of the scopes', `scope=pay&${resource(API)}`],
    ['a resource that has nothing of the grant', resource(ARCHIVE)],
    ['nothing that is left today', '', { scope: [] }],
    [
      'offline access alone',
      'scope=offline_access',
      { scope: ['offline_access'] },
      grant({ scope: ['read', 'offline_access'] }),
    ],
    ['openid where the UserInfo Endpoint is not for this client', 'scope=openid', { resources: [API] }],
  ])('is rejected for %s', (_, query, change = {}, given = both) => {
    expect(narrowed(query, change, given)).toBe('scope_exceeds_grant');
  });

  it('that is rejected has a reason in the log', () => {
    expect(new RefusedAtIssue('scope_exceeds_grant')).toMatchObject({
      name: 'RefusedAtIssue',
      message: 'scope_exceeds_grant',
    });
  });
});

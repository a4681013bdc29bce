/** `statehouse diff`: it names each difference, its effect on what is active, and rejects a broken new side. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantMachine } from '../../../machines/grant/machine.ts';
import { NOBODY_ADMINISTERS, type OperatorsFile } from '../../../policies/operators-schema.ts';
import type { Policy } from '../../../policies/schema.ts';
import { readMachine } from '../../../src/catalogue/read.ts';
import { diffDocument, diffMarkdown, diffText } from '../../../src/cli/diff-words.ts';
import type { Configuration, DeclaredClient } from '../../../src/config/configuration.ts';
import { compare } from '../../../src/review/diff/compare.ts';
import { guardChanges } from '../../../src/review/diff/guard-changes.ts';
import { policyChanges } from '../../../src/review/diff/lifetime-changes.ts';
import { machineChanges } from '../../../src/review/diff/machine-changes.ts';
import { machineFile, NoSuchSide, readSide, type Side } from '../../../src/review/diff/sides.ts';
import { holds } from '../../../src/review/proof/prove.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { copyOf, refreshToken, subjects } from '../machines/catalogue.ts';
import { mutantsOf } from '../machines/mutants.ts';
import { machineOf } from './mutants/machines.ts';

const FEW = [{ requests: 2, inFlight: 2, faults: 1 }];
const POLICIES = new URL('../../../policies', import.meta.url).pathname;
const ROOT = new URL('../../..', import.meta.url).pathname;
const ISSUER = 'https://as.test';

type Guards = Readonly<Record<string, unknown>>;

describe('machines', () => {
  it('the same has no changes', () => {
    const all = subjects.map(({ machine }) => machine);
    expect(machineChanges(all, all)).toEqual([]);
  });

  it('reports a missing path', () => {
    const config = copyOf(refreshToken.config);
    const revoked = config.states['revoked'];
    const [arm, ...rest] = [revoked?.on['presented'] ?? []].flat();
    if (!revoked || !arm) throw new Error('no arm');
    revoked.on['presented'] = [{ ...arm, target: 'active' }, ...rest];
    const changes = machineChanges([refreshToken.machine], [readMachine(config)]);
    expect(changes).toContainEqual({
      machine: 'refreshToken',
      kind: 'state newly reachable',
      where: 'revoked → active',
      words: 'revoked now leads to active, in one step or several',
    });
  });
});

describe('guards', () => {
  it.each([
    [
      'a guard of one machine',
      {},
      (guards: Guards) => ({ ...guards, byAnotherClient: () => false }),
      ['refreshToken × byAnotherClient'],
    ],
    [
      'a predicate that several guards ask',
      { needsSignIn: () => false },
      (guards: Guards) => guards,
      ['interaction × needsSignIn'],
    ],
    [
      'a predicate that a shared predicate asks',
      { isTooOld: () => false },
      (guards: Guards) => guards,
      ['interaction × isTooOld'],
    ],
    ['a bound', { liveSecrets: 3 }, (guards: Guards) => guards, ['client × liveSecrets']],
  ])('names %s whose body changed, although no arm did', async (_, shared, guardsOf, expected) => {
    const [side, after] = await withGuards(shared, guardsOf);
    expect(guardChanges(side, after).map(({ kind, machine, where }) => [kind, `${machine} × ${where}`])).toEqual(
      expected.map((where) => ['guard changed', where]),
    );
  });

  it('are among the changes of a comparison', async () => {
    const [side, after] = await withGuards({ liveSecrets: 3 }, (guards) => guards);
    expect(compare(side, after, { bounds: FEW }).machines).toEqual(guardChanges(side, after));
  });

  async function withGuards(shared: object, guardsOf: (guards: Guards) => Guards): Promise<[Side, Side]> {
    const side = await readSide(POLICIES, ISSUER);
    const machines = side.machines.map((machine) =>
      machine.id === 'refreshToken'
        ? machine.provide({ guards: guardsOf(machine.implementations.guards as Guards) as never })
        : machine,
    );
    return [side, { ...side, machines, sharedPredicates: { ...side.sharedPredicates, ...shared } }];
  }
});

describe('lifetimes', () => {
  const base = shippedConfiguration.policies.get('default');
  if (!base) throw new Error('no policy');
  const changed = (change: Partial<typeof base>) =>
    policyChanges(new Map([['default', base]]), new Map([['default', { ...base, ...change }]]));

  it.each([
    [{ accessTokenLifetimeSeconds: 1800 }, 'those that are out keep their 15 minutes'],
    [{ accessTokenLifetimeSeconds: 600 }, 'those that are out keep their 15 minutes'],
    [{ authorizationCodeLifetimeSeconds: 30 }, 'older than 30 seconds end immediately'],
    [{ authorizationCodeLifetimeSeconds: 90 }, 'keep their 1 minute'],
    [{ refreshIdleLifetimeSeconds: 604_800 }, 'not been used for 7 days end immediately'],
    [{ refreshIdleLifetimeSeconds: 3_456_000 }, 'None that has ended comes back'],
    [{ refreshAbsoluteLifetimeSeconds: 5_184_000 }, 'approved more than 60 days ago end immediately'],
    [{ refreshAbsoluteLifetimeSeconds: 31_536_000 }, 'until 365 days after its approval'],
    [{ refreshTokensNeedOfflineAccess: true }, 'can no longer be refreshed'],
    [{ provenRetrySeconds: 60 }, 'with its proof no longer ends its chain'],
  ])('%j: %s', (change, words) => {
    const [one, ...more] = changed(change);
    expect(more).toEqual([]);
    expect(one?.means.toLowerCase()).toContain(words.toLowerCase());
    expect([one?.policy, one?.key, one?.to]).toEqual(['default', ...(Object.entries(change)[0] ?? [])]);
  });

  it('a change of provenRetrySeconds says how long a lost answer is repeated, and the end of it what becomes of retries', () => {
    const meansOf = (from: object, to: object) =>
      policyChanges(new Map([['default', { ...base, ...from }]]), new Map([['default', { ...base, ...to }]])).map(
        ({ means }) => means,
      );
    const [minute, hour] = [{ provenRetrySeconds: 60 }, { provenRetrySeconds: 3600 }];
    expect(meansOf(minute, hour)).toEqual([expect.stringContaining('until 1 hour after the last use: a thief')]);
    expect(meansOf(hour, minute)).toEqual([
      expect.stringContaining('until 1 minute after the last use. A later retry'),
    ]);
    expect(meansOf(minute, {})).toEqual([expect.stringContaining('ends its chain, also with its proof')]);
    expect(meansOf(minute, minute)).toEqual([]);
  });

  const EVERY_KEY: Required<Policy> = {
    accessTokenLifetimeSeconds: 900,
    authorizationCodeLifetimeSeconds: 60,
    pushedRequestLifetimeSeconds: 60,
    refreshIdleLifetimeSeconds: 3600,
    refreshAbsoluteLifetimeSeconds: 7200,
    provenRetrySeconds: 60,
    consentLifetimeSeconds: 7200,
    refreshTokensNeedOfflineAccess: true,
    dpopNonceRequired: true,
    tokenEndpointAudienceAccepted: true,
    profile: 'fapi-2-security',
    requiredAuthenticationClass: 'multi-factor',
    maxAuthenticationAgeSeconds: 600,
  };
  it.each(Object.entries(EVERY_KEY))('a change of %s from or to %j has a meaning', (key, value) => {
    const { [key as keyof Policy]: _, ...without } = base;
    const others = key in base ? [] : [without];
    if (typeof value === 'number') others.push({ ...base, [key]: value + 1 }, { ...base, [key]: value - 1 });
    const sides = others.map((other) => [
      new Map([['p', other as Policy]]),
      new Map([['p', { ...base, [key]: value }]]),
    ]);
    for (const [one = new Map(), other = new Map()] of sides)
      for (const changes of [policyChanges(one, other), policyChanges(other, one)])
        expect(changes).toEqual([expect.objectContaining({ key, means: expect.stringMatching(/^[A-Z].+\.$/) })]);
    expect(sides.length).toBeGreaterThan(0);
  });

  it('added and removed policies are named', () => {
    const [added] = policyChanges(new Map(), new Map([['new', base]]));
    const [removed] = policyChanges(new Map([['old', base]]), new Map());
    expect([added?.means, removed?.means]).toEqual([
      expect.stringContaining('No client has it yet'),
      expect.stringContaining('refused at start'),
    ]);
  });
});

const bot = (scope: string) => ({ clients: [{ client_id: 'bot', scope: scope.split(' ') }] });

describe('a ceiling', () => {
  const record = (scope?: string, grantTypes = ['authorization_code', 'refresh_token']) => ({
    client_id: 'shop',
    grant_types: grantTypes,
    ...(scope !== undefined && { scope }),
  });
  const sideWith = (change: Partial<Configuration>): Side => ({
    name: 'side',
    machines: [],
    sharedPredicates: {},
    configuration: { ...shippedConfiguration, policies: new Map(), ...change },
  });
  const declared = (one: ReturnType<typeof record>): Side =>
    sideWith({ declaredClients: [{ record: one as DeclaredClient['record'], path: 'clients.0', lineOf: () => null }] });
  const between = (before: Side, after: Side) => compare(before, after, { bounds: FEW }).configuration;

  it.each([
    ['read pay offline_access', 'read', 'Chains lose pay offline_access. It is left out from the next'],
    ['read pay offline_access', 'read pay', 'can no longer be refreshed'],
    ['read', 'read pay', 'none gets more than was allowed'],
    ['read', undefined, 'There is no ceiling any more'],
    [undefined, 'read', 'Chains keep no more than read'],
  ])('from %s to %s: %s', (from, to, says) => {
    const changes = between(declared(record(from)), declared(record(to)));
    expect(changes).toEqual([
      { key: 'clients.shop.scope', from: from ?? null, to: to ?? null, means: expect.stringContaining(says) },
    ]);
  });

  it('of grant types: whether chains can be refreshed', () => {
    const [both, one] = [declared(record('read')), declared(record('read', ['authorization_code']))];
    expect(between(both, one)[0]?.means).toContain('receives unauthorized_client');
    expect(between(one, both)[0]?.means).toContain('can be refreshed again');
  });

  it.each<[Partial<OperatorsFile>, Partial<OperatorsFile>, object]>([
    [{}, { auditors: ['zoe'] }, { key: 'operators.users.zoe', means: expect.stringMatching(/^May grant it/) }],
    [{ auditors: ['zoe'] }, { operators: ['Zoe'] }, { from: 'auditor', means: expect.stringMatching(/^May grant it/) }],
    [{ operators: ['zoe'] }, { auditors: ['zoe'] }, { to: 'auditor', means: expect.stringMatching(/is not used up/) }],
    [{ operators: ['zoe'] }, {}, { to: null, means: expect.stringMatching(/^From the next request on/) }],
    [
      bot('keys:read'),
      bot('keys:read keys:rotate'),
      { key: 'operators.clients.bot', means: expect.stringMatching(/^The client gets/) },
    ],
    [
      bot('keys:read keys:rotate'),
      bot('keys:read ledger:read'),
      { means: expect.stringMatching(/no token is made with it/) },
    ],
    [bot('keys:read'), {}, { to: null, means: expect.stringMatching(/no token is made with it/) }],
  ])('of a role, from %j to %j', (before, after, change) => {
    const roles = (file: Partial<OperatorsFile>) => sideWith({ operators: { ...NOBODY_ADMINISTERS, ...file } });
    expect(between(roles(before), roles(after))).toEqual([expect.objectContaining(change)]);
  });

  it('of a resource: a missing scope, the whole resource, and no other texts', () => {
    const api = { identifier: 'https://a.test', name: 'A', scopes: [{ name: 'read', description: 'see' }] };
    const other = { identifier: 'https://b.test', name: 'B', default: true, scopes: [] };
    const with_ = (...resources: Configuration['resources']) => sideWith({ resources });
    const [change] = between(with_(api, other), with_({ ...api, scopes: [] }, other));
    expect(change).toMatchObject({
      key: 'resources.https://a.test.scopes.read',
      means: expect.stringContaining('made without it'),
    });
    const gone = between(with_(api, other), with_(other));
    expect(gone.every(({ means }) => means?.includes('No token is made for this resource'))).toBe(true);
    expect(between(with_(api, other), with_({ ...api, name: 'Z' }, other))).toEqual([
      { key: 'resources.https://a.test.name', from: 'A', to: 'Z' },
    ]);
    const strict = { ...api, userInfo: false };
    expect(between(with_(api, other), with_(strict, other))).toEqual([
      {
        key: 'resources.https://a.test.userInfo',
        from: null,
        to: false,
        means: expect.stringContaining('no longer open the UserInfo Endpoint'),
      },
    ]);
    for (const open of [api, { ...api, userInfo: true }]) {
      expect(between(with_(strict, other), with_(open, other))[0]?.means).toContain('open the UserInfo Endpoint again');
    }
    // A new resource has no effect on existing tokens.
    expect(between(with_(other), with_(strict, other)).every(({ means }) => means === undefined)).toBe(true);
  });

  it('is reported in every format', () => {
    const comparison = compare(declared(record('read pay')), declared(record('read')), { bounds: FEW });
    for (const said of [diffText(comparison), diffMarkdown(comparison), diffDocument(comparison)]) {
      expect(said).toContain('Chains lose pay.');
    }
  });
});

describe('two folders', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-diff-'));
    cpSync(POLICIES, folder, { recursive: true });
    writeFileSync(
      join(folder, 'sign-in.yaml'),
      'sessionLifetimeSeconds: 3600\nsessionIdleLifetimeSeconds: 14400\ninteractionLifetimeSeconds: 1800\nfailureWindowSeconds: 900\nfailuresPerAccountAndAddress: 10\nfailuresPerAddress: 100\nlostFactors: email\n',
    );
    writeFileSync(
      join(folder, 'clients.yaml'),
      `clients:\n  - client_id: shop\n    client_secret_sha256: [${'ab'.repeat(32)}]\n`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are compared, and the invariants hold', async () => {
    const comparison = compare(await readSide(POLICIES, ISSUER), await readSide(folder, ISSUER), { bounds: FEW });
    expect(comparison).toMatchObject({ machines: [], policies: [], refused: null });
    expect(comparison.configuration).toEqual([
      { key: 'signIn.identifiers', from: 'both', to: 'username' },
      { key: 'signIn.sessionLifetimeSeconds', from: 43_200, to: 3600 },
      { key: 'clients.shop', from: null, to: 'declared' },
    ]);
    expect(comparison.proofs.length).toBe(4);
    expect(comparison.proofs.every(holds)).toBe(true);
    for (const said of [diffText(comparison), diffMarkdown(comparison), diffDocument(comparison)]) {
      expect(said).toContain('signIn.sessionLifetimeSeconds');
      expect(said).not.toContain('ab'.repeat(32));
    }
    expect(JSON.parse(diffDocument(comparison))).toMatchObject({ ok: true });
  });

  it('with the same content have no difference', async () => {
    const side = await readSide(POLICIES, ISSUER);
    expect(diffText(compare(side, side, { bounds: FEW }))).toContain('Nothing differs.');
  });

  it('with a machine that revives used tokens fail the model check, in every format', async () => {
    const side = await readSide(POLICIES, ISSUER);
    const broken = mutantsOf(refreshToken).find(({ what }) => what === 'active.presented[1]: deleted');
    if (!broken) throw new Error('no mutant');
    const machines = side.machines.map((one) =>
      one.id === 'refreshToken' ? machineOf(refreshToken, broken.config) : one,
    );
    const comparison = compare(
      side,
      { ...side, machines: machines as (typeof side.machines)[number][] },
      { bounds: FEW },
    );
    expect(comparison.machines).toMatchObject([{ kind: 'arm removed', where: 'active × presented' }]);
    expect(diffText(comparison)).toMatch(/BROKEN {2}A wrong verifier/);
    expect(diffMarkdown(comparison)).toContain('**broken**');
    expect(JSON.parse(diffDocument(comparison))).toMatchObject({ ok: false });
  });

  it('with names that would break a table do not break it', async () => {
    const side = await readSide(POLICIES, ISSUER);
    const comparison = compare({ ...side, name: 'a|b`c\nd' }, side, { bounds: FEW });
    expect(diffMarkdown(comparison).split('\n')[0]).toBe(`## \`a\\|b'c d\` → \`${POLICIES}\``);
  });
});

describe('revisions', () => {
  it.skipIf(!existsSync(join(ROOT, '.git')))(
    'HEAD against itself has no difference; it uses its own machines',
    async () => {
      const side = await readSide('HEAD', ISSUER);
      expect(side.machines.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['authorizationCode', 'refreshToken', 'grant']),
      );
      expect(side.machines).not.toContain(grantMachine);
      expect(compare(side, await readSide('HEAD', ISSUER), { bounds: FEW })).toMatchObject({
        machines: [],
        policies: [],
        configuration: [],
      });
    },
  );

  it.each(['export const a = {\n  b: ;\n};\n', "import './gone.ts';\n", 'throw new Error("no");\n'])(
    'with an unreadable machine file are rejected by its name, without the folder: %j',
    async (text) => {
      const folder = mkdtempSync(join(tmpdir(), 'statehouse-machine-'));
      mkdirSync(join(folder, 'broken'));
      writeFileSync(join(folder, 'broken', 'machine.ts'), text);
      const error = await machineFile(folder, join('broken', 'machine.ts')).catch((one: unknown) => one);
      rmSync(folder, { recursive: true });
      expect(error).toBeInstanceOf(NoSuchSide);
      expect(String(error)).toMatch(/^NoSuchSide: broken\/machine\.ts(:\d+)?: cannot be read: ./);
      expect(String(error)).not.toContain(folder);
    },
  );

  it.each(['no-such-thing', '--upload-pack=touch', 'HEAD:package.json', '/nonexistent', ''])(
    'with %j are rejected with a message',
    async (name) => {
      await expect(readSide(name, ISSUER)).rejects.toThrow(NoSuchSide);
    },
  );
});

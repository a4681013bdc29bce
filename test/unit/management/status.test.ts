/** The checks of the status page, each at its boundary: without a database. */
import { describe, expect, it } from 'vitest';
import type { LastReload } from '../../../src/config/last-reload.ts';
import { documentOf, type Looked, status } from '../../../src/management/resources/status.ts';
import type { SigningKeyRow } from '../../../src/model/signing-key.ts';
import { configuration } from '../protocol/ports.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);
const policy = configuration().signingKeys;
const LIFETIME = policy.signingLifetimeSeconds;

const key = (change: Partial<SigningKeyRow> = {}): SigningKeyRow => ({
  kid: 'a',
  alg: 'ES256',
  state: 'signing',
  createdAt: secondsAgo(60),
  maySignAt: secondsAgo(60),
  beganSigningAt: secondsAgo(60),
  rotationAskedAt: null,
  stoppedSigningAt: null,
  retiredAt: null,
  retiredReason: null,
  privateJwe: '',
  ...change,
});
const KEYS = policy.algorithms.map((alg) => key({ alg, kid: alg }));

const LOOKED: Looked = {
  chains: [],
  failures: { counters: 0, most: 0 },
  facts: { version: '18.1', bytes: 1_499_999, now: NOW },
  nodes: [{ id: '00000000-0000-4000-8000-00000000000a', version: '1.0', startedAt: secondsAgo(5), seenAt: NOW }],
  keys: KEYS,
  warnings: [],
} as unknown as Looked;

const shown = (change: Partial<Looked> = {}, lastReload: LastReload | null = null) =>
  documentOf({ issuer: 'https://as.test', configuration, lastReload: () => lastReload }, { ...LOOKED, ...change });
const checkOf = (name: string, ...given: Parameters<typeof shown>) => {
  const { state, detail } = shown(...given).checks.find((one) => one.name === name) ?? {};
  return [state, detail];
};

it('a healthy server is good in each check, and its document has the shape of the answer', () => {
  const document = shown();
  expect(document).toMatchObject({
    state: 'good',
    chains_ended: [],
    failed_sign_ins: { counters: 0, most: 0 },
    database: { version: '18.1', bytes: 1_499_999 },
    nodes: [{ version: '1.0', started_at: '2029-12-31T23:59:55.000Z' }],
    configuration: { warnings: [], last_reload: null },
    _links: { self: { href: 'https://as.test/management/v1/status' } },
  });
  expect(document.checks.map(({ name, state }) => [name, state])).toEqual(
    ['reuse', 'database', 'signing_keys', 'failed_sign_ins', 'nodes', 'configuration'].map((name) => [name, 'good']),
  );
  expect(checkOf('database')).toEqual(['good', 'Postgres 18.1, 1 MB']);
  const { answer } = status.methods.GET;
  expect(answer?.parse(document)).toEqual(document);
});

describe('the check of reuses', () => {
  const chain = (reason: string, times = 1) => ({ reason, times, lastAt: secondsAgo(1) }) as Looked['chains'][number];
  const NONE = 'no code and no refresh token was used twice';
  it.each([
    [[], 'good', NONE],
    [['revoked_by_user', 'refresh_token_expired'], 'good', NONE],
    [['refresh_token_reused'], 'look', 'refresh_token_reused: 1'],
    [['authorization_code_reused'], 'look', 'authorization_code_reused: 1'],
    [['chain_behind_token'], 'bad', 'chain_behind_token: 1'],
    [['refresh_token_reused', 'chain_behind_token'], 'bad', 'refresh_token_reused: 1, chain_behind_token: 1'],
    [['revoked_by_user', 'refresh_token_reused'], 'look', 'refresh_token_reused: 1'],
  ])('with %j is %s: %s', (reasons, state, detail) => {
    const chains = reasons.map((reason) => chain(reason));
    expect(checkOf('reuse', { chains })).toEqual([state, detail]);
    expect(shown({ chains }).state).toBe(state);
  });

  it('lists every chain that a decision ended', () => {
    expect(shown({ chains: [chain('revoked_by_user', 3)] }).chains_ended).toEqual([
      { reason: 'revoked_by_user', times: 3, last_at: '2029-12-31T23:59:59.000Z' },
    ]);
  });
});

describe('the check of signing keys', () => {
  it('is bad without a signer of each algorithm', () => {
    const [first, ...others] = policy.algorithms;
    expect(checkOf('signing_keys', { keys: [] })).toEqual(['bad', `no key signs ${policy.algorithms.join(', ')}`]);
    const published = KEYS.map((one) => (one.alg === first ? { ...one, state: 'published' as const } : one));
    expect(checkOf('signing_keys', { keys: published })).toEqual(['bad', `no key signs ${first}`]);
    expect(others.length).toBeGreaterThanOrEqual(0);
  });

  it.each([
    [120, 'good'],
    [121, 'bad'],
  ])('with a step that is %d seconds late is %s', (late, state) => {
    // It stops, and no successor is wanted: the algorithm has left the policy.
    const old = key({ alg: 'EdDSA', kid: 'old', beganSigningAt: secondsAgo(LIFETIME + late) });
    const at = secondsAgo(late).toISOString().slice(0, 16).replace('T', ' ');
    expect(checkOf('signing_keys', { keys: [...KEYS, old] })).toEqual([
      state,
      `${state === 'bad' ? 'late, ' : ''}next: stops at ${at} UTC`,
    ]);
  });

  it('names the earliest step', () => {
    const stops = (kid: string, seconds: number) =>
      key({ alg: 'EdDSA', kid, beganSigningAt: secondsAgo(LIFETIME - seconds) });
    const at = (seconds: number) => secondsAgo(-seconds).toISOString().slice(0, 16).replace('T', ' ');
    for (const keys of [
      [stops('a', 600), stops('b', 60)],
      [stops('b', 60), stops('a', 600)],
    ]) {
      expect(checkOf('signing_keys', { keys: [...KEYS, ...keys] })).toEqual(['good', `next: stops at ${at(60)} UTC`]);
    }
  });
});

describe('the check of failed sign-ins', () => {
  const most = configuration().signIn.failuresPerAccountAndAddress;
  it.each([
    [0, 0, 'good', 'none in the running window'],
    [1, most - 1, 'good', `at most ${most - 1} of one account or address in the running window`],
    [1, most, 'look', `at most ${most} of one account or address in the running window`],
  ])('with %d counters and at most %d is %s', (counters, of, state, detail) => {
    expect(checkOf('failed_sign_ins', { failures: { counters, most: of } })).toEqual([state, detail]);
  });
});

describe('the check of nodes', () => {
  it.each([
    [[], 'good', '0 nodes, version unknown'],
    [['1.0'], 'good', '1 node, version 1.0'],
    [['1.0', '1.0'], 'good', '2 nodes, version 1.0'],
    [['1.0', '1.1'], 'look', '2 nodes, version 1.0 and 1.1'],
  ])('with the versions %j is %s: %s', (versions, state, detail) => {
    const nodes = versions.map((version) => ({ version, id: version, startedAt: NOW, seenAt: NOW }));
    expect(checkOf('nodes', { nodes })).toEqual([state, detail]);
  });
});

describe('the check of the configuration', () => {
  const reload = (accepted: boolean): LastReload => ({ at: NOW, accepted, changes: [], problems: [] });
  const REJECTED = 'the files were rejected; the previous configuration stays in force';
  it.each([
    [[], null, 'good', 'no warnings'],
    [['w'], null, 'look', '1 warning'],
    [['w', 'x'], null, 'look', '2 warnings'],
    [[], true, 'good', 'no warnings'],
    [['w'], true, 'look', '1 warning'],
    [[], false, 'bad', REJECTED],
    [['w'], false, 'bad', REJECTED],
  ])('with the warnings %j and a reload that was accepted: %j is %s', (warnings, accepted, state, detail) => {
    const last = accepted === null ? null : reload(accepted);
    expect(checkOf('configuration', { warnings }, last)).toEqual([state, detail]);
    expect(shown({ warnings }, last).configuration).toEqual({
      warnings,
      last_reload: last && { ...last, at: NOW.toISOString() },
    });
  });
});

it('the state is the worst of the checks', () => {
  const look = { warnings: ['w'] };
  expect(shown(look).state).toBe('look');
  expect(shown({ ...look, keys: [] }).state).toBe('bad');
});

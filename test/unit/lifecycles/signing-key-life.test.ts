/** The life of signing keys over a table in memory: due steps, operators' requests, and the commits. */
import { describe, expect, test } from 'vitest';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import {
  type KeyChange,
  passTime,
  requestRevocation,
  requestRotation,
  type SigningKeyPorts,
  signingKeyLifecycle,
} from '../../../src/lifecycles/signing-key/lifecycle.ts';
import { commandLine } from '../../../src/model/actor.ts';
import type { NewSigningKey, SigningAlgorithm, SigningKeyRow } from '../../../src/model/signing-key.ts';
import { NOW, seconds } from './given.ts';
import { type KeyCommit, keyCommit } from './key-commit.ts';

const LIFETIMES = {
  publishedBeforeSigningSeconds: 1000,
  signingLifetimeSeconds: 10_000,
  successorLeadSeconds: 1060,
  retiringSeconds: 3910,
};
const SUCCESSOR_DUE = LIFETIMES.signingLifetimeSeconds - LIFETIMES.successorLeadSeconds;

const keyIn = (state: 'published' | 'signing' | 'retiring', kid: string, change: Partial<SigningKeyRow> = {}) =>
  ({
    kid,
    alg: 'ES256',
    state,
    createdAt: NOW,
    maySignAt: seconds(LIFETIMES.publishedBeforeSigningSeconds),
    beganSigningAt: state === 'published' ? null : NOW,
    rotationAskedAt: null,
    stoppedSigningAt: state === 'retiring' ? NOW : null,
    retiredAt: null,
    retiredReason: null,
    privateJwe: state === 'retiring' ? null : 'sealed',
    ...change,
  }) satisfies SigningKeyRow;

const SIGNER = keyIn('signing', 'signer');
const WAITS = keyIn('published', 'waits');

/** @param between the action of another node between the first load and the first commit. */
function bench(
  keys: readonly SigningKeyRow[],
  given: {
    algorithms?: SigningAlgorithm[];
    between?: (keys: readonly SigningKeyRow[]) => readonly SigningKeyRow[];
  } = {},
) {
  let rows = keys;
  let { between } = given;
  let created = 0;
  const table = { now: NOW, commits: [] as KeyCommit[], loads: 0 };
  const ports: SigningKeyPorts = {
    store: {
      load: async () => {
        table.loads++;
        return { now: table.now, keys: rows };
      },
      commit: async (sent) => {
        const commit = keyCommit(sent);
        rows = between?.(rows) ?? rows;
        between = undefined;
        const { moves, added } = commit;
        if (!moves.every(({ from, after }) => rows.find(({ kid }) => kid === after.kid)?.state === from)) return false;
        const moved = new Map(moves.map(({ after }) => [after.kid, after]));
        const after = [...(added ? [added.after] : []), ...rows.map((key) => moved.get(key.kid) ?? key)];
        // Of each algorithm one key signs, and one waits.
        const places = after
          .filter(({ state }) => /^(signing|published)$/.test(state))
          .map(({ alg, state }) => alg + state);
        if (new Set(places).size < places.length) return false;
        table.commits.push(commit);
        rows = after;
        return true;
      },
    },
    createKey: async (alg) => ({ kid: `fresh-${++created}`, alg, publicJwk: {}, privateJwe: 'sealed' }),
    policy: () => ({ algorithms: given.algorithms ?? ['ES256'], lifetimes: LIFETIMES }),
    sleep: async () => {},
  };
  return {
    table,
    ports,
    created: () => created,
    states: () => rows.map(({ kid, alg, state }) => `${alg} ${kid} ${state}`),
    tick: async () => summaryOf(await passTime(ports)),
    rotate: async (atOnce: boolean) => summaryOf(await requestRotation(ports, 'ES256', atOnce, commandLine)),
    revoke: async (kid: string) => summaryOf(await requestRevocation(ports, kid, commandLine)),
  };
}

const summaryOf = (changes: readonly KeyChange[] | null): string[] | null =>
  changes?.map(({ kid, event, from, to, reason }) => `${kid} ${event}: ${from} → ${to} ${reason ?? ''}`.trim()) ?? null;

const HANDED_OVER = ['signer timePassed: signing → retiring', 'waits signerStopped: published → signing'];

test('the first key of each algorithm signs immediately, and is stored as created', async () => {
  const { tick, states, table } = bench([], { algorithms: ['ES256', 'EdDSA'] });
  expect(await tick()).toEqual([
    'fresh-1 noKeySigns: unpublished → signing',
    'fresh-2 noKeySigns: unpublished → signing',
  ]);
  expect(states()).toEqual(['EdDSA fresh-2 signing', 'ES256 fresh-1 signing']);
  const entry = { machine: 'signingKey', event: 'noKeySigns', from: 'unpublished', to: 'signing' };
  const key = { kid: 'fresh-1', alg: 'ES256', publicJwk: {}, privateJwe: 'sealed' };
  expect(table.commits[0]).toEqual({
    now: NOW,
    moves: [],
    added: { key, after: { ...keyIn('signing', 'fresh-1') } },
    entries: [{ ...entry, reason: null, generation: null, signingKeyId: 'fresh-1' }],
  });
  expect(await tick()).toEqual([]);
});

test('each change is reported with key and algorithm', async () => {
  const { ports } = bench([SIGNER]);
  expect(await requestRotation(ports, 'ES256', true, commandLine)).toMatchObject([
    { kid: 'fresh-1', alg: 'ES256', event: 'successorNeeded' },
    { kid: 'signer', alg: 'ES256', event: 'rotationRequested' },
    { kid: 'fresh-1', alg: 'ES256', event: 'signerStopped' },
  ]);
});

test.each<[string, readonly SigningKeyRow[], number, readonly string[]]>([
  ['a successor is published', [SIGNER], SUCCESSOR_DUE, ['fresh-1 successorNeeded: unpublished → published']],
  ['the successor takes over', [WAITS, SIGNER], LIFETIMES.signingLifetimeSeconds, HANDED_OVER],
  [
    'the successor takes over when caches hold it',
    [{ ...WAITS, maySignAt: seconds(20_000) }, SIGNER],
    20_000,
    HANDED_OVER,
  ],
  [
    'the last token has expired',
    [SIGNER, keyIn('retiring', 'old')],
    LIFETIMES.retiringSeconds,
    ['old timePassed: retiring → retired tokens_expired'],
  ],
])('with time, %s at its moment and not before', async (_, keys, due, changes) => {
  const { table, tick } = bench(keys);
  table.now = seconds(due - 0.001);
  expect(await tick()).toEqual([]);
  table.now = seconds(due);
  expect(await tick()).toEqual(changes);
  expect(await tick()).toEqual([]);
});

test('a waiting key starts where none signs, and no other key is created', async () => {
  const { tick, created } = bench([WAITS, keyIn('retiring', 'old')]);
  expect(await tick()).toEqual(['waits timePassed: published → signing']);
  expect(created()).toBe(0);
});

test('an algorithm that the policy dropped is left without a signer, and others are not', async () => {
  const edwards = keyIn('signing', 'edwards', { alg: 'EdDSA' });
  const { table, tick, states } = bench([SIGNER, edwards]);
  table.now = seconds(SUCCESSOR_DUE);
  expect(await tick()).toEqual(['fresh-1 successorNeeded: unpublished → published']);
  table.now = seconds(LIFETIMES.signingLifetimeSeconds);
  expect(await tick()).toEqual([
    'signer timePassed: signing → retiring',
    'fresh-1 signerStopped: published → signing',
    'edwards timePassed: signing → retiring',
  ]);
  expect(states()).toEqual(['ES256 fresh-1 signing', 'ES256 signer retiring', 'EdDSA edwards retiring']);
  expect(await tick()).toEqual([]);
});

test('keys of other algorithms neither take over nor block', async () => {
  const edwards = [keyIn('published', 'other-waits', { alg: 'EdDSA' }), keyIn('signing', 'other', { alg: 'EdDSA' })];
  const { rotate, states } = bench([...edwards, SIGNER], { algorithms: ['ES256', 'EdDSA'] });
  await rotate(true);
  expect(states()).toEqual([
    'ES256 fresh-1 signing',
    'EdDSA other-waits published',
    'EdDSA other signing',
    'ES256 signer retiring',
  ]);
});

describe('a rotation', () => {
  test.each<[string, readonly SigningKeyRow[], boolean, readonly string[]]>([
    [
      'publishes a successor and hastens it',
      [SIGNER],
      false,
      ['fresh-1 successorNeeded: unpublished → published', 'signer rotationRequested: signing → signing'],
    ],
    ['hastens the key that waits', [WAITS, SIGNER], false, ['signer rotationRequested: signing → signing']],
    [
      'immediately starts the waiting key',
      [WAITS, SIGNER],
      true,
      ['signer rotationRequested: signing → retiring', 'waits signerStopped: published → signing'],
    ],
    ['changes nothing when it was asked before', [WAITS, { ...SIGNER, rotationAskedAt: NOW }], false, []],
    [
      'where a key waits and none signs begins with that key',
      [WAITS],
      false,
      ['waits timePassed: published → signing'],
    ],
    ['where there is no key creates the first', [], false, ['fresh-1 noKeySigns: unpublished → signing']],
  ])('%s', async (_, keys, atOnce, changes) => {
    const { rotate } = bench(keys);
    expect(await rotate(atOnce)).toEqual(changes);
  });

  test('that was requested keeps the moment of the first request', async () => {
    const { rotate, table, revoke } = bench([SIGNER]);
    await rotate(false);
    expect(table.commits).toMatchObject([{ moves: [{ from: 'signing', after: { rotationAskedAt: NOW } }] }]);
    await revoke('fresh-1');
    table.now = seconds(10);
    await rotate(false);
    expect(table.commits.at(-1)?.moves).toMatchObject([{ after: { rotationAskedAt: NOW } }]);
    expect(table.commits.at(-1)?.added?.after).toMatchObject({ createdAt: seconds(10), maySignAt: seconds(1010) });
  });

  test('stops the signer now, and erases its private half', async () => {
    const { rotate, table } = bench([WAITS, SIGNER]);
    table.now = seconds(10);
    await rotate(true);
    const stopped = { ...SIGNER, state: 'retiring', stoppedSigningAt: seconds(10), privateJwe: null };
    const began = { ...WAITS, state: 'signing', beganSigningAt: seconds(10) };
    expect(table.commits.map(({ moves }) => moves)).toEqual([
      [
        { from: 'signing', after: stopped },
        { from: 'published', after: began },
      ],
    ]);
  });
});

describe('a revocation', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'of the signer starts the key that waits',
      'signer',
      [
        'signer revocationRequested: signing → retired revocation_requested',
        'waits signerStopped: published → signing',
      ],
    ],
    ['of a key that waits', 'waits', ['waits revocationRequested: published → retired revocation_requested']],
    ['of a retiring key', 'old', ['old revocationRequested: retiring → retired revocation_requested']],
  ])('%s retires it, and is reported once', async (_, kid, changes) => {
    const { revoke, table } = bench([WAITS, SIGNER, keyIn('retiring', 'old')]);
    table.now = seconds(10);
    expect(await revoke(kid)).toEqual(changes);
    const after = { retiredAt: seconds(10), retiredReason: 'revocation_requested', privateJwe: null };
    expect(table.commits[0]?.moves.find((move) => move.after.kid === kid)).toMatchObject({ after });
    expect(await revoke(kid)).toEqual([]);
    expect(table.commits).toHaveLength(1);
  });

  test('of an unknown key reports that, and changes nothing', async () => {
    const { revoke, table } = bench([SIGNER]);
    expect(await revoke('unknown')).toBeNull();
    expect(table.commits).toEqual([]);
  });
});

describe("a wrong machine's result is not committed:", () => {
  const facts = (fresh: NewSigningKey | null) => ({
    now: NOW,
    kid: 'signer',
    alg: 'ES256' as const,
    policy: { algorithms: ['ES256' as const], lifetimes: LIFETIMES },
    atOnce: false,
    fresh,
  });

  test.each([null, { kid: 'fresh', alg: 'ES256' as const, publicJwk: {}, privateJwe: 'sealed' }])(
    'a key that was not created (fresh: %o)',
    (fresh) => {
      const step = { before: [SIGNER], after: [WAITS, SIGNER], decisions: [], entries: [] };
      const commit = () => signingKeyLifecycle.commitOf(step, facts(fresh), []);
      expect(commit).toThrow(InvariantViolation);
      expect(commit).toThrow('an unknown key appeared in the table');
    },
  );

  test('a successor where none waits', () => {
    const send = () => signingKeyLifecycle.sends?.startSuccessor?.([SIGNER], facts(null), undefined);
    expect(send).toThrow('the signing key signer has no successor to start');
  });

  test('two signers, or none', () => {
    const broken = (after: readonly SigningKeyRow[]) =>
      signingKeyLifecycle.violation?.({ before: [SIGNER], after, decisions: [], entries: [] }, facts(null));
    expect(broken([SIGNER, { ...SIGNER, kid: 'other' }])).toBe('2 keys would sign with ES256');
    expect(broken([WAITS])).toBe('0 keys would sign with ES256');
    expect(broken([WAITS, SIGNER])).toBeNull();
  });
});

describe('another node', () => {
  test('that published a successor meanwhile has its key: that is hastened, and the fresh key is dropped', async () => {
    const { rotate, table } = bench([SIGNER], { between: () => [WAITS, SIGNER] });
    expect(await rotate(false)).toEqual(['signer rotationRequested: signing → signing']);
    expect(table.commits).toMatchObject([{ added: null, moves: [{ after: { kid: 'signer' } }] }]);
  });

  test('that was first has its key: the fresh key is dropped', async () => {
    const { tick, states } = bench([], { between: () => [SIGNER] });
    expect(await tick()).toEqual([]);
    expect(states()).toEqual(['ES256 signer signing']);
  });

  test('that handed over meanwhile is not undone: no step is due any longer', async () => {
    const theirs = [
      keyIn('signing', 'waits', { beganSigningAt: seconds(10_000) }),
      keyIn('retiring', 'signer', { stoppedSigningAt: seconds(10_000) }),
    ];
    const { tick, table } = bench([WAITS, SIGNER], { between: () => theirs });
    table.now = seconds(10_000);
    expect(await tick()).toEqual([]);
    expect(table.commits).toEqual([]);
  });
});

test('due steps are read once where none is due, and once more after each change', async () => {
  const idle = bench([WAITS, SIGNER]);
  await idle.tick();
  expect(idle.table.loads).toBe(1);
  const busy = bench([WAITS, SIGNER]);
  busy.table.now = seconds(10_000);
  await busy.tick();
  expect(busy.table.loads).toBe(2);
});

test('a key takes long to create: the table is read again afterwards', async () => {
  const { rotate, table } = bench([SIGNER]);
  await rotate(false);
  expect(table.loads).toBe(2);
});

test('a row whose instants contradict its state is not changed, and is named', async () => {
  const { tick, table } = bench([{ ...SIGNER, stoppedSigningAt: NOW }]);
  await expect(tick()).rejects.toThrow('signing key signer is stored as signing, but its instants say retiring');
  expect(table.commits).toEqual([]);
});

test('a key that cannot be created is reported, and no row changes', async () => {
  const { ports, table } = bench([SIGNER]);
  const createKey = async () => {
    throw new Error('no entropy');
  };
  await expect(requestRotation({ ...ports, createKey }, 'ES256', false, commandLine)).rejects.toThrow('no entropy');
  expect(table.commits).toEqual([]);
});

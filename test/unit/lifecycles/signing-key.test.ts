/** Commits about signing keys that the engine rejects, for any machine, store or policy. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { signingKeyMachine } from '../../../machines/signing-key/machine.ts';
import type { Effect } from '../../../machines/unions.ts';
import { decide as real } from '../../../src/engine/decide.ts';
import { InvariantViolation, StoreUnavailable } from '../../../src/engine/errors.ts';
import {
  passTime,
  requestRevocation,
  requestRotation,
  type SigningKeyPorts,
} from '../../../src/lifecycles/signing-key/lifecycle.ts';
import { commandLine } from '../../../src/model/actor.ts';
import type { NewSigningKey, SigningAlgorithm, SigningKeyRow } from '../../../src/model/signing-key.ts';
import { type KeyCommit, keyCommit } from './key-commit.ts';

vi.mock('../../../src/engine/decide.ts', async (original) => {
  const module = await original<typeof import('../../../src/engine/decide.ts')>();
  return { ...module, decide: vi.fn(module.decide) };
});
const decide = vi.mocked(real);

const NOW = new Date('2030-01-01T00:00:00Z');
const LIFETIMES = {
  publishedBeforeSigningSeconds: 1000,
  signingLifetimeSeconds: 10_000,
  successorLeadSeconds: 1060,
  retiringSeconds: 3910,
};

const keyIn = (state: 'published' | 'signing', kid: string): SigningKeyRow => ({
  kid,
  alg: 'ES256',
  state,
  createdAt: NOW,
  maySignAt: NOW,
  beganSigningAt: state === 'signing' ? NOW : null,
  rotationAskedAt: null,
  stoppedSigningAt: null,
  retiredAt: null,
  retiredReason: null,
  privateJwe: 'sealed',
});

function bench(keys: readonly SigningKeyRow[], answer: () => Promise<boolean> = async () => true) {
  const commits: KeyCommit[] = [];
  const deps: SigningKeyPorts = {
    store: {
      load: async () => ({ now: NOW, keys }),
      commit: async (commit) => {
        commits.push(keyCommit(commit));
        return answer();
      },
    },
    sleep: async () => {},
    createKey: async (alg: SigningAlgorithm): Promise<NewSigningKey> => ({
      kid: 'fresh',
      alg,
      publicJwk: {},
      privateJwe: 'sealed',
    }),
    policy: () => ({ algorithms: ['ES256'], lifetimes: LIFETIMES }),
  };
  return { deps, commits };
}

const SIGNER = keyIn('signing', 'signer');
const WAITS = keyIn('published', 'waits');

/** The machine's answer about the key that signs, as a wrong machine would give it. */
function wrongly(to: string, ...effects: readonly Effect[]) {
  const { id: machine } = signingKeyMachine;
  decide.mockImplementationOnce((_machine, from, _context, { type: event }) => ({
    machine,
    event,
    from,
    to,
    effects,
  }));
}

describe('a wrong machine', () => {
  beforeEach(() => void decide.mockClear());

  test.each<[string, readonly SigningKeyRow[], string, readonly Effect[]]>([
    ['stops a signer and starts no successor', [SIGNER, WAITS], 'retiring', [{ type: 'stopSigning' }]],
    [
      'starts a successor where none waits',
      [SIGNER],
      'retiring',
      [{ type: 'stopSigning' }, { type: 'startSuccessor' }],
    ],
    ['starts a successor beside the signer', [SIGNER, WAITS], 'signing', [{ type: 'startSuccessor' }]],
    ['says retiring and stops nothing', [SIGNER, WAITS], 'retiring', [{ type: 'startSuccessor' }]],
    ['says nothing and stops', [SIGNER, WAITS], 'signing', [{ type: 'stopSigning' }, { type: 'startSuccessor' }]],
  ])('that %s is not executed', async (_, keys, to, effects) => {
    const { deps, commits } = bench(keys);
    wrongly(to, ...effects);
    await expect(requestRotation(deps, 'ES256', false, commandLine)).rejects.toThrow(InvariantViolation);
    expect(commits).toEqual([]);
  });

  test('is distinguished from the right one', async () => {
    const { deps, commits } = bench([SIGNER, WAITS]);
    await requestRotation(deps, 'ES256', false, commandLine);
    expect(commits).toMatchObject([
      {
        now: NOW,
        moves: [
          { from: 'signing', after: { kid: 'signer', state: 'retiring' } },
          { from: 'published', after: { kid: 'waits', state: 'signing' } },
        ],
        added: null,
      },
    ]);
  });
});

describe('a store', () => {
  test('that rejects a commit is tried again, a bounded number of times', async () => {
    const { deps, commits } = bench([SIGNER], async () => false);
    await expect(requestRevocation(deps, 'signer', commandLine)).rejects.toMatchObject({
      reason: 'too_many_conflicts',
    });
    expect(commits.length).toBeGreaterThan(4);
  });

  test.each([
    [false, 'store_unavailable'],
    [true, 'commit_unknown'],
  ])('that is away (with the commit on its way: %s) is reported as such', async (maybeCommitted, reason) => {
    const { deps } = bench([SIGNER], async () => {
      throw new StoreUnavailable(maybeCommitted);
    });
    await expect(requestRotation(deps, 'ES256', true, commandLine)).rejects.toMatchObject({ reason });
  });

  test('in which the same step is always due is abandoned', async () => {
    const { deps } = bench([]);
    await expect(passTime(deps)).rejects.toMatchObject({ reason: 'too_many_conflicts' });
  });
});

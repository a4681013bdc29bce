import { expect, test } from 'vitest';
import { type AnyStateMachine, setup } from 'xstate';
import { reject, revokeGrant } from '../../../machines/shared/effects.ts';
import { decide } from '../../../src/engine/decide.ts';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { refreshTokenLifecycle, refreshTokenRequest } from '../../../src/lifecycles/refresh-token/lifecycle.ts';
import { NO_PROOF } from '../../../src/model/proof.ts';
import { effects } from '../../support/effects.ts';
import { CLIENT, chainGrant, NONCE } from './given.ts';
import { bench } from './presenting.ts';

type Arm = { readonly target?: string; readonly actions?: unknown };

/** A refresh token machine with one arm in each state; all arms but the tested ones only refuse. */
function machineWith(arms: Partial<Record<'active' | 'used' | 'revoked', Arm>>): AnyStateMachine {
  const refuse = { actions: reject('grant_revoked') };
  const state = (name: keyof typeof arms) => ({ on: { presented: arms[name] ?? refuse } });
  return setup({ actions: effects }).createMachine({
    id: 'wrong',
    initial: 'active',
    states: { active: state('active'), used: state('used'), revoked: state('revoked') },
  } as never) as unknown as AnyStateMachine;
}

/** Presents the head (generation 7), or a used token, to a machine of the test. */
async function presentTo(machine: AnyStateMachine, generation: bigint) {
  const row = chainGrant({ refreshGeneration: 7n });
  const { store, ask, policy, minted } = bench(row);
  const presented = {
    clientId: CLIENT.clientId,
    proof: NO_PROOF,
    clientProvesKey: false,
    scope: null,
    resources: null,
  };
  const request = refreshTokenRequest({ generation, nonce: NONCE }, presented, policy, new Uint8Array(16).fill(100));
  const wrong = { ...request, lifecycle: { ...refreshTokenLifecycle, machine } };
  const outcome = await ask(wrong).catch((error: unknown) => error);
  return { outcome, store, minted, row };
}

const HEAD = 7n;
const USED = 3n;

test('the harness accepts a right machine', async () => {
  const right = machineWith({
    active: { target: 'used', actions: ['rotate', 'issueTokens'] },
    used: { target: 'revoked', actions: [revokeGrant('refreshTokenReused'), reject('refresh_token_reused')] },
  });
  expect((await presentTo(right, HEAD)).outcome).toMatchObject({ kind: 'issued' });
  expect((await presentTo(right, USED)).outcome).toMatchObject({ kind: 'rejected', revoked: true });
});

test.each<[string, bigint, Partial<Record<'active' | 'used', Arm>>]>([
  ['issues and stays active', HEAD, { active: { actions: ['rotate', 'issueTokens'] } }],
  ['issues without moving the head', HEAD, { active: { target: 'used', actions: ['issueTokens'] } }],
  [
    'moves the head and issues nothing',
    HEAD,
    { active: { target: 'used', actions: ['rotate', reject('grant_revoked')] } },
  ],
  ['issues from used', USED, { used: { actions: ['rotate', 'issueTokens'] } }],
  ['answers the head again from active', HEAD, { active: { actions: ['repeatHead', 'issueTokens'] } }],
  ['answers the head again and revokes', USED, { used: { actions: ['repeatHead', reject('grant_revoked')] } }],
  [
    'answers the head again and moves it',
    HEAD,
    { active: { target: 'used', actions: ['rotate', 'repeatHead', 'issueTokens'] } },
  ],
  ['issues from used and keeps the head', USED, { used: { actions: ['issueTokens'] } }],
  ['leads from used back to active', USED, { used: { target: 'active', actions: [reject('grant_revoked')] } }],
  ['begins the chain again', USED, { used: { actions: ['beginChain', 'issueTokens'] } }],
  [
    'says revoked and revokes nothing',
    USED,
    { used: { target: 'revoked', actions: [reject('refresh_token_reused')] } },
  ],
  ['revokes and says used', USED, { used: { actions: [revokeGrant('refreshTokenReused'), reject('grant_revoked')] } }],
  [
    'revokes and issues',
    HEAD,
    { active: { target: 'revoked', actions: [revokeGrant('refreshTokenReused'), 'rotate', 'issueTokens'] } },
  ],
  ['says used and does nothing', HEAD, { active: { target: 'used', actions: [reject('grant_revoked')] } }],
  ['answers twice', HEAD, { active: { target: 'used', actions: ['rotate', 'issueTokens', reject('grant_revoked')] } }],
  ['issues twice', HEAD, { active: { target: 'used', actions: ['rotate', 'issueTokens', 'issueTokens'] } }],
  ['refuses twice', USED, { used: { actions: [reject('grant_revoked'), reject('client_mismatch')] } }],
  ['answers nothing', HEAD, { active: { target: 'used', actions: ['rotate'] } }],
  ['has an arm that does nothing', USED, { used: {} }],
])('a machine that %s is rejected: nothing signed, nothing committed', async (_, generation, arms) => {
  const { outcome, store, minted, row } = await presentTo(machineWith(arms), generation);
  expect(outcome).toBeInstanceOf(InvariantViolation);
  expect(String(outcome)).toMatch(/answers|effects make|without a new head/);
  expect(store.commits).toEqual([]);
  expect(store.row).toEqual(row);
  expect(minted).toEqual([]);
});

test('an event without an arm in the machine is a defect, not silence', () => {
  const machine = machineWith({});
  expect(() => decide(machine, 'active', {}, { type: 'unheardOf' })).toThrow(InvariantViolation);
});

test('a state outside the machine is a defect', () => {
  expect(() => decide(machineWith({}), 'expired', {}, { type: 'presented' })).toThrow();
});

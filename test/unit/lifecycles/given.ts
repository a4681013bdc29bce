/** Rows, a client and a policy for the engine's tests. */
import { type AnyStateMachine, createMachine } from 'xstate';
import type { Effect } from '../../../machines/unions.ts';
import type { Client } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import type { Lifetimes } from '../../../src/model/lifetimes.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';

export const NOW = new Date('2030-01-01T00:00:00.000Z');
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const REDIRECT_URI = 'https://client.example/callback';
export const NONCE = new Uint8Array(16).fill(1);
export const seconds = (count: number): Date => new Date(NOW.getTime() + count * 1000);

export const LIFETIMES: Lifetimes = {
  name: 'test',
  accessTokenLifetimeSeconds: 300,
  authorizationCodeLifetimeSeconds: 60,
  refreshIdleLifetimeSeconds: 1000,
  refreshAbsoluteLifetimeSeconds: 5000,
};

export const CLIENT: Client = {
  ...DEFAULT_METADATA,
  clientId: 'client',
  clientName: 'Client',
  tokenEndpointAuthMethod: 'none',
  secretMacs: [],
  redirectUris: [REDIRECT_URI],
  grantTypes: ['authorization_code', 'refresh_token'],
  policy: 'test',
  epoch: 0n,
  registeredBy: 'operator',
  deletedAt: null,
};

/** Approved just now; its code waits. */
export function codeGrant(change: Partial<Grant> = {}): Grant {
  return {
    id: '11111111-1111-4111-8111-111111111111',
    clientId: CLIENT.clientId,
    userId: '33333333-3333-4333-8333-333333333333',
    clientEpoch: 0n,
    userEpoch: 0n,
    serverEpoch: 0n,
    scope: ['read', 'write'],
    resources: ['https://api.example'],
    codeHash: new Uint8Array(32),
    dpopJkt: null,
    codeChallenge: CHALLENGE,
    redirectUri: REDIRECT_URI,
    identity: null,
    codeEndsAt: seconds(60),
    state: 'active',
    revokedReason: null,
    refreshGeneration: null,
    refreshNonce: null,
    createdAt: NOW,
    lastUsedAt: null,
    chainEndsAt: null,
    liveClientEpoch: 0n,
    liveUserEpoch: 0n,
    liveServerEpoch: 0n,
    ...change,
  };
}

/** Exchanged just now; its first refresh token is the head. */
export const chainGrant = (change: Partial<Grant> = {}): Grant =>
  codeGrant({ refreshGeneration: 0n, refreshNonce: NONCE, lastUsedAt: NOW, chainEndsAt: seconds(1000), ...change });

/** A machine with these states that answers one event in the first of them, as a wrong machine would. */
export const machineAnswering = (
  [first, ...others]: readonly [string, ...string[]],
  event: string,
  to: string,
  effects: readonly Effect[],
): AnyStateMachine =>
  createMachine({
    id: 'wrong',
    initial: first,
    states: {
      [first]: { on: { [event]: { ...(to !== first && { target: to }), actions: [...effects] } } },
      ...Object.fromEntries(others.map((state) => [state, {}])),
    },
  });

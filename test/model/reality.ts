/** The other side: the real server, one code, and every refresh token that it ever answered with, by number. */
import { expect } from 'vitest';
import type { TokenAnswer } from '../support/actors.ts';
import type { Code, Scene } from '../support/scene.ts';
import { grantIdOfCode, storedGrant } from '../support/stored.ts';
import type { Ledger } from './ledger.ts';

export type Reality = { readonly scene: Scene; readonly code: Code; readonly tokens: string[] };

export function expectIssued({ status, json }: TokenAnswer, { tokens }: Reality): void {
  expect(status).toBe(200);
  expect(json.access_token).toMatch(/^ey/);
  expect(tokens).not.toContain(json.refresh_token);
  tokens.push(json.refresh_token ?? '');
}

export function expectRefused({ status, json }: TokenAnswer): void {
  expect(status).toBe(400);
  expect(json.error).toBe('invalid_grant');
  expect(json).not.toHaveProperty('access_token');
  expect(json).not.toHaveProperty('refresh_token');
}

/**
 * After every command: the row has the head that the ledger has, and is revoked where the ledger says so. An epoch
 * ends a chain without a write to its row.
 */
export async function expectAgreement(ledger: Ledger, { scene, code }: Reality): Promise<void> {
  const grant = await storedGrant(scene.database.drizzle, grantIdOfCode(code.code));
  expect(grant.refreshGeneration).toBe(ledger.newest === null ? null : BigInt(ledger.newest));
  expect(grant.state).toBe(ledger.end === 'reuse' ? 'revoked' : 'active');
}

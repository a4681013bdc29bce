/** RFC 7009 §2.1: after a revocation, by any of its tokens and at any time, no token of the grant is accepted anywhere. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presentedAccessToken } from '../../src/protocol/presented-access-token.ts';
import { exchange, refresh } from '../support/actors.ts';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { introspect, revoke } from '../support/sent-token.ts';
import { grantIdOfCode, ledgerOf, storedGrant } from '../support/stored.ts';

/** How long the chain is, and which of its tokens is given back how much later: as long as an access token lives, for those. */
const revocations = fc
  .record({
    rotations: fc.integer({ min: 0, max: 5 }),
    which: fc.nat(),
    by: fc.constantFrom('refresh', 'access'),
    laterSeconds: fc.integer({ min: 0, max: 899 }),
    hint: fc.constantFrom({}, { token_type_hint: 'access_token' }, { token_type_hint: 'refresh_token' }),
  })
  .map(({ which, ...rest }) => ({ ...rest, which: which % (rest.rotations + 1) }));

describe('revocation ends every token of the grant', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  async function grantWith(rotations: number) {
    const code = await scene.code();
    const first = (await exchange(scene, scene.client, code)).json;
    const issued = [first];
    for (let n = 0; n < rotations; n++) {
      issued.push((await refresh(scene, scene.client, issued.at(-1)?.refresh_token ?? '')).json);
    }
    return {
      code,
      grantId: grantIdOfCode(code.code),
      refresh: issued.map((one) => one.refresh_token ?? ''),
      access: issued.map((one) => one.access_token ?? ''),
    };
  }
  const isActive = async (token: string) => (await introspect(scene, scene.client, token)).json['active'];

  it('by any of its tokens, at any time', async () => {
    await fc.assert(
      fc.asyncProperty(revocations, async ({ rotations, which, by, laterSeconds, hint }) => {
        const bystander = await grantWith(0);
        const grant = await grantWith(rotations);
        scene.clock.advanceSeconds(laterSeconds);
        expect(await isActive(grant.access.at(-1) ?? '')).toBe(true);
        expect(await isActive(grant.refresh.at(-1) ?? '')).toBe(true);

        const { status, json } = await revoke(scene, scene.client, grant[by][which] ?? '', hint);
        expect({ status, json }).toEqual({ status: 200, json: {} });

        for (const token of [...grant.refresh, ...grant.access]) {
          expect((await introspect(scene, scene.client, token)).json).toEqual({ active: false });
        }
        for (const token of grant.access) {
          expect(await presentedAccessToken(scene.deps, token)).toEqual({ kind: 'inactive', reason: 'grant_revoked' });
        }
        for (const token of grant.refresh) {
          expect((await refresh(scene, scene.client, token)).json.error).toBe('invalid_grant');
        }
        expect((await exchange(scene, scene.client, grant.code)).json.error).toBe('invalid_grant');
        // The first reason stays, whatever is presented afterwards.
        expect(await storedGrant(scene.database.drizzle, grant.grantId)).toMatchObject({
          state: 'revoked',
          revokedReason: 'revocation_requested',
        });
        const ledger = await ledgerOf(scene.database.drizzle, grant.grantId);
        expect(ledger.filter((line) => line.includes('→ revoked'))).toEqual([
          'grant: active → revoked (revocation_requested)',
        ]);

        for (const token of [...bystander.refresh, ...bystander.access]) expect(await isActive(token)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('but not by a request of another client', async () => {
    await fc.assert(
      fc.asyncProperty(revocations, async ({ rotations, which, by, hint }) => {
        const grant = await grantWith(rotations);
        expect((await revoke(scene, scene.other, grant[by][which] ?? '', hint)).status).toBe(200);
        expect(await isActive(grant.access.at(-1) ?? '')).toBe(true);
        expect((await refresh(scene, scene.client, grant.refresh.at(-1) ?? '')).status).toBe(200);
      }),
      { numRuns: 20 },
    );
  });
});

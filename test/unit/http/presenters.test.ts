/** The presenter of a code or a refresh token that was used before: in the ledger, in the log, in the event, in the explanation. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transitions } from '../../../src/storage/schema.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const AGENT = 'stolen-token-client/1.0';

describe('the request that presents a used credential', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  const present = (fields: Readonly<Record<string, string>>, from: { address: string; agent?: string }) =>
    scene.app.inject({
      method: 'POST',
      url: '/oauth/token',
      remoteAddress: from.address,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${scene.client.clientId}:${scene.client.secret}`).toString('base64')}`,
        'user-agent': from.agent ?? AGENT,
      },
      payload: new URLSearchParams(fields).toString(),
    });
  const refresh = (token: string, address: string, agent?: string) =>
    present(
      { grant_type: 'refresh_token', refresh_token: token },
      agent === undefined ? { address } : { address, agent },
    );
  const lineOfReuse = () =>
    scene
      .logs()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .findLast(({ alarm }) => alarm === true);
  const entriesOf = (grantId: string) =>
    scene.database.drizzle
      .select({
        machine: transitions.machine,
        to: transitions.toState,
        address: transitions.address,
        userAgent: transitions.userAgent,
      })
      .from(transitions)
      .where(eq(transitions.grantId, grantId));

  it('is named by the entries of the reuse and by the log line; rotations name none', async () => {
    const token = await scene.chain();
    expect((await refresh(token, '198.51.100.1')).statusCode).toBe(200);
    expect((await refresh(token, '198.51.100.66')).statusCode).toBe(400);
    const line = lineOfReuse();
    expect(line).toMatchObject({ reason: 'refresh_token_reused', address: '198.51.100.66', userAgent: AGENT });
    const entries = await entriesOf(line.grantId);
    const from = { address: '198.51.100.66', userAgent: AGENT };
    expect(entries.filter(({ to }) => to === 'revoked')).toEqual([
      expect.objectContaining({ machine: 'refreshToken', ...from }),
      expect.objectContaining({ machine: 'grant', ...from }),
    ]);
    const rotations = entries.filter(({ machine, to }) => machine === 'refreshToken' && to === 'used');
    expect(rotations).toEqual([{ machine: 'refreshToken', to: 'used', address: null, userAgent: null }]);
  });

  it('is named where a code is repeated', async () => {
    const { code, verifier } = await scene.code();
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
    expect((await present(fields, { address: '198.51.100.1' })).statusCode).toBe(200);
    expect((await present(fields, { address: '2001:db8::66' })).statusCode).toBe(400);
    const line = lineOfReuse();
    expect(line).toMatchObject({ reason: 'authorization_code_reused', address: '2001:db8::66', userAgent: AGENT });
    const revoked = (await entriesOf(line.grantId)).filter(({ to }) => to === 'revoked');
    expect(revoked.map(({ address, userAgent }) => [address, userAgent])).toEqual(
      Array(2).fill(['2001:db8::66', AGENT]),
    );
  });

  it('records no more of its User-Agent than 256 printable characters', async () => {
    const token = await scene.chain();
    await refresh(token, '198.51.100.1');
    await refresh(token, '198.51.100.66', `\u00e4\t${'x'.repeat(9_000)}`);
    expect(lineOfReuse().userAgent).toBe(`??${'x'.repeat(254)}`);
  });
});

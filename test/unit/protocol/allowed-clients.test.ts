/** The page of permissions: clients with active access, since when, and until when. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { allowedClients, type StoredPermissions } from '../../../src/protocol/allowed-clients.ts';
import { API, at, BANK, client, configuration, grant } from './ports.ts';

const onlyCode = { grantTypes: ['authorization_code'] };
const permissions = (
  seconds: number,
  grants: readonly Grant[],
  clients: readonly Client[] = [client()],
  consents: StoredPermissions['consents'] = [],
) =>
  allowedClients(configuration(), {
    now: new Date(at(0).getTime() + seconds * 1000),
    grants,
    consents,
    clients: new Map(clients.map((one) => [one.clientId, one])),
  });
const used = (change: Partial<Grant> = {}) =>
  grant({ refreshGeneration: 1n, lastUsedAt: at(100), chainEndsAt: at(3700), ...change });

describe('the access of a client', () => {
  it.each<[string, Grant, Partial<Client>, number]>([
    ['a code that is not exchanged, until its end', grant(), {}, 60],
    ['a chain, until it idles out', used(), {}, 3700],
    ['a chain that was never used, from the approval on', used({ lastUsedAt: null, chainEndsAt: null }), {}, 3600],
    ['a chain, until its last day', used({ lastUsedAt: at(7000), chainEndsAt: at(7200) }), {}, 7200],
    ['an access token, where none can be refreshed', used(), onlyCode, 700],
    ['an access token of the exchange itself', used({ lastUsedAt: null }), onlyCode, 600],
  ])('is shown for %s', (_, given, registered, seconds) => {
    const shown = (now: number) => permissions(now, [given], [client(registered)]).length;
    expect([shown(seconds - 0.001), shown(seconds)]).toEqual([1, 0]);
  });

  it.each<[string, Partial<Grant>]>([
    ['was revoked', { state: 'revoked', revokedReason: 'x' }],
    ['ended with its client', { liveClientEpoch: 2n }],
    ['ended with its end-user', { liveUserEpoch: null }],
    ['ended with all grants', { liveServerEpoch: 2n }],
  ])('is not shown where it %s', (_, change) => {
    expect(permissions(10, [used(change)])).toEqual([]);
  });

  it('is shown while the policy is missing: it may come back', () => {
    expect(permissions(1e6, [used()], [client({ policy: 'gone' })])).toMatchObject([{ holds: 'nowOnly' }]);
  });

  it('shows what the client holds, its start, and its last use', () => {
    const first = used({ createdAt: at(20), lastUsedAt: at(50) });
    const second = used({ id: 'second', createdAt: at(10), lastUsedAt: at(30), scope: ['pay'], resources: [BANK] });
    const never = grant({ id: 'third', createdAt: at(40), codeEndsAt: at(100) });
    expect(permissions(60, [never, first, second])).toEqual([
      {
        clientId: 'shop',
        clientName: 'Shop',
        since: at(10),
        lastUsedAt: at(50),
        asksAgainFrom: null,
        holds: 'whileAway',
        chains: [
          { grantId: 'third', since: at(40), lastUsedAt: null, sid: never.identity?.sid ?? null },
          { grantId: first.id, since: at(20), lastUsedAt: at(50), sid: first.identity?.sid ?? null },
          { grantId: 'second', since: at(10), lastUsedAt: at(30), sid: second.identity?.sid ?? null },
        ],
        access: [
          { resource: 'API', scopes: [{ name: 'read', description: 'see your data' }] },
          { resource: 'Bank', scopes: [{ name: 'pay', description: 'pay there' }] },
        ],
      },
    ]);
    expect(permissions(60, [used()], [client(onlyCode)])).toMatchObject([{ holds: 'nowOnly' }]);
    expect(permissions(60, [never])).toMatchObject([{ lastUsedAt: null }]);
  });

  it('shows the newest of many uses, and the end of the longest grant', () => {
    const uses = [30, 40, 50].map((seconds) => used({ id: `${seconds}`, lastUsedAt: at(seconds) }));
    expect(permissions(60, uses)).toMatchObject([{ lastUsedAt: at(50) }]);
    const offline = used({ scope: ['read', 'offline_access'] });
    expect(permissions(60, [used(), offline], [client({ policy: 'absent' })])).toMatchObject([{ holds: 'whileAway' }]);
  });

  it('shows once what several grants allow', () => {
    const both = used({ scope: ['read', 'write'], resources: [API, BANK] });
    expect(permissions(60, [used(), both])[0]?.access).toEqual([
      {
        resource: 'API',
        scopes: [
          { name: 'read', description: 'see your data' },
          { name: 'write', description: 'write there' },
        ],
      },
      { resource: 'Bank', scopes: [{ name: 'read', description: 'see your account' }] },
    ]);
  });

  it('includes remembered consents of clients without a grant, and lists the newest first', () => {
    const consent = (clientId: string, seconds: number) => ({
      clientId,
      scope: ['read'],
      resources: [API],
      grantedAt: at(seconds),
    });
    const clients = ['shop', 'second', 'third', 'none'].map((clientId) => client({ clientId }));
    const shown = permissions(60, [grant({ createdAt: at(5), codeEndsAt: at(65) })], clients, [
      consent('shop', 1),
      consent('second', 9),
      consent('third', 3),
    ]);
    expect(shown.map(({ clientId, since, holds }) => [clientId, since, holds])).toEqual([
      ['second', at(9), 'nothing'],
      ['shop', at(1), 'whileAway'],
      ['third', at(3), 'nothing'],
    ]);
  });
});

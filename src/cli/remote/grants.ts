/** Grants, through the management API. */
import { noSuch } from '../failure.ts';
import { itemsUpTo } from '../pages.ts';
import type { GrantShown, Grants } from '../ports.ts';
import type { Document, ManagementApi } from './api.ts';
import { pagesOf, subOf } from './lists.ts';
import { orNull } from './refusals.ts';

export function remoteGrants(api: ManagementApi): Grants {
  const find = async (grantId: string): Promise<Document> => {
    const answered = await orNull(api.send('GET', ['grants', grantId]));
    if (answered === null) throw noSuch('grant', grantId);
    return answered.document;
  };
  return {
    list: async ({ client, user, state, from, to }, limit) => {
      if (client !== undefined && (await orNull(api.send('GET', ['clients', client]))) === null) {
        throw noSuch('client', client);
      }
      const query = {
        ...(client !== undefined && { client_id: client }),
        ...(user !== undefined && { sub: await subOf(api, user) }),
        ...(state && { state }),
        ...(from && { from: from.toISOString() }),
        ...(to && { to: to.toISOString() }),
      };
      const { items, more } = await itemsUpTo(limit, pagesOf(api, ['grants'], query));
      return { items: items.map(shown), more };
    },
    revoke: async (grantId) => {
      const before = await find(grantId);
      await api.send('DELETE', ['grants', grantId]);
      const hasEnded = before.reason === null && (await find(grantId)).reason !== null;
      return { hasEnded, clientId: before.client_id, username: before.username };
    },
  };
}

const instant = (at: string | null): Date | null => (at === null ? null : new Date(at));

const shown = (document: Document): GrantShown => ({
  grantId: document.grant_id,
  clientId: document.client_id,
  clientName: document.client_name,
  sub: document.sub,
  username: document.username,
  scope: document.scope,
  resources: document.resources,
  createdAt: new Date(document.created_at),
  lastUsedAt: instant(document.last_used_at),
  life:
    document.state === 'alive'
      ? { kind: 'alive', until: new Date(document.life.alive_until), end: document.life.would_end_by }
      : { kind: 'over', reason: document.life.reason, since: instant(document.life.over_since) },
});

/** Grants, on the database itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '../../boot/runtime.ts';
import { rowMacs } from '../../crypto/row-mac.ts';
import { lifeOf } from '../../explanation/explanation.ts';
import { endGrantByAdministrator } from '../../lifecycles/grant.ts';
import { commandLine } from '../../model/actor.ts';
import { authenticClients } from '../../storage/authentic-clients.ts';
import { findListedClient } from '../../storage/client-list.ts';
import { findListedGrant, type LifetimesOf, type ListedGrant, listGrantPage } from '../../storage/grant-list.ts';
import { grantStore } from '../../storage/grant-store.ts';
import type { InstantPosition, PageRequest } from '../../storage/page.ts';
import { databaseClock } from '../../system/clock.ts';
import { noSuch } from '../failure.ts';
import { itemsUpTo } from '../pages.ts';
import type { GrantShown, Grants } from '../ports.ts';
import { lifetimesToday, userIdOf } from './todays.ts';

export function directGrants({ database, configuration, keys }: Runtime): Grants {
  const macs = rowMacs(keys);
  const db = database.drizzle;
  const lifetimesOf = lifetimesToday(configuration);
  return {
    list: async ({ client: clientId, user, state, from, to }, limit) => {
      if (clientId !== undefined && (await findListedClient(db, macs, clientId)) === null)
        throw noSuch('client', clientId);
      const userId = user === undefined ? undefined : await userIdOf(db, user);
      const filter = { clientId, userId, state, createdFrom: from, createdTo: to };
      const { items, more } = await itemsUpTo(limit, (page: PageRequest<InstantPosition>) =>
        listGrantPage(db, databaseClock, lifetimesOf, filter, page),
      );
      return { items: items.map((item) => shown(item, lifetimesOf)), more };
    },
    revoke: async (grantId) => {
      const found = await findListedGrant(db, databaseClock, lifetimesOf, grantId);
      if (found === null) throw noSuch('grant', grantId);
      const world = { store: grantStore(db, databaseClock, authenticClients(macs)), sleep };
      const hasEnded = await endGrantByAdministrator(world, found, commandLine);
      return { hasEnded, clientId: found.grant.clientId, username: found.username };
    },
  };
}

const shown = (
  { grant, clientName, username, policyToday, now }: ListedGrant,
  lifetimesOf: LifetimesOf,
): GrantShown => ({
  grantId: grant.id,
  clientId: grant.clientId,
  clientName,
  sub: grant.userId,
  username,
  scope: grant.scope.join(' '),
  resources: grant.resources,
  createdAt: grant.createdAt,
  lastUsedAt: grant.lastUsedAt,
  life: lifeOf(grant, lifetimesOf({ clientId: grant.clientId, policy: policyToday }), now),
});

import { disableUser as disable, enableUser } from '../../support/administration.ts';
import { always, command } from '../command.ts';

/** The person is disabled and enabled again: the chain stays dead. */
export const disableUser = command('disable the person, and enable them', always, async (ledger, { scene }) => {
  await disable(scene.database.drizzle, scene.user.username);
  await enableUser(scene.database.drizzle, scene.user.username);
  ledger.end ??= 'epoch';
});

import { deleteClient, saveClient } from '../../support/administration.ts';
import { always, command } from '../command.ts';

/** The client is deleted, and registered again under the same id and secret: the chain stays dead. */
export const deleteAndRegisterClient = command(
  'delete the client, and register it',
  always,
  async (ledger, { scene }) => {
    const { secret: _, ...registration } = scene.client;
    await deleteClient(scene.database.drizzle, registration.clientId);
    await saveClient(scene.database.drizzle, registration);
    ledger.end ??= 'epoch';
  },
);

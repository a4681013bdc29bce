/** What changes of clients and end-users need of the database that a command has opened. */
import type { Runtime } from '../../boot/runtime.ts';
import { CLIENTS_FILE, type Configuration } from '../../config/configuration.ts';
import { rowMacs } from '../../crypto/row-mac.ts';
import { commandLine } from '../../model/actor.ts';
import { declaredElsewhere } from '../failure.ts';

export const registrationDeps = ({ database, keys, random }: Runtime) => ({
  db: database.drizzle,
  actor: commandLine,
  keys,
  macs: rowMacs(keys),
  random,
});

/** A declared client is changed in configuration: the next start would undo any other change. @throws CommandRefused */
export function refuseDeclared({ configuration }: Runtime, clientId: string): void {
  if (isDeclared(configuration, clientId)) throw declaredElsewhere(clientId, CLIENTS_FILE);
}

export const isDeclared = ({ declaredClients }: Configuration, clientId: string): boolean =>
  declaredClients.some(({ record }) => record.client_id === clientId);

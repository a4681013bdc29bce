/** A side of a backtest: a configuration, and the clients as they are under it. */
import type { Configuration } from '../config/configuration.ts';
import type { MachineOf } from '../engine/step.ts';
import type { Client } from '../model/client.ts';
import { fromNames } from '../registration/client-metadata.ts';

export type Side = {
  readonly configuration: Configuration;
  /** Absent: the machines of this installation decide. */
  readonly machineOf?: MachineOf;
};

/** A client under a configuration. `isRemoved`: clients.yaml declares it no longer, so its grants end. */
export type ClientHere = { readonly client: Client; readonly isRemoved: boolean };

/**
 * The client under this configuration: as clients.yaml declares it, else as it is stored.
 * @param other the configuration of the other side: a client that it declares, and this one does not, is removed here.
 */
export function clientsUnder({ configuration }: Side, other: Side): (stored: Client) => ClientHere {
  const declared = metadataOf(configuration);
  const elsewhere = metadataOf(other.configuration);
  return (stored) => {
    const metadata = declared.get(stored.clientId);
    return {
      client: metadata ? { ...stored, ...metadata } : stored,
      isRemoved: !metadata && configuration.hasClientsFile && elsewhere.has(stored.clientId),
    };
  };
}

/** The fields on which a token request depends. */
type Declared = Pick<Client, 'policy' | 'scope' | 'grantTypes' | 'tokenEndpointAuthMethod'>;

const metadataOf = ({ declaredClients }: Configuration): ReadonlyMap<string, Declared> =>
  new Map(
    declaredClients.map(({ record }) => {
      const { policy, scope, grantTypes, tokenEndpointAuthMethod } = fromNames(record);
      return [record.client_id, { policy, scope, grantTypes, tokenEndpointAuthMethod }];
    }),
  );

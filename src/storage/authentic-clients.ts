/**
 * The trusted part of a client's row. A row that the server did not write has no rights: no redirect URI, no grant type, no scope, and
 * a secret that none matches. Administrators see it like that, too, and a registration replaces it as a whole.
 */
import type { RowMacs } from '../crypto/row-mac.ts';
import { clientFacts, tokenClientFacts } from '../lifecycles/client/table.ts';
import type { RegisteredClient, TokenClient } from '../model/client.ts';
import type { clients } from './schema.ts';

export type ClientRow = typeof clients.$inferSelect;
export type TokenClientRow = TokenClient & Pick<ClientRow, 'tokenMac' | 'macVersion'>;

/** Clients that the configuration describes: of their rows, only the epoch and the deletion count. */
export type ConfiguredClients = (clientId: string) => ConfiguredClient | null;
export type ConfiguredClient = Omit<RegisteredClient, 'epoch' | 'deletedAt'>;

export type AuthenticClients = {
  readonly whole: <Row extends ClientRow>(row: Row) => Row;
  /** The columns that a token request loads. */
  readonly forToken: <Row extends TokenClientRow>(row: Row) => Row;
};

export const authenticClients = (macs: RowMacs, configured: ConfiguredClients = () => null): AuthenticClients => {
  const relied = <Row extends { readonly clientId: string }>(row: Row, isRight: boolean): Row => {
    const known = configured(row.clientId);
    if (known !== null) return { ...row, ...known };
    return isRight ? row : { ...row, ...WITHOUT_RIGHTS };
  };
  return {
    whole: (row) => relied(row, isAuthenticClient(macs, row)),
    forToken: (row) => relied(row, macs.isRight(...tokenClientFacts(row), row.tokenMac)),
  };
};

export const isAuthenticClient = (macs: RowMacs, row: ClientRow): boolean => macs.isRight(...clientFacts(row), row.mac);

const WITHOUT_RIGHTS = {
  tokenEndpointAuthMethod: 'client_secret_basic',
  // No root secret has this id.
  secretMacs: [{ keyId: 'none', mac: '' }],
  jwks: null,
  jwksUri: null,
  redirectUris: [],
  postLogoutRedirectUris: [],
  grantTypes: [],
  scope: [],
} satisfies Partial<RegisteredClient>;

/** A token request reads less of a row than the whole, so it has a MAC of its own for that. */
export const macsOfClient = (macs: RowMacs, row: Omit<ClientRow, 'mac' | 'tokenMac' | 'createdAt'>) => ({
  mac: macs.macOf(...clientFacts(row)),
  tokenMac: macs.macOf(...tokenClientFacts(row)),
});

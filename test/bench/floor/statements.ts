/**
 * The floor's statements: one round trip each where all is well. What is compared in SQL are keyed MACs and hashes of
 * random secrets, so that the time of a comparison tells nothing about the secret.
 */
import postgres from 'postgres';
import { REFRESH_ABSOLUTE_SECONDS, REFRESH_IDLE_SECONDS } from '../setting.ts';
import type { Place } from './tokens.ts';

export type Client = { readonly clientId: string; readonly secretMac: Buffer };
export type Granted = { readonly user_id: string; readonly scope: string; readonly resource: string };

export function statements(databaseUrl: string) {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  return {
    findClient: async (clientId: string) => {
      const [row] = await sql<{ secret_mac: Buffer; scope: string; resource: string }[]>`
        select secret_mac, scope, resource from clients where client_id = ${clientId}`;
      return row ?? null;
    },

    exchange: async (
      client: Client,
      code: { grantId: string; secretHash: Buffer; challenge: string; redirectUri: string; nonce: Buffer },
    ): Promise<Granted | null> => {
      const [row] = await sql<[Granted]>`
        update grants g set generation = 0, nonce = ${code.nonce},
          chain_ends_at = now() + make_interval(secs => ${REFRESH_IDLE_SECONDS})
        from clients c
        where g.id = ${code.grantId} and c.client_id = g.client_id
          and c.client_id = ${client.clientId} and c.secret_mac = ${client.secretMac}
          and g.code_hash = ${code.secretHash} and g.code_challenge = ${code.challenge}
          and g.redirect_uri = ${code.redirectUri} and g.code_ends_at > now()
          and g.generation is null and g.revoked_at is null
        returning g.user_id, g.scope, g.resource`;
      return row ?? null;
    },

    rotate: async (client: Client, token: Place, nonce: Buffer): Promise<Granted | null> => {
      const [row] = await sql<[Granted]>`
        update grants g set generation = g.generation + 1, nonce = ${nonce},
          chain_ends_at = least(now() + make_interval(secs => ${REFRESH_IDLE_SECONDS}),
            g.created_at + make_interval(secs => ${REFRESH_ABSOLUTE_SECONDS}))
        from clients c
        where g.id = ${token.grantId} and c.client_id = g.client_id
          and c.client_id = ${client.clientId} and c.secret_mac = ${client.secretMac}
          and g.generation = ${token.generation} and g.nonce = ${token.nonce}
          and g.chain_ends_at > now() and g.revoked_at is null
        returning g.user_id, g.scope, g.resource`;
      return row ?? null;
    },

    /** Of a refresh token that is behind its head. */
    endReusedChain: async (client: Client, token: Place): Promise<boolean> => {
      const rows = await sql`
        update grants g set revoked_at = now()
        from clients c
        where g.id = ${token.grantId} and c.client_id = g.client_id
          and c.client_id = ${client.clientId} and c.secret_mac = ${client.secretMac}
          and (g.generation, g.nonce) <> (${token.generation}, ${token.nonce}) and g.revoked_at is null
        returning 1`;
      return rows.length > 0;
    },

    /** Of a code that was exchanged, presented again with all that is right. */
    endReplayedCode: async (
      client: Client,
      code: { grantId: string; secretHash: Buffer; challenge: string; redirectUri: string },
    ): Promise<boolean> => {
      const rows = await sql`
        update grants g set revoked_at = now()
        from clients c
        where g.id = ${code.grantId} and c.client_id = g.client_id
          and c.client_id = ${client.clientId} and c.secret_mac = ${client.secretMac}
          and g.code_hash = ${code.secretHash} and g.code_challenge = ${code.challenge}
          and g.redirect_uri = ${code.redirectUri} and g.generation is not null and g.revoked_at is null
        returning 1`;
      return rows.length > 0;
    },
  };
}

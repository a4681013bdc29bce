/**
 * The floor's statements: one round trip each where all is well. SQL compares keyed MACs and hashes of
 * random secrets, so that the time of a comparison reveals nothing about the secret.
 */
import postgres from 'postgres';
import { CODE_SECONDS, REFRESH_ABSOLUTE_SECONDS, REFRESH_IDLE_SECONDS } from '../setting.ts';
import type { Place } from './tokens.ts';

export type Client = { readonly clientId: string; readonly secretMac: Buffer };
export type Granted = { readonly user_id: string; readonly scope: string; readonly resource: string };

export type Statements = ReturnType<typeof statements>;

export function statements(databaseUrl: string) {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  return {
    findClient: async (clientId: string) => {
      const [row] = await sql<{ secret_mac: Buffer; scope: string[]; resource: string; redirect_uris: string[] }[]>`
        select secret_mac, scope, resource, redirect_uris from clients where client_id = ${clientId}`;
      return row ?? null;
    },

    /** The browser's session, the client with its redirect URI, and the consent lead to the code. @returns false: one is missing. */
    authorize: async (request: {
      grantId: string;
      codeHash: Buffer;
      cookieHash: Buffer;
      clientId: string;
      redirectUri: string;
      scope: readonly string[];
      challenge: string;
    }): Promise<boolean> => {
      const rows = await sql`
        insert into grants (id, client_id, user_id, scope, resource, code_hash, code_challenge, redirect_uri, code_ends_at)
        select ${request.grantId}::uuid, c.client_id, s.user_id, ${request.scope.join(' ')}, c.resource,
          ${request.codeHash}::bytea, ${request.challenge}, ${request.redirectUri},
          now() + make_interval(secs => ${CODE_SECONDS})
        from sessions s
        join clients c on c.client_id = ${request.clientId} and ${request.redirectUri} = any (c.redirect_uris)
        join consents a on a.user_id = s.user_id and a.client_id = c.client_id and a.scope @> ${[...request.scope]}
        where s.cookie_hash = ${request.cookieHash} and s.ends_at > now()
        returning 1`;
      return rows.length > 0;
    },

    /** Null: no such client. `active` false: the grant has ended, or is another client's. */
    findClientAndGrant: async (clientId: string, grantId: string | null) => {
      const [row] = await sql<{ secret_mac: Buffer; active: boolean }[]>`
        select c.secret_mac, g.id is not null and g.revoked_at is null as active
        from clients c left join grants g on g.id = ${grantId} and g.client_id = c.client_id
        where c.client_id = ${clientId}`;
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

    /** @returns false: the proof came before. */
    useProof: async (jti: string): Promise<boolean> => {
      const rows = await sql`
        insert into proofs values (${jti}, now() + interval '2 minutes') on conflict do nothing returning 1`;
      return rows.length > 0;
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

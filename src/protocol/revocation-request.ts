/**
 * The revocation request (RFC 7009): authenticate the client → find the token → revoke its grant, or the token alone.
 */
import { revokeGrant } from '../lifecycles/grant/lifecycle.ts';
import type { Grant } from '../model/grant.ts';
import type { ClientSender } from './client-authentication.ts';
import { findToken, type RefusedToken, readSentToken, type SentToken, type SentTokenDeps } from './sent-token.ts';

export type RevocationOutcome =
  | RefusedToken
  | {
      readonly kind: 'done';
      /** For the log: the kind of token that ended, or the reason why none did. The client receives neither. */
      readonly facts: {
        readonly clientId: string;
        readonly grantId?: string;
        readonly ended: 'grant' | 'access_token' | 'nothing';
        readonly reason?: string;
      };
    };

/** Repeating the request is always safe. @throws Unavailable, StoreUnavailable */
export async function handleRevocationRequest(
  deps: SentTokenDeps,
  sender: ClientSender,
  body: string,
): Promise<RevocationOutcome> {
  const sent = await readSentToken(deps, sender, body);
  if (sent.kind === 'refused') return sent;
  const facts = await end(deps, sent);
  return { kind: 'done', facts: { clientId: sent.client.clientId, ...facts } };
}

type Ended = Omit<Extract<RevocationOutcome, { kind: 'done' }>['facts'], 'clientId'>;

/**
 * RFC 7009 §2.2: the server answers 200 "if the token has been revoked successfully or if the client submitted an
 * invalid token". Expired and revoked tokens are invalid tokens.
 *
 * The server does not revoke another client's token. §2.1 asks for an error, but an error would show the holder of a
 * stolen token that it is still active. The response is the same as for an unknown token.
 */
async function end(deps: SentTokenDeps, sent: SentToken): Promise<Ended> {
  const { client } = sent;
  const token = await findToken(deps, sent);
  switch (token.kind) {
    case 'nothing':
      return { ended: 'nothing', reason: token.reason };
    case 'refresh_token':
      return endGrant(deps, token);
    case 'access_token': {
      if (token.claims.client_id !== client.clientId) return { ended: 'nothing', reason: 'client_mismatch' };
      if (token.grant) return endGrant(deps, { now: token.now, grant: token.grant });
      const { jti, exp } = token.claims;
      await deps.deniedAccessTokens.deny({ jti, clientId: client.clientId, endsAt: new Date(exp * 1000) });
      return { ended: 'access_token' };
    }
  }
}

/**
 * §2.1: a revoked refresh token SHOULD end all access tokens of its grant, and a revoked access token MAY end the
 * refresh token. Here both always do: a client that returns a token no longer needs the grant.
 */
async function endGrant(
  deps: SentTokenDeps,
  { now, grant }: { readonly now: Date; readonly grant: Grant },
): Promise<Ended> {
  const hasEnded = await revokeGrant(deps, { now, grant });
  return hasEnded
    ? { grantId: grant.id, ended: 'grant' }
    : { grantId: grant.id, ended: 'nothing', reason: 'grant_revoked' };
}

/** The revocation request (RFC 7009): authenticate the client → find the token → end what it stands for. */
import { revokeGrant } from '../lifecycles/grant/lifecycle.ts';
import type { Grant } from '../model/grant.ts';
import type { ClientSender } from './client-authentication.ts';
import { findToken, type RefusedToken, readSentToken, type SentToken, type SentTokenDeps } from './sent-token.ts';

export type RevocationOutcome =
  | RefusedToken
  | {
      readonly kind: 'done';
      /** For the log: what ended now, or why nothing did. The client sees neither. */
      readonly facts: {
        readonly clientId: string;
        readonly grantId?: string;
        readonly ended: 'grant' | 'access_token' | 'nothing';
        readonly reason?: string;
      };
    };

/** @throws Unavailable, StoreUnavailable: asking again is always safe. */
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
 * RFC 7009 §2.2: the server answers 200 "if the token has been revoked successfully or if the client submitted an invalid
 * token". Expired and revoked tokens are invalid tokens.
 *
 * Another client's token is left alone. §2.1 asks for an error, but then the holder of a stolen token could find out whether
 * it still lives; so the response is the same as for an unknown token.
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
 * §2.1: with a refresh token SHOULD go all access tokens of the same grant, and with an access token MAY go the refresh token.
 * Here they always do: a client that gives a token back no longer needs what the end-user allowed.
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

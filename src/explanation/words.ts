/** The sentences of an explanation, for support staff: the place of a credential, and the events of a life. No token is shown. */

import type { LedgerLine } from '../storage/grant-life.ts';
import type { CredentialPlace } from './explanation.ts';

const instant = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** @param isAlive whether the chain is active. */
export function placeWords(place: CredentialPlace, isAlive: boolean): string {
  switch (place.kind) {
    case 'current':
      return isAlive
        ? 'a refresh token, the head of its chain: the one to use next'
        : 'a refresh token, the last one of its chain';
    case 'used': {
      const moved = `used: ${place.behind} ${place.behind === 1n ? 'rotation' : 'rotations'} ago`;
      const unless = place.mayRetry ? ', unless its holder proves the key' : '';
      return `a refresh token, ${moved}${isAlive ? `. Presenting it again ends the chain${unless}` : ''}`;
    }
    case 'ahead':
      return 'a refresh token, authentic and newer than anything stored: the database has lost commits. Run "statehouse recover"';
    case 'code_unused':
      return 'its code, never exchanged';
    case 'code_used':
      return `its code, used${isAlive ? '. Presenting it again with its verifier ends the chain' : ''}`;
    case 'not_the_code':
      return 'a code that names this grant but is not its code: guessed or garbled. It changes nothing';
    case 'access_token':
      return place.expired
        ? `an access token, expired ${instant(place.expiresAt)}`
        : `an access token, good until ${instant(place.expiresAt)}${isAlive ? '' : ' at APIs that do not ask the server'}`;
    case 'unknown':
      return 'its place in the chain is no longer known';
  }
}

const OWN_WORDS = {
  expired: 'It expired',
  client_ended: 'Its client was deleted; APIs that do not ask the server may accept it until',
  revoked: 'Its client revoked it; APIs that do not ask the server may accept it until',
  good: 'It is good until',
} as const;

/** Of an access token that a client got for itself. */
export const ownTokenWords = (clientId: string, state: keyof typeof OWN_WORDS, expiresAt: Date): string =>
  `An access token of client ${clientId} itself (client credentials): no end-user, no chain. ${OWN_WORDS[state]} ${instant(expiresAt)}.`;

export function eventWords({ machine, event, from, to, reason, generation, clientId }: LedgerLine): string {
  const by = clientId === null ? 'the client' : clientId;
  const why = reason === null ? '' : ` (${reason})`;
  if (to === 'approved') return `the end-user approves; ${by} gets a code`;
  if (machine === 'authorizationCode' && to === 'used') return `${by} exchanges the code: refresh token 0 is the head`;
  if (machine === 'refreshToken' && from === 'used' && to === 'used')
    return `${by} presents a used refresh token and proves its key: refresh token ${generation ?? 'of the head'} is answered again`;
  if (machine === 'refreshToken' && to === 'used')
    return `${by} uses its refresh token: ${generation ?? 'the next one'} is the head`;
  if (machine === 'authorizationCode' && to === 'revoked') return `the code, already used, is presented again${why}`;
  if (machine === 'refreshToken' && to === 'revoked')
    return reason === 'chain_behind_token'
      ? `a refresh token newer than the head is presented${why}`
      : `a used refresh token is presented again; the head is ${generation ?? 'none'}${why}`;
  if (machine === 'grant' && to === 'revoked') return `the whole chain ends${why}`;
  return `${machine}: ${event}, ${from} → ${to}${why}`;
}

/**
 * The grant. Every event ends it. Events about the grant itself write the reason into its row; those about its client, its end-user or
 * the server raise an epoch there. It ends once.
 */
import type { GrantEventType } from '../../../../machines/grant/facts.ts';
import { does, everyAnswer, type Law, raiseEpoch } from './law.ts';

/** The compiler asks for every event. */
const ENDS_BY: Readonly<Record<GrantEventType, string>> = {
  authorizationCodeReused: 'writeRevoked(authorization_code_reused)',
  refreshTokenReused: 'writeRevoked(refresh_token_reused)',
  chainFellBehind: 'writeRevoked(chain_behind_token)',
  revocationRequested: 'writeRevoked(revocation_requested)',
  endRequestedByAdministrator: 'writeRevoked(ended_by_administrator)',
  clientDeleted: raiseEpoch('client'),
  userDisabled: raiseEpoch('user'),
  passwordChanged: raiseEpoch('user'),
  serverRecovered: raiseEpoch('server'),
};

const raisesEpoch = (event: string): boolean => endsBy(event).startsWith('raiseEpoch');

export const lawsOfGrant: readonly Law[] = [
  everyAnswer(
    'an event about an active grant ends it, and writes the reason of that event',
    (answer) => answer.state !== 'active' || raisesEpoch(answer.event) || does(answer, 'revoked', endsBy(answer.event)),
  ),
  everyAnswer(
    'an event about its client, its end-user or the server ends an active grant by the epoch of that owner, and writes no row of a grant',
    (answer) =>
      answer.state !== 'active' || !raisesEpoch(answer.event) || does(answer, 'revoked', endsBy(answer.event)),
  ),
  everyAnswer(
    'nothing is written to a revoked grant, and no epoch rises: the first reason stays',
    (answer) => answer.state !== 'revoked' || does(answer, 'revoked'),
  ),
];

function endsBy(event: string): string {
  return ENDS_BY[event as GrantEventType];
}

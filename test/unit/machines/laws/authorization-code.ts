/**
 * The authorization code. "Its presenter is right" means that the presenter is the client that it was issued to. The redirect URI is that
 * of the request where the client sends one, and the verifier is that of the challenge. A proof of a key is of the key
 * to which the code is bound. All of them are checked before any other answer.
 */
import type { Answer } from '../answers.ts';
import { ENDED_BY_AN_EPOCH, revokedIsToldApart } from './ended-grant.ts';
import {
  allFail,
  does,
  everyAnswer,
  exactlyWhen,
  has,
  hasAny,
  ISSUING,
  type Law,
  onlyRejects,
  reject,
  rejectsInThisOrder,
  revokeGrant,
} from './law.ts';
import { PROVEN, UNPROVEN } from './proof.ts';

const PRESENTER = ['byAnotherClient', 'redirectUriDiffers', 'verifierDiffers', ...PROVEN] as const;
const presenterIsRight = (answer: Answer): boolean => allFail(answer, ...PRESENTER);

export const lawsOfAuthorizationCode: readonly Law[] = [
  everyAnswer(
    'a code is exchanged exactly when it is active, its presenter right, the time not over, something left, the resource granted',
    (answer) =>
      answer.state === 'active' &&
      presenterIsRight(answer) &&
      allFail(answer, 'expired', 'nothingIsLeft', 'resourceExceedsGrant')
        ? does(answer, 'used', 'beginChain', 'issueTokens')
        : !hasAny(answer, ISSUING),
  ),
  everyAnswer('a used code revokes its grant exactly when its presenter is right, expired or not', (answer) =>
    exactlyWhen(
      answer.state === 'used' && presenterIsRight(answer),
      answer,
      'revoked',
      revokeGrant('authorizationCodeReused'),
      reject('authorization_code_reused'),
    ),
  ),
  everyAnswer(
    'every other presentation of a code changes nothing and gets one rejection',
    (answer) => has(answer, 'issueTokens') || hasAny(answer, ['revokeGrant']) || onlyRejects(answer),
  ),
  everyAnswer(
    'a presenter who is not the client with its verifier gets the same answer in every state',
    rejectsInThisOrder(
      ['byAnotherClient', 'client_mismatch'],
      ['redirectUriDiffers', 'redirect_uri_mismatch'],
      ['verifierDiffers', 'code_verifier_mismatch'],
      ...UNPROVEN,
      ['expired', 'authorization_code_expired'],
      ['nothingIsLeft', 'grant_has_nothing_left'],
      ['resourceExceedsGrant', 'resource_exceeds_grant'],
      ...ENDED_BY_AN_EPOCH,
    ),
  ),
  revokedIsToldApart('a revoked code that no epoch ended says that its grant was revoked', PRESENTER),
];

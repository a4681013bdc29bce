/**
 * The refresh token. `active` is the head of its chain, `used` is behind it, `ahead` is newer than it. To present a token that is not
 * the head ends the whole chain, whatever else is true of the token and of a proof. Only another client can neither use it nor end it.
 */
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

export const lawsOfRefreshToken: readonly Law[] = [
  everyAnswer(
    'a refresh token rotates exactly when it is active, its client may still refresh, proves its key, presents it in time and asks for no more',
    (answer) =>
      answer.state === 'active' &&
      allFail(
        answer,
        'byAnotherClient',
        ...PROVEN,
        'expired',
        'mayNotRefresh',
        'nothingIsLeft',
        'scopeExceedsGrant',
        'resourceExceedsGrant',
      )
        ? does(answer, 'used', 'rotate', 'issueTokens')
        : !hasAny(answer, ISSUING),
  ),
  everyAnswer('a used refresh token revokes its chain exactly when its client presents it, expired or not', (answer) =>
    exactlyWhen(
      answer.state === 'used' && allFail(answer, 'byAnotherClient'),
      answer,
      'revoked',
      revokeGrant('refreshTokenReused'),
      reject('refresh_token_reused'),
    ),
  ),
  everyAnswer('a refresh token ahead of its chain revokes it exactly when its client presents it, always', (answer) =>
    exactlyWhen(
      answer.state === 'ahead' && allFail(answer, 'byAnotherClient'),
      answer,
      'revoked',
      revokeGrant('chainFellBehind'),
      reject('chain_behind_token'),
    ),
  ),
  everyAnswer(
    'every other presentation of a refresh token changes nothing and gets one rejection',
    (answer) => has(answer, 'issueTokens') || hasAny(answer, ['revokeGrant']) || onlyRejects(answer),
  ),
  everyAnswer(
    'another client gets the same answer in every state; the client of the token gets the reason',
    rejectsInThisOrder(
      ['byAnotherClient', 'client_mismatch'],
      ...UNPROVEN,
      ['expired', 'refresh_token_expired'],
      ['mayNotRefresh', 'refresh_not_allowed'],
      ['nothingIsLeft', 'grant_has_nothing_left'],
      ['scopeExceedsGrant', 'scope_exceeds_grant'],
      ['resourceExceedsGrant', 'resource_exceeds_grant'],
      ...ENDED_BY_AN_EPOCH,
    ),
  ),
  revokedIsToldApart('a revoked refresh token that no epoch ended says that its grant was revoked', [
    'byAnotherClient',
  ]),
];

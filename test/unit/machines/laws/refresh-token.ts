/**
 * The refresh token. `active` is the head of its chain, `used` is behind it, `ahead` is newer than it. To present a token that is not
 * the head ends the whole chain, whatever else is true of the token. Only another client can neither use it nor end it, and, where
 * the policy has a retry, the holder of the key.
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
  holds,
  ISSUING,
  type Law,
  onlyRejects,
  reject,
  rejectsInThisOrder,
  revokeGrant,
} from './law.ts';
import { PROVEN, UNPROVEN, WRONG_PROOF } from './proof.ts';

const isReuse = (answer: Answer): boolean =>
  answer.state === 'used' &&
  allFail(answer, 'byAnotherClient') &&
  (holds(answer, 'retryIsOff') || holds(answer, 'holderUnproven'));

const inOrder = rejectsInThisOrder(
  ['byAnotherClient', 'client_mismatch'],
  ['notThePredecessor', 'newer_token_issued'],
  ['retriedTooLate', 'newer_token_issued'],
  ...UNPROVEN,
  ['expired', 'refresh_token_expired'],
  ['mayNotRefresh', 'refresh_not_allowed'],
  ['nothingIsLeft', 'grant_has_nothing_left'],
  ['scopeExceedsGrant', 'scope_exceeds_grant'],
  ['resourceExceedsGrant', 'resource_exceeds_grant'],
  ...ENDED_BY_AN_EPOCH,
);

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
        : !hasAny(answer, ISSUING) || has(answer, 'repeatHead'),
  ),
  everyAnswer(
    'a used refresh token revokes its chain exactly when its client presents it without a proof, or the policy has no retry, expired or not',
    (answer) =>
      exactlyWhen(
        isReuse(answer),
        answer,
        'revoked',
        revokeGrant('refreshTokenReused'),
        reject('refresh_token_reused'),
      ),
  ),
  everyAnswer(
    'the head is answered again exactly for its predecessor, with the proof, in the time of the retry and of the chain, where a refresh would be served',
    (answer) =>
      exactlyWhen(
        answer.state === 'used' &&
          allFail(
            answer,
            'byAnotherClient',
            'retryIsOff',
            'holderUnproven',
            'notThePredecessor',
            'retriedTooLate',
            ...WRONG_PROOF.map(([guard]) => guard),
            'expired',
            'mayNotRefresh',
            'nothingIsLeft',
            'scopeExceedsGrant',
            'resourceExceedsGrant',
          ),
        answer,
        'used',
        'repeatHead',
        'issueTokens',
      ),
  ),
  everyAnswer('a proven token that is older, or late, is rejected, and the chain stays active', (answer) =>
    answer.state === 'used' &&
    allFail(answer, 'byAnotherClient', 'retryIsOff', 'holderUnproven') &&
    (holds(answer, 'notThePredecessor') || holds(answer, 'retriedTooLate'))
      ? does(answer, 'used', reject('newer_token_issued'))
      : !has(answer, reject('newer_token_issued')),
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
    (answer) => isReuse(answer) || inOrder(answer),
  ),
  revokedIsToldApart('a revoked refresh token that no epoch ended says that its grant was revoked', [
    'byAnotherClient',
  ]),
];

/** The common part of a code and a refresh token: in `revoked` they answer with the end of their grant. */
import { allFail, does, everyAnswer, type Law, reject } from './law.ts';

export const ENDED_BY_AN_EPOCH = [
  ['endedByClient', 'client_ended'],
  ['endedByUser', 'user_ended'],
  ['endedByServer', 'server_epoch_raised'],
] as const;

/** @param presenter the guards that say that the presenter is not right. */
export const revokedIsToldApart = (name: string, presenter: readonly string[]): Law =>
  everyAnswer(name, (answer) => {
    const isReached = answer.state === 'revoked' && allFail(answer, ...presenter);
    const endedByEpoch = !allFail(answer, ...ENDED_BY_AN_EPOCH.map(([guard]) => guard));
    return !isReached || endedByEpoch || does(answer, 'revoked', reject('grant_revoked'));
  });

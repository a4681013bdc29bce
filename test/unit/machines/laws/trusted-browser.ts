/** The trusted browser: it stands in for a factor while it is active and in time, where no proof is demanded, and never after its end. */
import { allFail, does, everyAnswer, hasAny, type Law, raiseEpoch, reject, rejectsInThisOrder } from './law.ts';

const endTrust = (reason: string): string => `endTrust(${reason})`;

const ENDS_BY: Readonly<Record<string, string>> = {
  endRequested: endTrust('ended_by_user'),
  endRequestedByAdministrator: endTrust('ended_by_administrator'),
  factorsChanged: endTrust('factors_changed'),
  trustedAgain: endTrust('trusted_again'),
  userDisabled: raiseEpoch('user'),
  passwordChanged: raiseEpoch('user'),
  serverRecovered: raiseEpoch('server'),
};

const NOTHING_SPEAKS_AGAINST = ['timeIsOver', 'factorIsGone', 'proofIsDemanded'];

export const lawsOfTrustedBrowser: readonly Law[] = [
  everyAnswer(
    'a browser stands in for a factor exactly while it is active, in time, with its factor, and where no proof is demanded',
    (answer) => {
      const counts =
        answer.event === 'presented' && answer.state === 'active' && allFail(answer, ...NOTHING_SPEAKS_AGAINST);
      if (counts) return does(answer, 'active', 'skipFactor', 'accept');
      return !hasAny(answer, ['skipFactor']) && (answer.event !== 'presented' || !hasAny(answer, ['accept']));
    },
  ),
  everyAnswer('it is trusted once, after a proof of a factor that stands, where the policy offers it', (answer) => {
    const begins =
      answer.event === 'factorProven' && answer.state === 'requested' && allFail(answer, ...NOTHING_SPEAKS_AGAINST);
    if (begins) return does(answer, 'active', 'trustBrowser', 'accept');
    if (answer.event === 'factorProven' && answer.state === 'active')
      return does(answer, 'active', reject('trust_unknown'));
    return !hasAny(answer, ['trustBrowser']) && (answer.next !== 'active' || answer.state === 'active');
  }),
  everyAnswer('a refusal changes nothing, and has its reason in this order', (answer) => {
    const time = answer.state === 'requested' ? 'trust_not_offered' : 'trust_expired';
    return rejectsInThisOrder(
      ['endedByUser', 'user_ended'],
      ['endedByServer', 'server_epoch_raised'],
      ['timeIsOver', time],
      ['factorIsGone', 'factor_removed'],
      ['proofIsDemanded', 'proof_is_demanded'],
    )(answer);
  }),
  everyAnswer('each event that ends trust ends it, with its reason or its epoch', (answer) => {
    const end = ENDS_BY[answer.event];
    if (end === undefined) return !hasAny(answer, ['endTrust', 'raiseEpoch']);
    return answer.state === 'active' ? does(answer, 'ended', end) : does(answer, answer.state);
  }),
  everyAnswer('a secret that was never trusted, or whose trust has ended, asks for the factor', (answer) => {
    if (answer.event !== 'presented' && answer.event !== 'factorProven') return true;
    if (answer.state === 'requested' && answer.event === 'presented')
      return does(answer, 'requested', reject('trust_unknown'));
    const isPlainEnd = answer.state === 'ended' && allFail(answer, 'endedByUser', 'endedByServer');
    return !isPlainEnd || does(answer, 'ended', reject('trust_ended'));
  }),
];

/** What must hold of mails, each in a sentence, and how a violation of it is seen. */
import type { QueuedMail } from '../../../model/mail.ts';
import type { Moment } from '../moment.ts';
import { runAlone, storedAfter } from '../moves.ts';
import type { Invariant, Walk } from '../walk.ts';
import { POLICY } from './initial-states.ts';
import { OUTCOMES, requestsAt } from './requests.ts';
import type { Asked, Terms } from './terms.ts';

type World = Moment<Terms>;
const machines = ['mail'];
const SPEC = 'RFC 5321 §4.5.4.1';

export const INVARIANTS: readonly Invariant<Terms>[] = [
  {
    name: 'one-attempt-at-a-time',
    says: 'While the claim of a node has not run out, no other node attempts the same mail.',
    spec: SPEC,
    machines,
    violation: (_, { known }, { commit, after }) => {
      if (!commit?.held || commit.asked.kind !== 'claim' || after.stored.mail.state !== 'pending') return null;
      const begins = (after.stored.mail.nextAttemptAt?.getTime() ?? 0) - POLICY.claimSeconds * 1000;
      return known.lastClaim !== null && begins < known.lastClaim ? 'two nodes attempt it at the same time' : null;
    },
  },
  {
    name: 'no-attempt-without-a-claim',
    says: 'A node attempts only a mail that it has claimed, and its claim is stored.',
    spec: SPEC,
    machines,
    brokenAt: (_, { known: { answeredClaims, committedClaims } }) =>
      answeredClaims > committedClaims ? 'a node attempts what it has not claimed' : null,
  },
  {
    name: 'attempts-are-bounded',
    says: 'The server attempts a mail as often as its policy says, and not once more.',
    spec: SPEC,
    machines,
    brokenAt: (_, { known }) => (known.claimed > POLICY.maxAttempts ? `it was attempted ${known.claimed} times` : null),
  },
  {
    name: 'only-pending-is-attempted',
    says: 'The server attempts only a mail that is pending, due, and not too old.',
    spec: SPEC,
    machines,
    violation: (_, { stored: { mail }, now }, { commit, after }) => {
      if (!commit?.held || commit.asked.kind !== 'claim' || after.stored.mail.state !== 'pending') return null;
      const decidedAt = (after.stored.mail.nextAttemptAt?.getTime() ?? 0) - POLICY.claimSeconds * 1000;
      const isDue = mail.state === 'pending' && now >= (mail.nextAttemptAt?.getTime() ?? 0);
      if (!isDue) return `it was ${mail.state}, and was attempted before its time`;
      return decidedAt > mail.givesUpAt.getTime() ? 'it was attempted after its time' : null;
    },
  },
  {
    name: 'accepted-is-sent',
    says: 'A mail that the relay accepted is sent, whatever else was decided.',
    spec: 'RFC 5321 §4.2.5',
    machines,
    brokenAt: (_, { known, stored: { mail } }) =>
      known.isConfirmed && mail.state !== 'sent' ? `the relay accepted it, and it is ${mail.state}` : null,
  },
  {
    name: 'sent-is-accepted',
    says: 'No mail is sent that no relay accepted.',
    spec: 'RFC 5321 §4.2.5',
    machines,
    brokenAt: (_, { known, stored: { mail } }) =>
      mail.state === 'sent' && !known.isConfirmed ? 'it is sent, and no relay accepted it' : null,
  },
  {
    name: 'dropped-for-its-reason',
    says: 'A mail is dropped for exactly the reason that is stored.',
    spec: SPEC,
    machines,
    violation: (_, { stored: { mail: before } }, { commit, after: { stored } }) => {
      const { mail: after } = stored;
      if (!commit?.held || after.state !== 'dropped' || before.state === 'dropped') return null;
      return isReason(commit.asked, before, after.dropReason, after.endedAt?.getTime() ?? 0)
        ? null
        : `it was dropped as ${after.dropReason}`;
    },
  },
  {
    name: 'contents-end-with-the-mail',
    says: 'A mail that waits has its contents, and a mail that has ended has none.',
    spec: 'Regulation (EU) 2016/679 Art. 5 (1) (e)',
    machines,
    brokenAt: (_, { stored: { mail } }) =>
      (mail.state === 'pending') === (mail.sealedContents !== null)
        ? null
        : `it is ${mail.state}, with the wrong contents`,
  },
  {
    name: 'every-event-of-a-mail-is-answered',
    says: 'Every event of a mail is answered, in every state that can be reached.',
    spec: SPEC,
    machines,
    violation: (_, __, { broken, happening: { ending } }) => {
      const isInCircles = ending?.kind === 'unavailable' && ending.reason === 'too_many_conflicts';
      return broken ?? (isInCircles ? 'a request went in circles' : null);
    },
    brokenAt: (walk, world) => {
      for (const asked of [...requestsAt(world.known), ...LATE]) {
        const ran = runAlone(walk, world, asked);
        if (ran.kind === 'broken') return ran.words;
      }
      return null;
    },
  },
  {
    name: 'mails-are-sent',
    says: 'A mail that is due is attempted, a mail that failed is attempted again or dropped. Nothing above holds because nothing works.',
    spec: SPEC,
    machines,
    brokenAt: (walk, world) => whatIsNotDone(walk, world),
  },
];

/** Of an attempt that ended long ago. */
const LATE: readonly Asked[] = OUTCOMES.map((outcome) => ({ kind: 'report', outcome, claim: 0 }));

const waitAfter = (attempts: number): number =>
  (POLICY.waitsSeconds[Math.min(attempts, POLICY.waitsSeconds.length) - 1] ?? 0) * 1000;
const isTooOldAt = ({ givesUpAt }: QueuedMail, instant: number): boolean => instant > givesUpAt.getTime();

/** Worked out from the policy, not by the machine that is on trial. */
function isReason(asked: Asked, before: QueuedMail, reason: string | null, now: number): boolean {
  if (asked.kind === 'displace') return reason === 'queue_full';
  if (asked.kind === 'report' && asked.outcome === 'refused') return reason === 'refused';
  const isUsedUp = before.attempts >= POLICY.maxAttempts;
  if (reason === 'attempts_used_up') return isUsedUp;
  const next = asked.kind === 'claim' ? now : now + waitAfter(before.attempts);
  return reason === 'too_old' && !isUsedUp && isTooOldAt(before, next);
}

function whatIsNotDone(walk: Walk<Terms>, world: World): string | null {
  const { mail } = world.stored;
  const { state, nextAttemptAt, attempts } = mail;
  const then = (asked: Asked) => storedAfter(walk, world, asked)?.mail ?? mail;
  if (state !== 'pending' || nextAttemptAt === null) {
    const accepted = then({ kind: 'report', outcome: 'succeeded', claim: 0 });
    return accepted.state === 'sent' ? null : 'the relay accepted it, and it is not sent';
  }
  if (then({ kind: 'displace' }).state !== 'dropped') return 'it keeps a place that another mail needs';
  const claim = nextAttemptAt.getTime();
  if (world.now >= claim) {
    const claimed = then({ kind: 'claim' });
    const isOver = attempts >= POLICY.maxAttempts || isTooOldAt(mail, world.now);
    if (isOver ? claimed.state !== 'dropped' : claimed.attempts !== attempts + 1)
      return 'it is due, and is not attempted';
  }
  if (attempts === 0) return null;
  if (then({ kind: 'report', outcome: 'succeeded', claim }).state !== 'sent') return 'the word of the relay is ignored';
  const failed = then({ kind: 'report', outcome: 'failed', claim });
  if (attempts >= POLICY.maxAttempts || isTooOldAt(mail, world.now + waitAfter(attempts)))
    return failed.state === 'dropped' ? null : 'it is never given up';
  const isLater = failed.state === 'pending' && failed.nextAttemptAt?.getTime() === world.now + waitAfter(attempts);
  if (!isLater) return 'a failed attempt is not followed by another';
  return then({ kind: 'report', outcome: 'failed', claim: 0 }) === mail
    ? null
    : 'an attempt that was overtaken changes what a later attempt decides';
}

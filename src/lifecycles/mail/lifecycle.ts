/** A mail on its way to the relay: a node claims the mail, attempts it, and reports the outcome to the machine. */

import type { MailEvent } from '../../../machines/mail/facts.ts';
import { mailMachine } from '../../../machines/mail/machine.ts';
import { type Commit, type CommitStore, update } from '../../engine/commit.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, runFound, type Sleeping } from '../../engine/run.ts';
import { AS_ATTEMPTED, attemptsOf, claimed, type RetryPolicy, retryAt } from '../webhook-delivery/lifecycle.ts';
import { MAILS, type QueuedMail } from './entity.ts';

export type MailPolicy = Omit<RetryPolicy, 'giveUpAfterSeconds'>;

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

/** RFC 5321 §4.5.4.1 asks for longer waits after the first; a person waits for most of these mails, so the first are short. */
export const MAIL_POLICY: MailPolicy = {
  maxAttempts: 30,
  // Longer than the limits of one SMTP transaction (src/boot/mail/smtp.ts) in practice: a relay that stays silent is cut off before.
  claimSeconds: 2 * MINUTE_SECONDS,
  waitsSeconds: [5, MINUTE_SECONDS, 5 * MINUTE_SECONDS, 15 * MINUTE_SECONDS, 30 * MINUTE_SECONDS, HOUR_SECONDS],
};

export type MailFacts = { readonly now: Date; readonly policy: MailPolicy };

export type LoadedMail = { readonly now: Date; readonly mail: QueuedMail };

export type MailStore = {
  /** Null: not found, or erased with its end-user. */
  readonly load: (id: string) => Promise<LoadedMail | null>;
  /** False: a fact that the commit depends on no longer held, and nothing changed. */
  readonly commit: CommitStore;
};

const ended = { nextAttemptAt: null, sealedContents: null } as const;

export const mailLifecycle: Lifecycle<QueuedMail, MailFacts, Commit> = {
  machine: mailMachine,
  stateOf: ({ state }) => state,
  contextOf: attemptsOf,
  answers: {},
  changes: {
    claimDelivery: claimed,
    retryDelivery: (row, { now, policy }) => ({ ...row, nextAttemptAt: retryAt(row, policy, now) }),
    recordDelivery: (row, { now }) => ({ ...row, ...ended, state: 'sent', endedAt: now, dropReason: null }),
    dropMail: (row, { now }, { reason }) => ({ ...row, ...ended, state: 'dropped', endedAt: now, dropReason: reason }),
  },
  // The ledger has the decision behind a mail. Log and metrics have the outcome of the mail.
  notAudited: ['claimDelivery', 'retryDelivery', 'recordDelivery', 'dropMail'],
  commitOf: ({ before, after }, { now }, entries) => ({
    now,
    requires: [],
    writes: [update(MAILS, before, after, AS_ATTEMPTED)],
    entries,
  }),
};

type MailRequest = Request<LoadedMail, QueuedMail, MailFacts, Commit, MailOutcome>;
/** `before`: as it was loaded for the commit. */
type MailOutcome = { readonly before: QueuedMail; readonly after: QueuedMail };

/** `claim`: the `nextAttemptAt` that the claim of the reported attempt set. */
export type MailReport = { readonly outcome: 'succeeded' | 'failed' | 'refused'; readonly claim: Date };

const request = (policy: MailPolicy, eventAt: (loaded: LoadedMail) => MailEvent): MailRequest => ({
  lifecycle: mailLifecycle,
  read: ({ now, mail }) => ({
    row: mail,
    facts: { now, policy },
    event: eventAt({ now, mail }),
  }),
  answer: ({ before, after }) => ({ before, after }),
});

/** The answer: the mail after the claim; unchanged: not this node's to attempt. */
export const claimMailRequest = (policy: MailPolicy) =>
  // A claim is itself the next attempt.
  request(policy, ({ now }) => ({ type: 'claimed', now: now.getTime(), retryAt: now.getTime() }));
export const reportMailRequest = (policy: MailPolicy, { outcome, claim }: MailReport) =>
  request(policy, ({ now, mail }) =>
    outcome === 'failed'
      ? { type: outcome, claim: claim.getTime(), retryAt: retryAt(mail, policy, now).getTime() }
      : { type: outcome },
  );
/** For a mail that has more right to the place. */
export const displaceMailRequest = (policy: MailPolicy) => request(policy, () => ({ type: 'displaced' }));

export type MailPorts = Sleeping & {
  readonly mails: MailStore;
};

/** @returns null: the mail is not found. @throws Unavailable, StoreUnavailable */
export const askMail = ({ mails, sleep }: MailPorts, id: string, asked: MailRequest): Promise<MailOutcome | null> =>
  runFound({ load: () => mails.load(id), commit: mails.commit, sleep }, asked);

/** The walk of mails: nodes that claim, attempt and report, die and come late; a queue that is full. */
import type { Commit } from '../../engine/commit.ts';
import { type AskedOfAttempts, attempted, type KnownOfAttempts, POLICY } from '../../review/proof/attempts.ts';
import { askingFor, defineWalk } from '../../review/proof/define-walk.ts';
import { after, BEGAN_AT } from '../../review/proof/instants.ts';
import type { QueuedMail } from './entity.ts';
import {
  claimMailRequest,
  displaceMailRequest,
  type LoadedMail,
  type MailReport,
  reportMailRequest,
} from './lifecycle.ts';

type Asked = AskedOfAttempts<MailReport['outcome'], { readonly kind: 'displace' }>;
type Terms = {
  readonly stored: { readonly mails: readonly [QueuedMail] };
  readonly asked: Asked;
  readonly loaded: LoadedMail;
  readonly commit: Commit;
  readonly answer: { readonly before: QueuedMail; readonly after: QueuedMail };
  readonly known: KnownOfAttempts;
};

const FRESH: QueuedMail = {
  id: 'the mail',
  purpose: 'notice',
  domainHash: Buffer.from('domain'),
  userId: null,
  sealedContents: 'sealed',
  state: 'pending',
  attempts: 0,
  nextAttemptAt: after(0),
  givesUpAt: after(POLICY.giveUpAfterSeconds),
  createdAt: after(0),
  endedAt: null,
  dropReason: null,
};

const attempts = attempted<Terms, QueuedMail>({
  rowIn: ({ mails: [mail] }) => mail,
  storedWith: (mail) => ({ mails: [mail] }),
  fresh: FRESH,
  ended: { nextAttemptAt: null, sealedContents: null, endedAt: after(-60) },
  says: { it: 'A mail', begins: 'A mail was stored' },
  claimRequest: () => claimMailRequest(POLICY),
  reportRequest: (report) => reportMailRequest(POLICY, report),
  outcomes: { arrived: 'succeeded', refused: 'refused', failed: 'failed' },
  states: { arrived: 'sent', givenUp: 'dropped' },
  reasonIn: ({ dropReason }) => dropReason,
  withdrawal: { asked: { kind: 'displace' }, reason: 'queue_full' },
  refusal: 'refused',
  claimsEndTheTooOld: true,
  claimIn: (answer) => (answer.after === answer.before ? null : answer.after.nextAttemptAt),
  otherRequests: [{ kind: 'displace' }],
});

const ACCEPTED = 'RFC 5321 §4.2.5';

export const mails = defineWalk<Terms>({
  name: 'mails',
  of: 'mails',
  machines: ['mail'],
  spec: 'RFC 5321 §4.5.4.1',
  ...attempts.parts,
  initialStates: [
    ...attempts.initialStates,
    attempts.given('A mail waited while no node sent mails', { givesUpAt: after(-1) }),
    attempts.givenEnded('A mail was sent', { attempts: 1, state: 'sent' }, { claimed: 1, isConfirmed: true }),
    attempts.givenEnded(
      'A mail was dropped',
      { attempts: 3, state: 'dropped', dropReason: 'attempts_used_up' },
      { claimed: 3 },
    ),
  ],
  load: ({ mails: [mail] }, _, now) => ({ now, mail }),
  asking: askingFor<Terms>({
    ...attempts.kinds,
    displace: {
      name: 'the place for another mail',
      from: 'A node asks for',
      request: () => displaceMailRequest(POLICY),
    },
  }),
  invariants: [
    ...attempts.ofClaims({
      oneAtATime: 'While the claim of a node has not run out, no other node attempts the same mail.',
      claimed: 'A node attempts only a mail that it has claimed, and its claim is stored.',
      bounded: 'The server attempts a mail as often as its policy says, and not once more.',
      pending: 'The server attempts only a mail that is pending, due, and not too old.',
    }),
    {
      name: 'accepted-is-sent',
      says: 'A mail that the relay accepted is sent, and no other decision changes that.',
      spec: ACCEPTED,
      ...attempts.confirmedHasArrived,
    },
    {
      name: 'sent-is-accepted',
      says: 'No mail is sent that no relay accepted.',
      spec: ACCEPTED,
      ...attempts.arrivedIsConfirmed,
    },
    {
      name: 'dropped-for-its-reason',
      says: 'A mail is dropped for exactly the reason that is stored.',
      ...attempts.givenUpForItsReason,
    },
    {
      name: 'contents-end-with-the-mail',
      says: 'A mail that waits has its contents, and a mail that has ended has none.',
      spec: 'Regulation (EU) 2016/679 Art. 5 (1) (e)',
      violationAt: (
        _,
        {
          stored: {
            mails: [mail],
          },
        },
      ) =>
        (mail.state === 'pending') === (mail.sealedContents !== null)
          ? null
          : `it is ${mail.state}, with the wrong contents`,
    },
    {
      name: 'every-event-of-a-mail-is-answered',
      says: 'Every event of a mail is answered, in every state that can be reached.',
      ...attempts.everyEventIsAnswered,
    },
    {
      name: 'mails-are-sent',
      says: 'A mail that is due is attempted, a mail that failed is attempted again or dropped. Nothing above holds because nothing works.',
      ...attempts.whatIsDueIsDone,
    },
  ],
  words: {
    ...attempts.words,
    commitNoun: () => 'the mail',
    answer: (answer) => (answer.before === answer.after ? 'nothing to do' : null),
    since: [BEGAN_AT, 'the insert'],
    sender: 'nodes',
  },
});

/** Where every exploration of mails begins: a mail that is new, under way, late, and ended. */
import type { MailPolicy } from '../../../lifecycles/mail/lifecycle.ts';
import type { QueuedMail } from '../../../model/mail.ts';
import type { InitialState } from '../walk.ts';
import type { Known, Terms } from './terms.ts';

/** Milliseconds since 1970; any instant would do. */
export const BEGAN_AT = Date.UTC(2030, 0, 1);

/** The numbers of the policy matter to decisions only by when something falls due; the walk goes to each of those instants. */
export const POLICY: MailPolicy = { maxAttempts: 3, claimSeconds: 45, waitsSeconds: [5, 60] };

const after = (seconds: number): Date => new Date(BEGAN_AT + seconds * 1000);

const NEW: QueuedMail = {
  id: 'the mail',
  purpose: 'notice',
  domainHash: Buffer.from('domain'),
  userId: null,
  sealedContents: 'sealed',
  state: 'pending',
  attempts: 0,
  nextAttemptAt: after(0),
  givesUpAt: after(600),
  createdAt: after(0),
  endedAt: null,
  dropReason: null,
};
const ENDED = { nextAttemptAt: null, sealedContents: null, endedAt: after(-60) } as const;

const NOTHING_KNOWN: Known = {
  claims: [],
  lastClaim: null,
  claimed: 0,
  committedClaims: 0,
  answeredClaims: 0,
  isConfirmed: false,
};
const underWay = (attempts: number, until: number): [QueuedMail, Known] => [
  { ...NEW, attempts, nextAttemptAt: after(until) },
  { ...NOTHING_KNOWN, claims: [after(until).getTime()], lastClaim: after(until).getTime(), claimed: attempts },
];

const SITUATIONS: readonly (readonly [string, QueuedMail, Known])[] = [
  ['A mail was stored', NEW, NOTHING_KNOWN],
  [
    'A mail waits for its second attempt',
    { ...NEW, attempts: 1, nextAttemptAt: after(5) },
    { ...NOTHING_KNOWN, claimed: 1 },
  ],
  ['The last attempt is due', { ...NEW, attempts: 2 }, { ...NOTHING_KNOWN, claimed: 2 }],
  ['A first attempt is under way', ...underWay(1, 30)],
  ['The last attempt is under way', ...underWay(POLICY.maxAttempts, 30)],
  ['A mail is nearly too old for another attempt', { ...underWay(2, 30)[0], givesUpAt: after(70) }, underWay(2, 30)[1]],
  ['A mail waited while no node sent mails', { ...NEW, givesUpAt: after(-1) }, NOTHING_KNOWN],
  [
    'A mail was sent',
    { ...NEW, ...ENDED, attempts: 1, state: 'sent' },
    { ...NOTHING_KNOWN, claimed: 1, isConfirmed: true },
  ],
  [
    'A mail was dropped',
    { ...NEW, ...ENDED, attempts: 3, state: 'dropped', dropReason: 'attempts_used_up' },
    { ...NOTHING_KNOWN, claimed: 3 },
  ],
];

export const INITIAL_STATES: readonly InitialState<Terms>[] = SITUATIONS.map(([says, mail, known]) => ({
  says: `${says}.`,
  now: BEGAN_AT,
  stored: { mail },
  known,
}));

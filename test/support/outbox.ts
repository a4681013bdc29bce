/** The queue of mails of a node on a test database, with a relay that the test plays. */
import { type OutboxOptions, openOutbox, type RunningOutbox } from '../../src/boot/mail/outbox.ts';
import { systemRandom } from '../../src/crypto/random.ts';
import type { ComposedMail } from '../../src/http/views/mail.ts';
import type { QueuedMail } from '../../src/lifecycles/mail/entity.ts';
import type { Mail } from '../../src/people/mail/mail.ts';
import type { Database } from '../../src/storage/database.ts';
import { mailQueue } from '../../src/storage/mails.ts';
import { mails } from '../../src/storage/schema.ts';
import { makeLogger } from '../../src/system/logger.ts';
import { type TestClock, testClock } from './clock.ts';
import { testKeys } from './macs.ts';

export const LINK_SECRET = 's3cret';
const COMPOSED: ComposedMail = {
  to: '',
  subject: 's',
  text: LINK_SECRET,
  html: LINK_SECRET,
  language: 'en',
  organization: null,
  images: [],
};

const FORGOT = 'https://as.test/forgot-password';

/** A link, unless it is a notice. */
export const mailTo = (to: string, kind: 'reset_password' | 'password_changed' = 'reset_password'): Mail => ({
  to,
  userId: null,
  languages: [],
  timeZone: null,
  content:
    kind === 'password_changed'
      ? { kind, username: 'alice', at: new Date(0), forgot: FORGOT }
      : { kind, username: 'alice', link: `https://as.test/email/link?t=${LINK_SECRET}`, lifetimeSeconds: 1800 },
});

export type TestOutbox = RunningOutbox & {
  readonly clock: TestClock;
  readonly logs: () => string;
  readonly stored: () => Promise<readonly QueuedMail[]>;
};

export function outboxOn(
  { drizzle: db }: Pick<Database, 'drizzle'>,
  { clock = testClock(), ...options }: Partial<OutboxOptions> & { readonly clock?: TestClock } = {},
): TestOutbox {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const outbox = openOutbox({
    queue: mailQueue(db, clock),
    keys: testKeys,
    random: systemRandom,
    deliver: async () => {},
    compose: async ({ to }) => ({ ...COMPOSED, to }),
    answer: async () => {},
    isErased: async () => false,
    now: clock.now,
    logger: makeLogger({ level: 'trace', readable: false, destination }),
    ...options,
  });
  return { ...outbox, clock, logs: () => lines.join(''), stored: () => db.select().from(mails) };
}

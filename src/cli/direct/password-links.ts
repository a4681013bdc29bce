/**
 * Links for end-users without a password, on the database itself: the command stores each link with its mail, and the servers send the
 * mails. Thousands of mails are the work of a command, with pauses, and no request of an administrator.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '../../boot/runtime.ts';
import { rowMacs } from '../../crypto/row-mac.ts';
import { commandLine } from '../../model/actor.ts';
import { passwordLinkFor } from '../../people/email/password-links.ts';
import { queuedMail } from '../../people/mail/contents.ts';
import { offered } from '../../people/sign-up/sign-up.ts';
import { emailChallengeStore } from '../../storage/email-challenges.ts';
import { mailQueue } from '../../storage/mails.ts';
import { countWaitingLinks, countWithoutPassword, listWithoutPassword } from '../../storage/password-links.ts';
import { databaseClock } from '../../system/clock.ts';
import { CommandRefused } from '../failure.ts';
import type { PasswordLinks } from '../password-links.ts';

/** Half of the queue stays free for the links that users ask for (src/boot/mail/outbox.ts). */
const MOST_WAITING = 500;

export function directPasswordLinks({ environment, configuration, database, keys, random }: Runtime): PasswordLinks {
  if (environment.smtp === null && environment.databaseUrl !== null)
    throw new CommandRefused('Set STATEHOUSE_SMTP_URL as for the servers, which send the mails. Nothing was changed.');
  const db = database.drizzle;
  const clock = databaseClock;
  const queue = mailQueue(db, clock);
  const deps = {
    issuer: environment.issuer,
    random,
    sleep: (milliseconds: number) => sleep(milliseconds),
    challenges: emailChallengeStore(db, clock, rowMacs(keys)),
    isOffered: offered(() => configuration.signIn),
  };
  return {
    count: () => countWithoutPassword(db, clock),
    list: (page) => listWithoutPassword(db, clock, page),
    hasRoom: async () => (await countWaitingLinks(db)) < MOST_WAITING,
    mail: async (user) => {
      const mail = await passwordLinkFor(deps, user, commandLine);
      return mail !== null && queue.add(queuedMail({ keys, random }, mail, new Date()), null);
    },
  };
}
